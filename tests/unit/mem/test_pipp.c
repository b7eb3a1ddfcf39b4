// PIPP against an obvious model (obvious_pipp.h) on random traffic.
#include "base/numbers/hash.h"
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "obvious_pipp.h"
#include "policy_runs.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MOST_SETS = 64, MOST_WAYS = 64, STEPS = 300000 };

// The chain as a list of lines, most recent first.
struct model {
    struct obvious_pipp pipp;
    uint64_t chain[MOST_SETS][MOST_WAYS];
    uint32_t held[MOST_SETS]; // lines in the set
};

static bool model_refer(struct model *model, const struct policy_reference *reference)
{
    struct obvious_pipp *pipp = &model->pipp;
    uint32_t set = (uint32_t)(reference->line % pipp->sets), at = 0;
    uint64_t *chain = model->chain[set];
    while (at < model->held[set] && chain[at] != reference->line)
        at++;
    bool hit = at < model->held[set];
    if (hit && obvious_pipp_promotes(pipp, reference->sm) && at > 0) {
        chain[at] = chain[at - 1];
        chain[at - 1] = reference->line;
    } else if (!hit) {
        model->held[set] -= model->held[set] == pipp->ways; // the last line goes
        uint32_t behind = obvious_pipp_behind(pipp, reference->sm), lines = model->held[set]++;
        uint32_t position = lines > behind ? lines - behind : 0;
        memmove(chain + position + 1, chain + position, (lines - position) * sizeof *chain);
        chain[position] = reference->line;
    }
    if (!reference->write_back)
        obvious_pipp_watch(pipp, set, reference->sm, reference->line);
    return hit;
}

// Each SM has a working set of its own size, which changes with time, so that targets depend on how
// much of the past counts; one streams.
static struct policy_reference draw(struct wm_random *random, uint64_t sets, uint64_t step)
{
    uint32_t sm = (uint32_t)wm_random_below(random, 6);
    uint64_t own = sets * (1 + (sm * 3 + step / 30000 * 7) % 17), base = (uint64_t)sm << 20;
    uint64_t line = sm == 5 ? base + step : base + wm_random_below(random, own);
    bool write_back = wm_random_below(random, 12) == 0;
    return (struct policy_reference){.line = 1 + line, .sm = sm, .write_back = write_back};
}

static void compare(uint32_t sets, uint32_t ways, uint32_t *streams_found)
{
    static struct model model;
    memset(&model, 0, sizeof model);
    obvious_pipp_init(&model.pipp, sets, ways,
                      wm_hash_bytes(POLICY_COMPONENT, strlen(POLICY_COMPONENT)));
    struct wm_cache cache;
    policy_cache_init(&cache, &wm_replacement_pipp, sets, ways);
    struct wm_random random;
    wm_random_init(&random, sets * 100 + ways, "traffic");
    for (uint64_t step = 0; step < STEPS; step++) {
        struct policy_reference reference = draw(&random, sets, step);
        bool expected = model_refer(&model, &reference);
        cr_assert_eq(policy_refer(&cache, &reference), expected, "%u sets of %u, step %lu", sets,
                     ways, (unsigned long)step);
    }
    cr_assert_geq(model.pipp.partitions, 3);
    *streams_found += model.pipp.streams_found;
    obvious_pipp_release(&model.pipp);
    wm_cache_release(&cache);
}

Test(pipp, is_its_obvious_model)
{
    static const uint32_t shapes[][2] = {{1, 8},  {4, 4}, {64, 16}, {48, 24},
                                         {2, 32}, {5, 2}, {2, 64}};
    uint32_t streams_found = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        compare(shapes[i][0], shapes[i][1], &streams_found);
    cr_assert_gt(streams_found, 0);
}

// Above 32 ways targets come in steps and all is still bounded: one SM alone owns every way.
Test(pipp, serves_more_ways_than_its_monitors_have)
{
    struct wm_cache cache;
    policy_cache_init(&cache, &wm_replacement_pipp, 2, 100);
    cr_assert_eq(policy_cycle(&cache, 1, 100, 500), 2 * 100 * 499);
    struct policy_reference next = {.line = 100000};
    policy_refer(&cache, &next);
    uint32_t way = (uint32_t)wm_cache_find(&cache, next.line, next.line);
    cr_assert_eq(wm_recency_position(&cache.recency, 0, way), 0);
    wm_cache_release(&cache);
}

// 64 ways are seen through half of the lines: SM 0's cycle of 40 lines is more than a monitor
// holds, and yet it gets about 40 ways.
Test(pipp, samples_lines_where_ways_are_many)
{
    struct wm_cache cache;
    policy_cache_init(&cache, &wm_replacement_pipp, 1, 64);
    for (uint64_t i = 0; i < 40000; i++) {
        struct policy_reference reference = {.line = i % 2 == 0 ? 1 + i / 2 % 40 : 100 + i / 2 % 15,
                                             .sm = i % 2};
        policy_refer(&cache, &reference);
    }
    struct policy_reference next = {.line = 100000};
    policy_refer(&cache, &next);
    uint32_t way = (uint32_t)wm_cache_find(&cache, next.line, next.line);
    uint32_t target = 64 - wm_recency_position(&cache.recency, 0, way);
    cr_assert(target >= 30 && target <= 56, "%u", target);
    wm_cache_release(&cache);
}
