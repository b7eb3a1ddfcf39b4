// The contract of the kind "replacement" as a cache keeps it: which hook it calls when, and of
// what; and what is promised of opt, which has no hooks.
#include "../rounds.h"
#include "base/numbers/random.h"
#include "mem/cache/cache.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { SETS = 5, STEPS = TEST_ROUNDS(4000) };

static const uint32_t way_counts[] = {1, 2, 4, 8, 16, 17, 64, 200};

// --- A cache calls each hook when it should ---

static char heard[512];

static void note(char what, const struct wm_replacement_set *set, uint32_t way,
                 const struct wm_replacement_event *event)
{
    size_t length = strlen(heard);
    snprintf(heard + length, sizeof heard - length, "%c set %u way %u line %u pc %u sm %u; ", what,
             set->index, way, (unsigned)event->line, event->pc, event->sm);
}

static void note_reset(void *array, const struct wm_replacement_geometry *geometry)
{
    size_t length = strlen(heard);
    *(uint32_t *)array = 7;
    snprintf(heard + length, sizeof heard - length, "r %u sets of %u; ", geometry->sets,
             geometry->ways);
}

static void note_hit(const struct wm_replacement_set *set, uint32_t way,
                     const struct wm_replacement_event *event)
{
    note('h', set, way, event);
}

static void note_insert(const struct wm_replacement_set *set, uint32_t way,
                        const struct wm_replacement_event *event)
{
    ((uint8_t *)set->lines)[way]++;
    note('i', set, way, event);
}

static void note_evict(const struct wm_replacement_set *set, uint32_t way,
                       const struct wm_replacement_event *event)
{
    note('e', set, way, event);
}

static int32_t note_victim(const struct wm_replacement_set *set,
                           const struct wm_replacement_event *event, const uint64_t *allowed)
{
    note('v', set, 1, event);
    return allowed == NULL || (allowed[0] & 2) != 0 ? 1 : WM_NO_WAY;
}

static uint32_t note_chain_insert(const struct wm_replacement_set *set,
                                  const struct wm_replacement_event *event)
{
    note('I', set, 0, event);
    return 0;
}

static uint32_t note_chain_promote(const struct wm_replacement_set *set, uint32_t way,
                                   const struct wm_replacement_event *event)
{
    note('P', set, way, event);
    return WM_CHAIN_LAST;
}

static uint32_t note_chain_protect(const struct wm_replacement_set *set,
                                   const struct wm_replacement_event *event)
{
    note('X', set, 0, event);
    return 1;
}

static const struct wm_replacement_ops noting = {
    .name = "noting",
    .array_state_bytes = sizeof(uint32_t),
    .line_state_bytes = 1,
    .reset = note_reset,
    .hit = note_hit,
    .insert = note_insert,
    .evict = note_evict,
    .victim = note_victim,
};

static const struct wm_replacement_ops noting_chain = {
    .name = "noting-chain",
    .array_state_bytes = sizeof(uint32_t),
    .line_state_bytes = 1,
    .uses_chain = true,
    .reset = note_reset,
    .hit = note_hit,
    .insert = note_insert,
    .evict = note_evict,
    .chain_insert = note_chain_insert,
    .chain_promote = note_chain_promote,
    .chain_protect = note_chain_protect,
};

static void expect_heard(const char *what, const char *expected)
{
    cr_expect_str_eq(heard, expected, "%s: %s", what, heard);
    heard[0] = '\0';
}

static void read_as(struct wm_cache *cache, uint64_t line, uint32_t pc)
{
    struct wm_requester who = {.pc = pc, .sm = 3};
    wm_cache_read(cache, line, line, 1, true, &who);
}

static void two_by_two(struct wm_cache *cache, const struct wm_replacement_ops *ops)
{
    struct wm_cache_spec spec = {.present = true,
                                 .size_bytes = 2 * 2 * 32,
                                 .ways = 2,
                                 .line_bytes = 32,
                                 .sector_bytes = 32,
                                 .write_allocate = true,
                                 .replacement = ops,
                                 .set_index = &wm_set_index_modulo};
    struct wm_error error;
    heard[0] = '\0';
    cr_assert_eq(wm_cache_init(cache, &spec, "contract", &error), WM_OK);
    expect_heard("made", "r 2 sets of 2; ");
}

Test(replacement_contract, a_cache_calls_the_hooks_of_an_order_of_its_own)
{
    struct wm_cache cache;
    two_by_two(&cache, &noting);
    read_as(&cache, 1, 4);
    expect_heard("into an empty way", "i set 1 way 0 line 1 pc 4 sm 3; ");
    read_as(&cache, 3, 5);
    read_as(&cache, 1, 6);
    expect_heard("a hit", "i set 1 way 1 line 3 pc 5 sm 3; h set 1 way 0 line 1 pc 6 sm 3; ");
    read_as(&cache, 5, 7);
    expect_heard("a full set", "v set 1 way 1 line 5 pc 7 sm 3; e set 1 way 1 line 3 pc 7 sm 3; "
                               "i set 1 way 1 line 5 pc 7 sm 3; ");
    wm_cache_invalidate(&cache, 1, 1, 1);
    expect_heard("dropped", "e set 1 way 0 line 1 pc 0 sm 0; ");
    read_as(&cache, 7, 8);
    expect_heard("an empty way again", "i set 1 way 0 line 7 pc 8 sm 3; ");
    wm_cache_flush(&cache);
    expect_heard("flushed", "e set 1 way 0 line 7 pc 0 sm 0; e set 1 way 1 line 5 pc 0 sm 0; ");
    cr_expect_eq(*(uint32_t *)cache.array_state, 7, "the array's state stays");
    read_as(&cache, 0, 9);
    expect_heard("after it", "i set 0 way 0 line 0 pc 9 sm 3; ");
    wm_cache_reset(&cache);
    expect_heard("reset", "r 2 sets of 2; ");
    wm_cache_release(&cache);
}

