// The contract of the kind "replacement" (mem/replacement/replacement.h), over every entry of its
// table and over entries made here to use each corner of the contract. A new entry is covered by
// being listed; the test of its own idea is its own.
#include "../rounds.h"
#include "base/numbers/random.h"
#include "mem/cache/cache.h"
#include "mem/cache/recency.h"
#include "mem/replacement/entries.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

// --- Entries of the test ---

// Chance, with state of every size: a stream for the array, a count of hits a set, an age a line.
static void chance_reset(void *array, const struct wm_replacement_geometry *geometry)
{
    wm_random_init(array, geometry->seed, "chance");
}

static void chance_hit(const struct wm_replacement_set *set, uint32_t way,
                       const struct wm_replacement_event *event)
{
    (void)event;
    ++*(uint32_t *)set->set;
    ((uint16_t *)set->lines)[way] = 0;
}

static void chance_insert(const struct wm_replacement_set *set, uint32_t way,
                          const struct wm_replacement_event *event)
{
    (void)event;
    ((uint16_t *)set->lines)[way] = 7;
    ((unsigned char *)set->set)[sizeof(uint32_t) + way / 64 * 8 + 7] = (unsigned char)way;
}

static int32_t chance_victim(const struct wm_replacement_set *set,
                             const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)event;
    uint32_t start = (uint32_t)wm_random_below(set->array, set->ways);
    for (uint32_t i = 0; i < set->ways; i++) {
        uint32_t way = (start + i) % set->ways;
        if (allowed == NULL || (allowed[way / 64] >> (way % 64) & 1))
            return (int32_t)way;
    }
    return WM_NO_WAY;
}

static const struct wm_replacement_ops chance = {
    .name = "chance",
    .title = "chance",
    .source = "this test",
    .sentence = "draws the victim",
    .array_state_bytes = sizeof(struct wm_random),
    .set_state_bytes = sizeof(uint32_t),
    .word_state_bytes = sizeof(uint64_t),
    .line_state_bytes = sizeof(uint16_t),
    .reset = chance_reset,
    .hit = chance_hit,
    .insert = chance_insert,
    .victim = chance_victim,
};

// The chain with every question asked at run time, as DIP, PIPP and DaCache will: where to insert
// depends on a counter of the set, promotion on the warp, protection on the way count.
static uint32_t asked_insert(const struct wm_replacement_set *set,
                             const struct wm_replacement_event *event)
{
    (void)event;
    uint32_t inserted = (*(uint32_t *)set->set)++;
    return inserted % 32 == 0 ? 0 : WM_CHAIN_LAST;
}

static uint32_t asked_promote(const struct wm_replacement_set *set, uint32_t way,
                              const struct wm_replacement_event *event)
{
    (void)set;
    (void)way;
    return event->warp;
}

static uint32_t asked_protect(const struct wm_replacement_set *set,
                              const struct wm_replacement_event *event)
{
    (void)event;
    return set->ways / 2;
}

static void asked_evict(const struct wm_replacement_set *set, uint32_t way,
                        const struct wm_replacement_event *event)
{
    (void)event;
    ((uint8_t *)set->lines)[way]++;
}

static const struct wm_replacement_ops asked = {
    .name = "asked",
    .title = "chain asked at every event",
    .source = "this test",
    .sentence = "answers the chain's questions at run time",
    .set_state_bytes = sizeof(uint32_t),
    .line_state_bytes = 1,
    .uses_chain = true,
    .chain_insert = asked_insert,
    .chain_promote = asked_promote,
    .chain_protect = asked_protect,
    .evict = asked_evict,
};

static const struct wm_replacement_ops first_in_first_out = {
    .name = "first-in",
    .title = "constant answers, no promotion",
    .source = "this test",
    .sentence = "displaces the line that came first",
    .uses_chain = true,
};

// --- An owner that keeps the promises and guards every byte around the states ---

enum { SETS = 5, GUARD = 64, STEPS = TEST_ROUNDS(4000) };

struct owner {
    const struct wm_replacement_ops *ops;
    struct wm_recency recency;
    uint32_t ways;
    unsigned char *array, *set_states, *line_states; // each with GUARD bytes on either side
    uint64_t *tags;                                  // SETS times ways, 0 empty
    uint64_t seed;
};

