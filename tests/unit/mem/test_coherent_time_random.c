// Many accesses under way at once, on random trees with little room: each read sees the last write,
// one cache alone writes, all that was begun is done, and at the end each home knows who holds
// what. So, too, with prefetchers and with loads that bypass their caches.
#include "base/numbers/random.h"
#include "coherent_tree.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { ACCESSES = TREE_TOKENS };

static struct tree_level random_level(struct wm_random *random, uint32_t most_sets)
{
    return (struct tree_level){.sets = 1 + (uint32_t)wm_random_below(random, most_sets),
                               .ways = 1 + (uint32_t)wm_random_below(random, 3),
                               .latency = (uint32_t)wm_random_below(random, 12),
                               .mshr_entries = 1 + (uint32_t)wm_random_below(random, 4),
                               .merges = 1 + (uint32_t)wm_random_below(random, 4),
                               .evictions = 1 + (uint32_t)wm_random_below(random, 3),
                               .slices = 1 + (uint32_t)wm_random_below(random, 3),
                               .link = (uint32_t)wm_random_below(random, 20)};
}

static enum wm_coherent_answer begin(struct tree *tree, uint32_t node,
                                     enum wm_coherent_access_kind kind, uint64_t line,
                                     uint32_t token, uint64_t cycle, bool bypasses)
{
    return bypasses && kind == WM_COHERENT_LOAD ? tree_load_past(tree, node, line, token, cycle)
                                                : tree_access(tree, node, kind, line, token, cycle);
}

static uint64_t bypassed_loads(const struct tree *tree)
{
    uint64_t sum = 0;
    for (uint32_t node = 0; node < tree->count; node++)
        for (uint32_t slice = 0; slice < tree->nodes[node].slices; slice++)
            sum += tree->caches[node][slice].counters.load_accesses_bypassed;
    return sum;
}

// `clients`: beside a cache with others above it make accesses there, too. `bypasses`: of so many
// loads of the highest caches, one does; 0: none.
static void run(struct tree *tree, struct wm_random *random, uint64_t lines, uint32_t pause,
                bool clients, uint32_t bypasses)
{
    uint64_t now = 0;
    uint32_t begun = 0;
    while (begun < ACCESSES) {
        uint32_t node = (uint32_t)wm_random_below(random, tree->count);
        if (clients ? tree->nodes[node].caches == NULL : !tree_is_leaf(tree, node))
            continue;
        uint32_t choice = (uint32_t)wm_random_below(random, 8);
        enum wm_coherent_access_kind kind = choice < 4   ? WM_COHERENT_LOAD
                                            : choice < 7 ? WM_COHERENT_STORE
                                                         : WM_COHERENT_LOCKED;
        uint64_t line = wm_random_below(random, lines);
        now += wm_random_below(random, pause);
        bool past =
            bypasses != 0 && tree_is_leaf(tree, node) && wm_random_below(random, bypasses) == 0;
        begun += !wm_coherent_is_blocked(begin(tree, node, kind, line, begun, now, past));
        cr_assert_lt(now, 10000000, "accesses are blocked for ever");
    }
    tree_settle(tree);
    for (uint32_t i = 0; i < ACCESSES; i++)
        cr_assert_neq(tree->done[i], WM_NEVER, "access %u is never done", i);
    cr_assert_gt(tree->reads, 0);
    cr_assert_eq(bypassed_loads(tree) != 0, bypasses != 0);
    tree_check_quiet(tree);
}

static uint64_t prefetched(const struct tree *tree, uint64_t *useful, uint64_t *refused)
{
    uint64_t sum = 0;
    for (uint32_t node = 0; node < tree->count; node++)
        for (uint32_t slice = 0;
             tree->nodes[node].prefetches != NULL && slice < tree->nodes[node].slices; slice++) {
            const struct wm_prefetcher_counters *one =
                &tree->levels[node].prefetchers.counters[slice];
            cr_assert_leq(one->supplied + one->dropped, one->prefetches);
            sum += one->prefetches;
            *useful += one->supplied;
            *refused += wm_coherent_caches_counters(tree->timed, node, slice)->prefetches_refused;
        }
    return sum;
}

static void run_trees(uint32_t count, const uint32_t *homes, bool has_directory, uint32_t depths,
                      const uint8_t *depth, const char *name)
{
    uint64_t came = 0, useful = 0, refused = 0;
    for (uint32_t seed = 0; seed < 28; seed++) {
        struct tree *tree = calloc(1, sizeof *tree);
        struct tree_level by_depth[4];
        const struct tree_level *levels[TREE_NODES];
        struct wm_random random;
        wm_random_init(&random, seed, name);
        for (uint32_t i = 0; i < depths; i++)
            by_depth[i] = random_level(&random, 4);
        if (has_directory)
            by_depth[0] = (struct tree_level){.latency = 5};
        for (uint32_t i = has_directory; i < depths && seed >= 12; i++) {
            by_depth[i].prefetch_lines = (uint32_t)wm_random_below(&random, 4);
            by_depth[i].mshr_entries += (uint32_t)wm_random_below(&random, 5);
        }
        for (uint32_t i = 0; i < count; i++)
            levels[i] = &by_depth[depth[i]];
        bool forwards = has_directory && seed % 4 < 2;
        (forwards ? tree_init_forwarding : tree_init)(tree, count, homes, levels);
        run(tree, &random, 2 + wm_random_below(&random, 40), seed % 2 == 0 ? 3 : 12, seed >= 12,
            seed < 12 ? 0 : 1 + seed % 3);
        came += prefetched(tree, &useful, &refused);
        tree_release(tree);
        free(tree);
    }
    cr_assert(came > 1000 && useful > 100 && refused > 1000, "%s: %lu, %lu, %lu", name,
              (unsigned long)came, (unsigned long)useful, (unsigned long)refused);
}

Test(coherent_time_random, caches_under_one)
{
    run_trees(5, (const uint32_t[]){4, 4, 4, 4, 4}, false, 2, (const uint8_t[]){1, 1, 1, 1, 0},
              "one");
}

Test(coherent_time_random, caches_under_a_directory)
{
    run_trees(4, (const uint32_t[]){3, 3, 3, 3}, true, 2, (const uint8_t[]){1, 1, 1, 0},
              "directory");
}

Test(coherent_time_random, three_levels)
{
    run_trees(9, (const uint32_t[]){5, 5, 6, 6, 7, 8, 8, 8, 8}, false, 3,
              (const uint8_t[]){2, 2, 2, 2, 2, 1, 1, 1, 0}, "three");
}

Test(coherent_time_random, two_sides_under_a_directory)
{
    run_trees(11, (const uint32_t[]){4, 5, 6, 6, 8, 8, 9, 9, 10, 10, 10}, true, 4,
              (const uint8_t[]){3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 0}, "sides");
}
