// Kinds of misses of an L1 that two SMs share, in the walk and in time: what is cold, and what
// fits, is so of the one cache (docs/misses.md, "Classes"). Each SM's part of it has 32 lines in 16
// sets.
#include "clock_forms.h"

#include <criterion/criterion.h>

enum { LINES = 32, SETS = 16, TIMES = 5 };

struct kinds {
    uint64_t cold, capacity, conflict, other_block, misses;
};

enum share { ALONE, SHARED_SMALL, SHARED_SETS, SHARED_WAYS };

static struct wm_machine machine_of(enum share share, uint32_t ways)
{
    struct wm_machine machine = simple_machine();
    struct wm_level_spec *l1 = &machine.memory.levels[WM_LEVEL_L1];
    machine.sm.count = machine.memory.sm_count = 2;
    l1->cache.ways = share == SHARED_WAYS ? 2 * ways : ways;
    l1->cache.size_bytes *= share >= SHARED_SETS ? 2 : 1;
    l1->units_each = share == ALONE ? 1 : 2;
    return machine;
}

// So many blocks, one on each SM, sweep over the same lines, each TIMES.
static struct kinds sweep(enum share share, bool timed, uint32_t ways, uint32_t blocks,
                          uint64_t lines, uint64_t stride)
{
    struct walk_fixture fixture;
    struct wm_machine machine = machine_of(share, ways);
    (timed ? walk_fixture_init_explained_timed : walk_fixture_init_explained)(&fixture, &machine);
    uint64_t a = walk_words(&fixture, lines * stride / 4);
    walk_run(&fixture, "sweep", blocks, 32, (uint64_t[]){a, lines, stride, TIMES}, 4);
    struct wm_results *results = walk_take_results(&fixture);
    const struct wm_kernel_result *kernel = &results->kernels[0];
#define SUM(kind, name) walk_component_sum(kernel->components, kernel->component_count, kind, name)
    struct kinds kinds = {.cold = SUM("l1_explained", "cold"),
                          .capacity = SUM("l1_explained", "capacity"),
                          .conflict = SUM("l1_explained", "conflict"),
                          .other_block = SUM("l1_explained", "evicted_other_block"),
                          .misses = SUM("l1", "misses")};
    wm_results_free(results);
    walk_fixture_release(&fixture);
    cr_expect_eq(kinds.cold + kinds.capacity + kinds.conflict, kinds.misses);
    return kinds;
}

static void expect(struct kinds kinds, uint64_t cold, uint64_t capacity, uint64_t conflict)
{
    cr_expect(kinds.cold == cold && kinds.capacity == capacity && kinds.conflict == conflict,
              "%lu cold, %lu capacity, %lu conflict", kinds.cold, kinds.capacity, kinds.conflict);
}

// What both SMs read is cold once in the one cache, and once in each of two.
Test(explain_shared, sharing_takes_away_cold_misses)
{
    for (int timed = 0; timed < 2; timed++) {
        expect(sweep(ALONE, timed, 2, 2, LINES, 128), 2 * LINES, 0, 0);
        expect(sweep(SHARED_SMALL, timed, 2, 2, LINES, 128), LINES, 0, 0);
    }
}

// One SM's sweep over a line more than its part holds fits in the parts of two.
Test(explain_shared, sharing_takes_away_capacity_misses)
{
    for (int timed = 0; timed < 2; timed++) {
        expect(sweep(ALONE, timed, LINES, 1, LINES + 1, 128), LINES + 1, (TIMES - 1) * (LINES + 1),
               0);
        expect(sweep(SHARED_SMALL, timed, LINES, 1, LINES + 1, 128), LINES + 1,
               (TIMES - 1) * (LINES + 1), 0);
        expect(sweep(SHARED_SETS, timed, LINES, 1, LINES + 1, 128), LINES + 1, 0, 0);
        expect(sweep(SHARED_WAYS, timed, LINES, 1, LINES + 1, 128), LINES + 1, 0, 0);
    }
}

// Three lines of one set of two ways: twice the sets part them, twice the ways hold them; five
// lines of one set of twice the ways conflict, while those of twice the sets are three in one.
Test(explain_shared, sharing_takes_away_conflict_misses)
{
    for (int timed = 0; timed < 2; timed++) {
        expect(sweep(ALONE, timed, 2, 1, 3, SETS * 128), 3, 0, (TIMES - 1) * 3);
        expect(sweep(SHARED_SMALL, timed, 2, 1, 3, SETS * 128), 3, 0, (TIMES - 1) * 3);
        expect(sweep(SHARED_SETS, timed, 2, 1, 3, SETS * 128), 3, 0, 0);
        expect(sweep(SHARED_WAYS, timed, 2, 1, 3, SETS * 128), 3, 0, 0);
        expect(sweep(SHARED_SETS, timed, 2, 1, 5, SETS * 128), 5, 0, (TIMES - 1) * 3);
        expect(sweep(SHARED_WAYS, timed, 2, 1, 5, SETS * 128), 5, 0, (TIMES - 1) * 5);
    }
}