static unsigned char *guarded(size_t bytes)
{
    unsigned char *memory = malloc(bytes + 2 * GUARD);
    memset(memory, 0xa5, bytes + 2 * GUARD);
    memset(memory + GUARD, 0, bytes);
    return memory;
}

static void check_guard(const unsigned char *memory, size_t bytes, const char *name)
{
    for (size_t i = 0; i < GUARD; i++)
        cr_assert(memory[i] == 0xa5 && memory[GUARD + bytes + i] == 0xa5,
                  "'%s' wrote outside the state it declared", name);
}

static size_t set_bytes_of(const struct owner *owner)
{
    return wm_replacement_set_bytes(owner->ops, owner->ways);
}

static size_t line_bytes_of_set(const struct owner *owner)
{
    return owner->ways * owner->ops->line_state_bytes;
}

static void owner_reset(struct owner *owner)
{
    const struct wm_replacement_ops *ops = owner->ops;
    memset(owner->array + GUARD, 0, ops->array_state_bytes);
    memset(owner->set_states + GUARD, 0, SETS * set_bytes_of(owner));
    memset(owner->line_states + GUARD, 0, SETS * line_bytes_of_set(owner));
    memset(owner->tags, 0, SETS * owner->ways * sizeof *owner->tags);
    wm_recency_reset(&owner->recency);
    uint64_t parameters[WM_MAX_PARAMETERS] = {0};
    for (size_t i = 0; i < ops->parameter_count; i++)
        parameters[i] = ops->parameters[i].fallback;
    struct wm_replacement_geometry geometry = {
        .sets = SETS, .ways = owner->ways, .seed = owner->seed, .parameters = parameters};
    if (ops->reset != NULL)
        ops->reset(owner->array + GUARD, &geometry);
}

static void owner_init(struct owner *owner, const struct wm_replacement_ops *ops, uint32_t ways)
{
    *owner = (struct owner){.ops = ops, .ways = ways, .seed = 11};
    cr_assert(wm_recency_init(&owner->recency, SETS, ways));
    owner->array = guarded(ops->array_state_bytes);
    owner->set_states = guarded(SETS * set_bytes_of(owner));
    owner->line_states = guarded(SETS * line_bytes_of_set(owner));
    owner->tags = calloc((size_t)SETS * ways, sizeof *owner->tags);
    owner_reset(owner);
}

static void owner_release(struct owner *owner)
{
    check_guard(owner->array, owner->ops->array_state_bytes, owner->ops->name);
    check_guard(owner->set_states, SETS * set_bytes_of(owner), owner->ops->name);
    check_guard(owner->line_states, SETS * line_bytes_of_set(owner), owner->ops->name);
    wm_recency_release(&owner->recency);
    free(owner->array);
    free(owner->set_states);
    free(owner->line_states);
    free(owner->tags);
}

static struct wm_replacement_set view(struct owner *owner, uint32_t set)
{
    return (struct wm_replacement_set){
        .array = owner->array + GUARD,
        .set = owner->set_states + GUARD + set * set_bytes_of(owner),
        .lines = owner->line_states + GUARD + set * line_bytes_of_set(owner),
        .recency = &owner->recency,
        .index = set,
        .sets = SETS,
        .ways = owner->ways,
    };
}

static bool is_allowed(const uint64_t *allowed, uint32_t way)
{
    return allowed == NULL || (allowed[way / 64] >> (way % 64) & 1);
}

// One access; returns the way that was displaced, -1 when none was, -2 when none could be.
static int32_t owner_access(struct owner *owner, const struct wm_replacement_event *event,
                            uint32_t set, const uint64_t *allowed)
{
    struct wm_replacement_set at = view(owner, set);
    uint64_t *tags = owner->tags + (size_t)set * owner->ways;
    int32_t empty = -1;
    for (uint32_t way = 0; way < owner->ways; way++) {
        if (tags[way] == event->line) {
            wm_replacement_touched(owner->ops, &at, way, event);
            return -1;
        }
        if (tags[way] == 0 && empty < 0 && is_allowed(allowed, way))
            empty = (int32_t)way;
    }
    int32_t way = empty;
    if (way < 0) {
        way = wm_replacement_victim(owner->ops, &at, event, allowed);
        if (way == WM_NO_WAY)
            return -2;
        cr_assert(way >= 0 && (uint32_t)way < owner->ways, "'%s' chose way %d of %u",
                  owner->ops->name, way, owner->ways);
        cr_assert(is_allowed(allowed, (uint32_t)way), "'%s' chose a way that is not allowed",
                  owner->ops->name);
        struct wm_replacement_event leaving = *event;
        leaving.line = tags[way];
        if (owner->ops->evict != NULL)
            owner->ops->evict(&at, (uint32_t)way, &leaving);
    }
    tags[way] = event->line;
    uint32_t lines = 0;
    for (uint32_t other = 0; other < owner->ways; other++)
        lines += tags[other] != 0;
    wm_replacement_inserted(owner->ops, &at, (uint32_t)way, lines - 1, event);
    return empty >= 0 ? -1 : way;
}