Test(replacement_contract, a_cache_asks_a_chain_at_every_event)
{
    struct wm_cache cache;
    two_by_two(&cache, &noting_chain);
    read_as(&cache, 1, 4);
    read_as(&cache, 3, 5);
    expect_heard("empty ways", "I set 1 way 0 line 1 pc 4 sm 3; i set 1 way 0 line 1 pc 4 sm 3; "
                               "I set 1 way 0 line 3 pc 5 sm 3; i set 1 way 1 line 3 pc 5 sm 3; ");
    read_as(&cache, 1, 6);
    expect_heard("a hit", "P set 1 way 0 line 1 pc 6 sm 3; h set 1 way 0 line 1 pc 6 sm 3; ");
    read_as(&cache, 5, 7);
    expect_heard("a full set", "X set 1 way 0 line 5 pc 7 sm 3; e set 1 way 1 line 3 pc 7 sm 3; "
                               "I set 1 way 0 line 5 pc 7 sm 3; i set 1 way 1 line 5 pc 7 sm 3; ");
    wm_cache_release(&cache);
}

// --- opt ---
//
// It has no hooks: which way is the victim cannot be told when a victim is due, so it chooses no
// way, allowed or not, and an owner cannot use it through the events above. What is promised
// besides holds for a cache that has it: nothing but its own state, fresh after a reset; each set
// by itself; what fits is kept.

static void opt_cache(struct wm_cache *cache, uint32_t ways)
{
    struct wm_cache_spec spec = {.present = true,
                                 .size_bytes = (uint64_t)SETS * ways * 32,
                                 .ways = ways,
                                 .line_bytes = 32,
                                 .sector_bytes = 32,
                                 .write_allocate = true,
                                 .replacement = &wm_replacement_opt,
                                 .set_index = &wm_set_index_modulo};
    struct wm_error error;
    cr_assert_eq(wm_cache_init(cache, &spec, "contract", &error), WM_OK);
    cr_assert_not_null(cache->opt);
}

static bool opt_hits(struct wm_cache *cache, uint32_t set, uint64_t line_of_set)
{
    static const struct wm_requester nobody;
    uint64_t line = line_of_set * SETS + set;
    return wm_cache_read(cache, line, line, 1, true, &nobody).missing == 0;
}

Test(replacement_contract, opt_alone_has_no_hooks)
{
    size_t count;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&count);
    for (size_t i = 0; i < count; i++) {
        bool none = !table[i]->uses_chain && table[i]->hit == NULL && table[i]->insert == NULL &&
                    table[i]->victim == NULL && table[i]->evict == NULL;
        cr_assert_eq(none, table[i] == &wm_replacement_opt, "'%s'", table[i]->name);
    }
    cr_assert_eq(wm_replacement_find("opt"), &wm_replacement_opt);
}

Test(replacement_contract, opt_depends_on_nothing_but_its_state)
{
    for (size_t i = 0; i < sizeof way_counts / sizeof way_counts[0]; i++) {
        uint32_t ways = way_counts[i];
        struct wm_cache first, second, other;
        bool fresh[STEPS];
        opt_cache(&first, ways);
        opt_cache(&second, ways);
        opt_cache(&other, ways);
        for (int round = 0; round < 2; round++) {
            struct wm_random random;
            wm_random_init(&random, ways, "determinism");
            for (int step = 0; step < STEPS; step++) {
                uint32_t set = (uint32_t)wm_random_below(&random, SETS);
                uint64_t line = wm_random_below(&random, ways * 2);
                bool hit = opt_hits(&first, set, line);
                opt_hits(&other, set, line * 3 % (ways + 1));
                cr_assert_eq(opt_hits(&second, set, line), hit, "%u ways, step %d", ways, step);
                cr_assert(round == 0 || fresh[step] == hit, "remembers something over a reset");
                fresh[step] = hit;
            }
            wm_cache_reset(&first);
            wm_cache_reset(&second);
        }
        wm_cache_release(&first);
        wm_cache_release(&second);
        wm_cache_release(&other);
    }
}

// The same accesses of one set hit alike, whatever the other sets are used for.
Test(replacement_contract, opt_keeps_to_its_set)
{
    for (size_t i = 0; i < sizeof way_counts / sizeof way_counts[0]; i++) {
        struct wm_cache alone, among;
        struct wm_random random;
        opt_cache(&alone, way_counts[i]);
        opt_cache(&among, way_counts[i]);
        wm_random_init(&random, way_counts[i], "isolation");
        for (int step = 0; step < STEPS; step++) {
            uint64_t line = wm_random_below(&random, way_counts[i] * 2);
            uint64_t noise = wm_random_below(&random, way_counts[i] * 2);
            opt_hits(&among, 1 + (uint32_t)wm_random_below(&random, SETS - 1), noise);
            cr_assert_eq(opt_hits(&among, 0, line), opt_hits(&alone, 0, line));
        }
        wm_cache_release(&alone);
        wm_cache_release(&among);
    }
}

Test(replacement_contract, opt_keeps_what_fits)
{
    for (size_t i = 0; i < sizeof way_counts / sizeof way_counts[0]; i++) {
        struct wm_cache cache;
        opt_cache(&cache, way_counts[i]);
        for (int round = 0; round < 5; round++)
            for (uint64_t line = 0; line < way_counts[i]; line++)
                cr_assert_eq(opt_hits(&cache, 2, line), round > 0);
        wm_cache_release(&cache);
    }
}
