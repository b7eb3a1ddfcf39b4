// The contract of the kind "bypass" (warpmem/plugin.h), over every entry of its table.
#include "base/numbers/random.h"
#include "mem/bypass/entries.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(bypass_contract, every_entry_is_documented_and_found_by_name)
{
    size_t count;
    const struct wm_bypass_ops *const *table = wm_bypass_table(&count);
    cr_assert_geq(count, 3);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(wm_bypass_find(table[i]->name), table[i]);
        cr_assert(table[i]->title[0] && table[i]->source[0] && table[i]->sentence[0]);
        cr_assert_not_null(table[i]->decide);
        cr_assert_leq(table[i]->parameter_count, WM_MAX_PARAMETERS);
    }
    cr_assert_null(wm_bypass_find("nosuch"));
}

enum { GUARD = 64, EVENTS = 20000 };

static struct wm_bypass_event random_event(struct wm_random *random)
{
    return (struct wm_bypass_event){
        .line = wm_random_below(random, 4096),
        .sectors = 1 + (uint32_t)wm_random_below(random, 15),
        .pc = (uint32_t)wm_random_below(random, 50),
        .warp = (uint32_t)wm_random_below(random, 64),
        .sm = (uint32_t)wm_random_below(random, 4),
        .kind = wm_random_below(random, 4) == 0 ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
        .hint = (enum wm_cache_hint)wm_random_below(random, WM_HINT_NO_L1 + 1),
        .listed =
            (enum wm_bypass_list_entry)wm_random_below(random, WM_BYPASS_LISTED_NO_ALLOCATE + 1),
        .lines = 1 + (uint32_t)wm_random_below(random, 32),
        .resident_warps = (uint32_t)wm_random_below(random, 65),
    };
}

// What a field that an entry does not read may be set to.
enum field { LINE, SECTORS, PC, WARP, SM, KIND, HINT, LISTED, LINES, RESIDENT_WARPS, FIELDS };

static void change_field(struct wm_bypass_event *event, enum field field,
                         const struct wm_bypass_event *other)
{
    switch (field) {
    case LINE: event->line = other->line; break;
    case SECTORS: event->sectors = other->sectors; break;
    case PC: event->pc = other->pc; break;
    case WARP: event->warp = other->warp; break;
    case SM: event->sm = other->sm; break;
    case KIND: event->kind = other->kind; break;
    case HINT: event->hint = other->hint; break;
    case LISTED: event->listed = other->listed; break;
    case LINES: event->lines = other->lines; break;
    case RESIDENT_WARPS: event->resident_warps = other->resident_warps; break;
    case FIELDS: break;
    }
}

enum { SETS = 64, WAYS = 4 };

// The decisions about random events of which `changed` is another's than in other plays, with the
// parameters `parameters`, or their own where that is NULL.
static void play(const struct wm_bypass_ops *ops, const uint64_t *given, enum field changed,
                 uint8_t *decisions)
{
    uint64_t parameters[WM_MAX_PARAMETERS] = {0};
    for (size_t i = 0; i < ops->parameter_count; i++)
        parameters[i] = given != NULL ? given[i] : ops->parameters[i].fallback;
    struct wm_bypass_geometry geometry = {
        .sets = SETS, .ways = WAYS, .line_bytes = 128, .seed = 7, .parameters = parameters};
    unsigned char *memory = malloc(ops->state_bytes + 2 * GUARD);
    memset(memory, 0xa5, ops->state_bytes + 2 * GUARD);
    void *state = memory + GUARD;
    memset(state, 0, ops->state_bytes);
    if (ops->reset != NULL)
        ops->reset(state, &geometry);
    struct wm_random random;
    wm_random_init(&random, 1, "bypass events");
    for (int i = 0; i < EVENTS; i++) {
        if (i % 1000 == 0 && ops->kernel != NULL)
            ops->kernel(state);
        struct wm_bypass_event event = random_event(&random), other = random_event(&random);
        uint32_t missing = (uint32_t)wm_random_u64(&random);
        change_field(&event, changed, &other);
        enum wm_bypass_decision decision = ops->decide(state, &event);
        cr_assert(decision >= WM_BYPASS_NO && decision <= WM_BYPASS_LOOKUP, "%s", ops->name);
        decisions[i] = (uint8_t)decision;
        if (decision != WM_BYPASS_LOOKUP && ops->served != NULL)
            ops->served(state, &event, event.sectors & missing);
    }
    for (size_t i = 0; i < GUARD; i++)
        cr_assert(memory[i] == 0xa5 && memory[GUARD + ops->state_bytes + i] == 0xa5, "%s",
                  ops->name);
    free(memory);
}

Test(bypass_contract, every_entry_decides_the_same_twice_within_its_own_state)
{
    static uint8_t first[EVENTS], again[EVENTS];
    size_t count;
    const struct wm_bypass_ops *const *table = wm_bypass_table(&count);
    for (size_t i = 0; i < count; i++) {
        play(table[i], NULL, FIELDS, first);
        play(table[i], NULL, FIELDS, again);
        cr_assert_arr_eq(first, again, EVENTS, "%s", table[i]->name);
    }
}

// What each entry looks at, as its sentence says: another value there changes some decision, and
// another value elsewhere none.
static const struct {
    const char *name;
    uint32_t fields;
} looks_at[] = {
    {"none", 0},
    {"cache-operator", 1u << HINT},
    {"per-pc", 1u << HINT | 1u << LISTED},
    {"contention", 1u << HINT | 1u << KIND | 1u << LINES | 1u << RESIDENT_WARPS},
};