static struct wm_replacement_event random_event(struct wm_random *random, uint32_t ways)
{
    return (struct wm_replacement_event){
        .line = 1 + wm_random_below(random, ways * 2),
        .pc = (uint32_t)wm_random_below(random, 16),
        .warp = (uint32_t)wm_random_below(random, 4),
        .sm = (uint32_t)wm_random_below(random, 2),
        .kind = (enum wm_access_kind)wm_random_below(random, 4),
        .write_back = wm_random_below(random, 8) == 0,
        .priority = (enum wm_eviction_priority)wm_random_below(random, WM_EVICT_UNCHANGED + 1),
    };
}

static void check_permutation(const struct wm_recency *recency, uint32_t set, const char *name)
{
    bool seen[1024] = {false};
    for (uint32_t position = 0; position < recency->ways; position++) {
        uint32_t way = wm_recency_way_at(recency, set, position);
        cr_assert(way < recency->ways && !seen[way], "'%s' broke the chain", name);
        seen[way] = true;
        cr_assert_eq(wm_recency_position(recency, set, way), position);
    }
}

// --- Over every entry ---

static const uint32_t way_counts[] = {1, 2, 4, 8, 16, 17, 64, 200};

static void each_entry(void (*check)(const struct wm_replacement_ops *ops, uint32_t ways))
{
    static const struct wm_replacement_ops *const own[] = {&chance, &asked, &first_in_first_out};
    size_t count;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&count);
    for (size_t i = 0; i < count + sizeof own / sizeof own[0]; i++) {
        if (i < count && table[i] == &wm_replacement_opt)
            continue; // no hooks to call: see test_replacement_cache_contract.c
        for (size_t j = 0; j < sizeof way_counts / sizeof way_counts[0]; j++)
            check(i < count ? table[i] : own[i - count], way_counts[j]);
    }
}

static void check_declaration(const struct wm_replacement_ops *ops, uint32_t ways)
{
    (void)ways;
    cr_assert(ops->name != NULL && ops->name[0] != '\0');
    cr_assert(ops->title != NULL && ops->source != NULL && ops->sentence != NULL);
    cr_assert(strlen(ops->source) > 0 && strlen(ops->sentence) > 0, "'%s'", ops->name);
    if (ops->uses_chain)
        cr_assert_null(ops->victim, "'%s' is a chain and chooses itself", ops->name);
    else
        cr_assert(ops->victim != NULL && ops->hit != NULL && ops->insert != NULL, "'%s'",
                  ops->name);
}

Test(replacement_contract, declares_itself)
{
    each_entry(check_declaration);
    size_t count;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&count);
    cr_assert_geq(count, 1);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(wm_replacement_find(table[i]->name), table[i], "two entries '%s'",
                     table[i]->name);
        for (const char *c = table[i]->name; *c != '\0'; c++)
            cr_assert((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '-',
                      "'%s' is no key", table[i]->name);
    }
    cr_assert_null(wm_replacement_find("nosuch"));
    const struct wm_replacement_ops *opt = &wm_replacement_opt;
    cr_assert(opt->title != NULL && strlen(opt->source) > 0 && strlen(opt->sentence) > 0);
}

