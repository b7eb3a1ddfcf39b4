// The contract of the kind "prefetch" (warpmem/plugin.h), over every entry of its table.
#include "base/numbers/random.h"
#include "mem/prefetch/entries.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(prefetch_contract, every_entry_is_documented_and_found_by_name)
{
    size_t count;
    const struct wm_prefetch_ops *const *table = wm_prefetch_table(&count);
    cr_assert_geq(count, 2);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(wm_prefetch_find(table[i]->name), table[i]);
        cr_assert(table[i]->title[0] && table[i]->source[0] && table[i]->sentence[0]);
        cr_assert(table[i]->missed != NULL && table[i]->dropped != NULL, "%s", table[i]->name);
        cr_assert_leq(table[i]->parameter_count, WM_MAX_PARAMETERS);
    }
    cr_assert_null(wm_prefetch_find("nosuch"));
}

enum { GUARD = 64, EVENTS = 20000, LINES = 300 };

// What the owner knows of the lines that it has requested for an entry.
struct owner {
    uint32_t
        held[LINES * (1 + WM_MOST_PREFETCHES)]; // times that a line was requested, and not supplied
    uint64_t digest;
    uint32_t supplied, prefetched;
};

static void answer_to(const struct wm_prefetch_ops *ops, void *state, struct owner *owner,
                      struct wm_random *random)
{
    // One instruction reads on, others anything between.
    bool streams = wm_random_below(random, 8) != 0;
    struct wm_prefetch_event event = {.line = streams ? owner->digest % LINES
                                                      : wm_random_below(random, LINES),
                                      .pc = streams ? 7 : (uint32_t)wm_random_below(random, 50),
                                      .warp = streams ? 3 : (uint32_t)wm_random_below(random, 64)};
    struct wm_prefetch_answer answer = {0};
    ops->missed(state, &event, &answer);
    cr_assert_leq(answer.count, WM_MOST_PREFETCHES, "%s", ops->name);
    // Nothing is supplied that was not requested, or that was written since.
    cr_assert(!answer.supplies || owner->held[event.line] > 0, "%s line %d", ops->name,
              (int)event.line);
    owner->held[event.line] -= answer.supplies;
    owner->supplied += answer.supplies;
    owner->digest = streams ? event.line + 1 : owner->digest;
    for (uint32_t i = 0; i < answer.count; i++) {
        cr_assert_lt(answer.lines[i], sizeof owner->held / sizeof owner->held[0], "%s", ops->name);
        owner->held[answer.lines[i]]++;
        owner->prefetched++;
    }
}

static void play(const struct wm_prefetch_ops *ops, bool largest, struct owner *owner)
{
    uint64_t parameters[WM_MAX_PARAMETERS] = {0};
    for (size_t i = 0; i < ops->parameter_count; i++)
        parameters[i] = largest ? ops->parameters[i].maximum : ops->parameters[i].fallback;
    struct wm_prefetch_geometry geometry = {
        .sets = 16, .ways = 2, .line_bytes = 128, .seed = 7, .parameters = parameters};
    unsigned char *memory = malloc(ops->state_bytes + 2 * GUARD);
    memset(memory, 0xa5, ops->state_bytes + 2 * GUARD);
    void *state = memory + GUARD;
    memset(state, 0, ops->state_bytes);
    if (ops->reset != NULL)
        ops->reset(state, &geometry);
    struct wm_random random;
    wm_random_init(&random, 11, "prefetch");
    for (int i = 0; i < EVENTS; i++) {
        uint64_t line = wm_random_below(&random, LINES);
        if (wm_random_below(&random, 10) == 0) {
            bool held = ops->dropped(state, line);
            cr_assert(!held || owner->held[line], "%s says that it held line %d", ops->name,
                      (int)line);
            owner->held[line] = 0;
        } else {
            answer_to(ops, state, owner, &random);
        }
    }
    for (size_t i = 0; i < GUARD; i++)
        cr_assert(memory[i] == 0xa5 && memory[GUARD + ops->state_bytes + i] == 0xa5, "%s",
                  ops->name);
    free(memory);
}

Test(prefetch_contract, entries_supply_what_was_requested_for_them_and_no_more)
{
    size_t count;
    const struct wm_prefetch_ops *const *table = wm_prefetch_table(&count);
    for (size_t i = 0; i < 2 * count; i++) {
        struct owner one = {0}, other = {0};
        play(table[i / 2], i % 2 == 1, &one);
        play(table[i / 2], i % 2 == 1, &other);
        cr_assert_eq(memcmp(&one, &other, sizeof one), 0, "%s differs", table[i / 2]->name);
        bool none = table[i / 2] == &wm_prefetch_none;
        cr_assert(none ? one.prefetched == 0 : one.supplied > EVENTS / 8, "%s supplies %u",
                  table[i / 2]->name, one.supplied);
    }
}
