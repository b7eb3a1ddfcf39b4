// Belady's MIN: equal to what trying every choice finds, and never worse than any entry.
#include "base/numbers/random.h"
#include "mem/replacement/opt_two_pass.h"
#include "mem/set_index/entries.h"
#include "policy_runs.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint64_t opt_misses(uint32_t sets, uint32_t ways, const uint64_t *lines, size_t count)
{
    struct wm_opt_geometry geometry = {
        .sets = sets, .ways = ways, .line_bytes = 64, .set_index = &wm_set_index_modulo};
    uint64_t misses;
    struct wm_error error;
    cr_assert_eq(wm_opt_misses(&geometry, lines, count, &misses, &error), WM_OK);
    return misses;
}

// The fewest misses of one set by trying every victim of every miss.
static uint64_t fewest(const uint64_t *lines, size_t count, uint64_t *held, uint32_t used,
                       uint32_t ways)
{
    if (count == 0)
        return 0;
    for (uint32_t way = 0; way < used; way++)
        if (held[way] == lines[0])
            return fewest(lines + 1, count - 1, held, used, ways);
    if (used < ways) {
        held[used] = lines[0];
        return 1 + fewest(lines + 1, count - 1, held, used + 1, ways);
    }
    uint64_t best = UINT64_MAX;
    for (uint32_t way = 0; way < ways; way++) {
        uint64_t kept[4];
        memcpy(kept, held, sizeof kept);
        kept[way] = lines[0];
        uint64_t misses = 1 + fewest(lines + 1, count - 1, kept, used, ways);
        best = misses < best ? misses : best;
    }
    return best;
}

Test(opt, misses_as_few_as_any_choice_of_victims_can)
{
    struct wm_random random;
    wm_random_init(&random, 1, "opt");
    for (int i = 0; i < 300; i++) {
        uint64_t lines[14], held[4] = {0};
        uint32_t ways = 1 + (uint32_t)wm_random_below(&random, 3);
        for (size_t j = 0; j < 14; j++)
            lines[j] = wm_random_below(&random, 6);
        cr_assert_eq(opt_misses(1, ways, lines, 14), fewest(lines, 14, held, 0, ways));
    }
}

// The stream of the FIFO anomaly, whose optimum is known: 7 misses in 3 frames, 6 in 4.
Test(opt, counts_the_known_optimum)
{
    static const uint64_t stream[] = {1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5};
    cr_assert_eq(opt_misses(1, 3, stream, 12), 7);
    cr_assert_eq(opt_misses(1, 4, stream, 12), 6);
    cr_assert_eq(opt_misses(1, 4, stream, 0), 0);
}

// Of a cycle of T lines in K ways, (K-1)/(T-1) of the references hit (Qureshi et al., ISCA 2007).
Test(opt, hits_the_known_part_of_a_cycle)
{
    enum { CYCLE = 9, WAYS = 5, ROUNDS = 1000 };
    uint64_t lines[CYCLE * ROUNDS];
    for (size_t i = 0; i < CYCLE * ROUNDS; i++)
        lines[i] = i % CYCLE;
    double hits = 1 - (double)opt_misses(1, WAYS, lines, CYCLE * ROUNDS) / (CYCLE * ROUNDS);
    cr_assert_float_eq(hits, (WAYS - 1.0) / (CYCLE - 1.0), 0.01);
}

enum { REFERENCES = 20000 };

// Cycles that fit and that do not, scans, hot lines, and jumps, by turns.
static void mixed_stream(struct wm_random *random, uint64_t lines_of_cache, uint64_t *lines)
{
    uint64_t scan = 100000;
    for (size_t i = 0; i < REFERENCES;) {
        uint64_t kind = wm_random_below(random, 4), length = 1 + wm_random_below(random, 600);
        uint64_t cycle = 1 + wm_random_below(random, 2 * lines_of_cache);
        for (uint64_t j = 0; j < length && i < REFERENCES; j++, i++)
            lines[i] = kind == 0   ? j % cycle
                       : kind == 1 ? scan++
                       : kind == 2 ? wm_random_below(random, 4 * lines_of_cache)
                                   : wm_random_below(random, cycle);
    }
}

Test(opt, never_misses_more_than_any_entry)
{
    static const struct {
        uint32_t sets, ways;
    } shapes[] = {{1, 16}, {4, 4}, {16, 8}, {3, 24}, {64, 2}, {2, 64}};
    size_t count;
    const struct wm_replacement_ops *const *table = wm_replacement_table(&count);
    uint64_t *lines = calloc(REFERENCES, sizeof *lines);
    struct wm_random random;
    wm_random_init(&random, 2, "opt");
    bool some_entry_misses_more = false;
    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
        uint32_t sets = shapes[shape].sets, ways = shapes[shape].ways;
        mixed_stream(&random, (uint64_t)sets * ways, lines);
        uint64_t limit = opt_misses(sets, ways, lines, REFERENCES);
        for (size_t entry = 0; entry < count; entry++) {
            struct wm_cache cache;
            policy_cache_init(&cache, table[entry], sets, ways);
            uint64_t misses = 0;
            for (size_t i = 0; i < REFERENCES; i++)
                misses += !policy_read(&cache, lines[i]);
            cr_assert_leq(limit, misses, "'%s' misses less than can be", table[entry]->name);
            some_entry_misses_more |= misses > limit;
            wm_cache_release(&cache);
        }
    }
    cr_assert(some_entry_misses_more);
    free(lines);
}

Test(opt, refuses_what_is_no_cache)
{
    uint64_t line = 1, misses;
    struct wm_error error;
    struct wm_opt_geometry geometry = {
        .sets = 0, .ways = 4, .line_bytes = 64, .set_index = &wm_set_index_modulo};
    cr_assert_eq(wm_opt_misses(&geometry, &line, 1, &misses, &error), WM_INVALID);
    cr_assert(strstr(error.message, "0 sets") != NULL);
}