// Any allowed way may be the only one; an entry chooses it or declines, and never another.
static void check_allowed(const struct wm_replacement_ops *ops, uint32_t ways)
{
    struct owner owner;
    owner_init(&owner, ops, ways);
    struct wm_random random;
    wm_random_init(&random, ways, "allowed");
    uint64_t none[(200 + 63) / 64] = {0};
    for (int step = 0; step < STEPS; step++) {
        uint64_t allowed[(200 + 63) / 64] = {0};
        for (uint32_t way = 0; way < ways; way++)
            allowed[way / 64] |= (uint64_t)wm_random_below(&random, 2) << (way % 64);
        uint32_t set = (uint32_t)wm_random_below(&random, SETS);
        struct wm_replacement_event event = random_event(&random, ways);
        uint64_t choice = wm_random_below(&random, 3);
        owner_access(&owner, &event, set, choice == 0 ? NULL : choice == 1 ? allowed : none);
        check_permutation(&owner.recency, set, ops->name);
    }
    owner_release(&owner);
}

Test(replacement_contract, chooses_only_allowed_ways_and_keeps_the_chain)
{
    each_entry(check_allowed);
}

// Two owners fed the same choose the same, though a third is fed differently in between: no state
// but what the owner holds. After a reset everything starts over.
static void check_determinism(const struct wm_replacement_ops *ops, uint32_t ways)
{
    struct owner first, second, other;
    owner_init(&first, ops, ways);
    owner_init(&second, ops, ways);
    owner_init(&other, ops, ways);
    struct wm_random noise;
    wm_random_init(&noise, 1, "noise");
    int32_t fresh[500];
    for (int round = 0; round < 2; round++) {
        struct wm_random random;
        wm_random_init(&random, ways, "determinism");
        for (int step = 0; step < STEPS; step++) {
            uint32_t set = (uint32_t)wm_random_below(&random, SETS);
            struct wm_replacement_event event = random_event(&random, ways);
            struct wm_replacement_event noisy = random_event(&noise, ways);
            int32_t victim = owner_access(&first, &event, set, NULL);
            owner_access(&other, &noisy, (set + 1) % SETS, NULL);
            cr_assert_eq(owner_access(&second, &event, set, NULL), victim, "'%s', %u ways, step %d",
                         ops->name, ways, step);
            if (step < 500 && round == 0)
                fresh[step] = victim;
            else if (step < 500)
                cr_assert_eq(victim, fresh[step], "'%s' remembers something over a reset",
                             ops->name);
        }
        owner_reset(&first);
        owner_reset(&second);
    }
    owner_release(&first);
    owner_release(&second);
    owner_release(&other);
}

Test(replacement_contract, depends_on_nothing_but_its_state)
{
    each_entry(check_determinism);
}

// An event of one set leaves the set and line states of the others as they were.
static void check_isolation(const struct wm_replacement_ops *ops, uint32_t ways)
{
    struct owner owner;
    owner_init(&owner, ops, ways);
    struct wm_random random;
    wm_random_init(&random, ways, "isolation");
    size_t set_bytes = SETS * set_bytes_of(&owner), line_bytes = SETS * line_bytes_of_set(&owner);
    unsigned char *sets = malloc(set_bytes + 1), *lines = malloc(line_bytes + 1);
    for (int step = 0; step < STEPS; step++) {
        uint32_t set = (uint32_t)wm_random_below(&random, SETS);
        struct wm_replacement_event event = random_event(&random, ways);
        memcpy(sets, owner.set_states + GUARD, set_bytes);
        memcpy(lines, owner.line_states + GUARD, line_bytes);
        owner_access(&owner, &event, set, NULL);
        for (uint32_t other = 0; other < SETS; other++) {
            size_t at = other * set_bytes_of(&owner), line_at = other * line_bytes_of_set(&owner);
            if (other == set)
                continue;
            cr_assert(memcmp(sets + at, owner.set_states + GUARD + at, set_bytes_of(&owner)) == 0 &&
                          memcmp(lines + line_at, owner.line_states + GUARD + line_at,
                                 line_bytes_of_set(&owner)) == 0,
                      "'%s' touched another set", ops->name);
        }
    }
    free(sets);
    free(lines);
    owner_release(&owner);
}

Test(replacement_contract, keeps_to_its_set)
{
    each_entry(check_isolation);
}