Test(bypass_contract, every_entry_looks_at_what_it_says_and_nothing_else)
{
    static uint8_t as_is[EVENTS], changed[EVENTS];
    size_t count, rows = sizeof looks_at / sizeof looks_at[0];
    const struct wm_bypass_ops *const *table = wm_bypass_table(&count);
    for (size_t i = 0; i < count; i++) {
        size_t row = 0;
        while (row < rows && strcmp(looks_at[row].name, table[i]->name) != 0)
            row++;
        cr_assert_lt(row, rows, "say in looks_at what '%s' looks at", table[i]->name);
        play(table[i], NULL, FIELDS, as_is);
        for (int field = 0; field < FIELDS; field++) {
            play(table[i], NULL, (enum field)field, changed);
            cr_expect_eq(memcmp(as_is, changed, EVENTS) != 0, looks_at[row].fields >> field & 1,
                         "%s, field %d", table[i]->name, field);
        }
    }
}

Test(bypass_contract, no_two_entries_are_the_same)
{
    static uint8_t first[EVENTS], second[EVENTS];
    size_t count;
    const struct wm_bypass_ops *const *table = wm_bypass_table(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            play(table[i], NULL, FIELDS, first);
            play(table[j], NULL, FIELDS, second);
            cr_expect(memcmp(first, second, EVENTS) != 0, "%s is %s", table[i]->name,
                      table[j]->name);
        }
}

// A parameter is read: some value in its range changes a decision.
Test(bypass_contract, every_parameter_matters)
{
    static uint8_t usual[EVENTS], other[EVENTS];
    size_t count, parameters = 0;
    const struct wm_bypass_ops *const *table = wm_bypass_table(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t at = 0; at < table[i]->parameter_count; at++, parameters++) {
            uint64_t given[WM_MAX_PARAMETERS];
            for (size_t j = 0; j < table[i]->parameter_count; j++)
                given[j] = table[i]->parameters[j].fallback;
            if (given[at]++ == table[i]->parameters[at].maximum)
                given[at] = table[i]->parameters[at].minimum;
            play(table[i], NULL, FIELDS, usual);
            play(table[i], given, FIELDS, other);
            cr_expect(memcmp(usual, other, EVENTS) != 0, "%s: %s", table[i]->name,
                      table[i]->parameters[at].name);
        }
    cr_assert_geq(parameters, 1);
}

// The thesis: a load is cached when it touches fewer lines than its warp has in L1, were these
// divided among the warps; counted out here one line a warp at a time.
static bool fits(uint32_t lines, uint32_t warps)
{
    uint32_t each = 0;
    for (uint32_t left = SETS * WAYS; left >= warps; left -= warps)
        each++;
    return lines < each;
}

Test(bypass_contract, contention_divides_the_lines_among_the_warps)
{
    _Alignas(64) unsigned char state[64] = {0};
    uint64_t parameters[WM_MAX_PARAMETERS] = {0};
    struct wm_bypass_geometry geometry = {
        .sets = SETS, .ways = WAYS, .line_bytes = 128, .parameters = parameters};
    cr_assert_leq(wm_bypass_contention.state_bytes, sizeof state);
    wm_bypass_contention.reset(state, &geometry);
    for (uint32_t warps = 1; warps <= 64; warps++)
        for (uint32_t lines = 1; lines <= 300; lines++) {
            struct wm_bypass_event event = {.lines = lines, .resident_warps = warps, .sm = 3};
            cr_assert_eq(wm_bypass_contention.decide(state, &event),
                         fits(lines, warps) ? WM_BYPASS_NO : WM_BYPASS_YES, "%u lines, %u warps",
                         lines, warps);
        }
}

// PTX ISA 9.7.9.1 and 9.7.9.2: .cg is for L2 alone, L1::no_allocate takes no line, and no other
// says anything of L1. The entries that do as operators say do so where nothing else decides.
Test(bypass_contract, operators_mean_what_the_isa_says)
{
    static const struct wm_bypass_ops *const obedient[] = {&wm_bypass_cache_operator,
                                                           &wm_bypass_per_pc};
    for (size_t i = 0; i < 2; i++)
        for (int hint = 0; hint <= WM_HINT_NO_L1; hint++) {
            struct wm_bypass_event event = {.hint = (enum wm_cache_hint)hint, .lines = 1};
            enum wm_bypass_decision expected = hint == WM_HINT_L2_ONLY ? WM_BYPASS_LOOKUP
                                               : hint == WM_HINT_NO_L1 ? WM_BYPASS_ALLOCATION
                                                                       : WM_BYPASS_NO;
            cr_expect_eq(obedient[i]->decide(NULL, &event), expected, "%s, hint %d",
                         obedient[i]->name, hint);
        }
}

// As plugin.h says of each entry of a list, before what the operator says.
Test(bypass_contract, a_list_means_what_its_words_say)
{
    static const enum wm_bypass_decision expected[] = {
        [WM_BYPASS_LISTED_BYPASS] = WM_BYPASS_YES,
        [WM_BYPASS_LISTED_CACHE] = WM_BYPASS_NO,
        [WM_BYPASS_LISTED_L2] = WM_BYPASS_LOOKUP,
        [WM_BYPASS_LISTED_NO_ALLOCATE] = WM_BYPASS_ALLOCATION,
    };
    for (int hint = 0; hint <= WM_HINT_NO_L1; hint++)
        for (int listed = WM_BYPASS_LISTED_BYPASS; listed <= WM_BYPASS_LISTED_NO_ALLOCATE;
             listed++) {
            struct wm_bypass_event event = {.hint = (enum wm_cache_hint)hint,
                                            .listed = (enum wm_bypass_list_entry)listed,
                                            .lines = 1};
            cr_expect_eq(wm_bypass_per_pc.decide(NULL, &event), expected[listed],
                         "entry %d, hint %d", listed, hint);
        }
}