// What is hit for ever is not displaced for ever: a set no larger than its lines never misses
// again.
static void check_fit(const struct wm_replacement_ops *ops, uint32_t ways)
{
    struct owner owner;
    owner_init(&owner, ops, ways);
    for (int round = 0; round < 5; round++)
        for (uint64_t line = 1; line <= ways; line++) {
            struct wm_replacement_event event = {.line = line};
            cr_assert_eq(owner_access(&owner, &event, 2, NULL), -1,
                         "'%s' displaced a line that fits", ops->name);
        }
    owner_release(&owner);
}

Test(replacement_contract, keeps_what_fits)
{
    each_entry(check_fit);
}

// --- Entries differ, and each hook matters ---

enum { PLAY = 70000, PLAY_WAYS = 8 }; // longer than what PIPP learns in

// The ways that random events displace.
static void play(const struct wm_replacement_ops *ops, int8_t *victims)
{
    struct owner owner;
    struct wm_random random;
    owner_init(&owner, ops, PLAY_WAYS);
    wm_random_init(&random, 1, "play");
    for (int step = 0; step < PLAY; step++) {
        uint32_t set = (uint32_t)wm_random_below(&random, SETS);
        struct wm_replacement_event event = random_event(&random, PLAY_WAYS);
        event.line += event.sm * PLAY_WAYS; // SMs have lines of their own, and some in common
        victims[step] = (int8_t)owner_access(&owner, &event, set, NULL);
    }
    owner_release(&owner);
}

enum { MOST_ENTRIES = 32 };

// By the table's entries.
static int8_t plays[MOST_ENTRIES][PLAY];

static const struct wm_replacement_ops *const *played_table(size_t *count)
{
    const struct wm_replacement_ops *const *table = wm_replacement_table(count);
    cr_assert_leq(*count, MOST_ENTRIES);
    for (size_t i = 0; i < *count; i++)
        if (table[i] != &wm_replacement_opt)
            play(table[i], plays[i]);
    return table;
}

Test(replacement_contract, no_two_entries_are_the_same)
{
    size_t count;
    const struct wm_replacement_ops *const *table = played_table(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            cr_expect(memcmp(plays[i], plays[j], PLAY) != 0, "%s is %s", table[i]->name,
                      table[j]->name);
}

static void does_nothing(const struct wm_replacement_set *set, uint32_t way,
                         const struct wm_replacement_event *event)
{
    (void)set;
    (void)way;
    (void)event;
}

enum hook { HIT, INSERT, EVICT, CHAIN_INSERT, CHAIN_PROMOTE, CHAIN_PROTECT, HOOKS };

// Of the entry without one of its hooks; false when it has none such.
static bool without(struct wm_replacement_ops *ops, enum hook hook)
{
    bool had = false;
    switch (hook) {
    case HIT:
        had = ops->hit != NULL;
        ops->hit = does_nothing;
        break;
    case INSERT:
        had = ops->insert != NULL;
        ops->insert = does_nothing;
        break;
    case EVICT:
        had = ops->evict != NULL;
        ops->evict = NULL;
        break;
    case CHAIN_INSERT:
        had = ops->chain_insert != NULL;
        ops->chain_insert = NULL;
        break;
    case CHAIN_PROMOTE:
        had = ops->chain_promote != NULL;
        ops->chain_promote = NULL;
        break;
    case CHAIN_PROTECT:
        had = ops->chain_protect != NULL;
        ops->chain_protect = NULL;
        break;
    case HOOKS: break;
    }
    return had;
}

// Chance has nothing to learn from hits and new lines, and says so by doing nothing.
static bool is_idle(const struct wm_replacement_ops *ops, enum hook hook)
{
    return ops == &wm_replacement_random && (hook == HIT || hook == INSERT);
}

Test(replacement_contract, each_hook_of_each_entry_matters)
{
    static int8_t less[PLAY];
    size_t count, tried = 0;
    const struct wm_replacement_ops *const *table = played_table(&count);
    for (size_t i = 0; i < count; i++)
        for (int hook = 0; hook < HOOKS && table[i] != &wm_replacement_opt; hook++) {
            struct wm_replacement_ops lacking = *table[i];
            if (!without(&lacking, (enum hook)hook) || is_idle(table[i], (enum hook)hook))
                continue;
            tried++;
            play(&lacking, less);
            cr_expect(memcmp(plays[i], less, PLAY) != 0, "%s without hook %d is itself",
                      table[i]->name, hook);
        }
    cr_assert_geq(tried, 10);
}
