// When a load takes its lines: by hand on an L1 of two lines, where it decides a miss, and on a
// whole kernel.
#include "base/numbers/random.h"
#include "engine/access/front_end.h"
#include "walk_fixture.h"

#include <criterion/criterion.h>

enum { LINE = 128, PCS = 4 };

struct traced {
    struct wm_machine machine;
    struct wm_memory *memory;
    struct wm_front_end front_end;
    struct wm_sm_counters counters;
    struct wm_instruction_counters counters_by_pc[PCS];
    uint8_t spaces[PCS], listed[PCS];
};

// One SM whose L1 is one set of two lines under LRU.
static void init(struct traced *t, enum wm_l1_allocation allocation)
{
    *t = (struct traced){.machine = walk_test_machine()};
    t->machine.memory.levels[WM_LEVEL_L1].cache.size_bytes = (uint64_t)2 * LINE;
    t->machine.memory.levels[WM_LEVEL_L1].cache.ways = 2;
    t->machine.memory.levels[WM_LEVEL_L1].allocation = allocation;
    struct wm_error error;
    cr_assert_eq(wm_memory_new(&t->machine.memory, "gpu0", &t->memory, &error), WM_OK, "%s",
                 error.message);
    wm_front_end_init(&t->front_end, &t->machine, t->memory);
    t->front_end.counters = &t->counters;
    t->front_end.counters_by_pc = t->counters_by_pc;
    t->front_end.spaces = t->spaces;
    t->front_end.listed = t->listed;
}

// A warp's access of 4 bytes a lane to `count` lines by their numbers, the n-th lane to the n-th.
static void access_lines(struct traced *t, enum wm_access_kind kind, uint32_t pc,
                         const uint64_t *lines, uint32_t count)
{
    uint64_t addresses[WM_MAX_LANES] = {0};
    for (uint32_t i = 0; i < count; i++)
        addresses[i] = 0x10000 + lines[i] * LINE;
    struct wm_warp_access access = {.kind = kind,
                                    .space = WM_SPACE_GLOBAL,
                                    .pc = pc,
                                    .bytes_per_lane = 4,
                                    .lanes = 32,
                                    .active = (UINT64_C(1) << count) - 1,
                                    .addresses = addresses};
    wm_front_end_access(&t->front_end, &access);
}

// L1 holds lines 1 and 2, 2 used last. A warp then loads lines 0 and 1.
//   on-miss    0 displaces 1; 1 misses and displaces 2: two misses
//   streaming  1 hits; 0 displaces 2: one miss, and 1 is still there
static uint64_t misses_of_the_second_load(enum wm_l1_allocation allocation,
                                          enum wm_access_kind kind, bool *one_is_there)
{
    struct traced t;
    init(&t, allocation);
    access_lines(&t, WM_ACCESS_LOAD, 0, (const uint64_t[]){1, 2}, 2);
    access_lines(&t, kind, 1, (const uint64_t[]){0, 1}, 2);
    *one_is_there = wm_memory_l1_holds(t.memory, 0, 0x10000 + LINE);
    cr_expect_eq(t.counters_by_pc[0].levels[WM_LEVEL_L1].misses, 2);
    cr_expect_eq(t.counters_by_pc[1].requests, 2);
    cr_expect_eq(t.counters_by_pc[1].sectors, 2);
    uint64_t misses = t.counters_by_pc[1].levels[WM_LEVEL_L1].misses;
    wm_memory_free(t.memory);
    return misses;
}

Test(streaming, hits_go_before_the_misses_that_would_displace_them)
{
    bool there;
    cr_expect_eq(misses_of_the_second_load(WM_ALLOCATE_ON_MISS, WM_ACCESS_LOAD, &there), 2);
    cr_expect(there, "it came back as the last");
    cr_expect_eq(misses_of_the_second_load(WM_ALLOCATE_STREAMING, WM_ACCESS_LOAD, &there), 1);
    cr_expect(there);
}

// Stores are not loads: in order, whatever the allocation.
Test(streaming, stores_go_in_order)
{
    bool a, b;
    cr_expect_eq(misses_of_the_second_load(WM_ALLOCATE_STREAMING, WM_ACCESS_STORE, &a),
                 misses_of_the_second_load(WM_ALLOCATE_ON_MISS, WM_ACCESS_STORE, &b));
    cr_expect_eq(a, b);
}

// What is present is what was when the load began: line 1, brought by the same load, is no hit
// before line 3, and the absent ones keep their order. L1 holds 4 and 5; the load wants 0, 4, 1, 3.
//   4 hits; 0 displaces 5; 1 displaces 4; 3 displaces 0: 1 and 3 stay
Test(streaming, absent_lines_keep_their_order)
{
    struct traced t;
    init(&t, WM_ALLOCATE_STREAMING);
    access_lines(&t, WM_ACCESS_LOAD, 0, (const uint64_t[]){4, 5}, 2);
    access_lines(&t, WM_ACCESS_LOAD, 1, (const uint64_t[]){0, 4, 1, 3}, 4);
    cr_expect_eq(t.counters_by_pc[1].levels[WM_LEVEL_L1].hits, 1);
    cr_expect_eq(t.counters_by_pc[1].levels[WM_LEVEL_L1].misses, 3);
    static const bool held[] = {false, true, false, true, false, false};
    for (uint64_t line = 0; line < 6; line++)
        cr_expect_eq(wm_memory_l1_holds(t.memory, 0, 0x10000 + line * LINE), held[line]);
    wm_memory_free(t.memory);
}

// Gathers of eight lines a warp from twice what L1 holds: streaming asks for the same and misses
// less.
static struct wm_instruction_counters gather(enum wm_l1_allocation allocation)
{
    struct traced t;
    init(&t, allocation);
    struct wm_memory_spec spec = t.machine.memory;
    spec.levels[WM_LEVEL_L1].cache.size_bytes = (uint64_t)16 * LINE;
    wm_memory_free(t.memory);
    struct wm_error error;
    cr_assert_eq(wm_memory_new(&spec, "gpu0", &t.memory, &error), WM_OK);
    t.front_end.memory = t.memory;
    struct wm_random random;
    wm_random_init(&random, 1, "gathers");
    for (int i = 0; i < 2000; i++) {
        uint64_t lines[8];
        for (int lane = 0; lane < 8; lane++)
            lines[lane] = wm_random_below(&random, 32);
        access_lines(&t, WM_ACCESS_LOAD, 0, lines, 8);
    }
    wm_memory_free(t.memory);
    return t.counters_by_pc[0];
}

Test(streaming, gathers_ask_for_the_same_and_miss_less)
{
    struct wm_instruction_counters miss = gather(WM_ALLOCATE_ON_MISS);
    struct wm_instruction_counters stream = gather(WM_ALLOCATE_STREAMING);
    cr_expect_eq(miss.requests, stream.requests);
    cr_expect_eq(miss.sectors, stream.sectors);
    cr_expect_lt(stream.levels[WM_LEVEL_L1].misses, miss.levels[WM_LEVEL_L1].misses * 9 / 10,
                 "%lu and %lu", stream.levels[WM_LEVEL_L1].misses, miss.levels[WM_LEVEL_L1].misses);
}

// A kernel on the whole engine: the same requests, and the books balance.
static struct wm_instruction_counters run_stencil(enum wm_l1_allocation allocation)
{
    struct walk_fixture fixture;
    struct wm_machine machine = walk_test_machine();
    machine.memory.levels[WM_LEVEL_L1].allocation = allocation;
    walk_fixture_init(&fixture, &machine, true);
    uint64_t in = walk_words(&fixture, 4096), out = walk_words(&fixture, 4096);
    walk_run(&fixture, "stencil", 4, 1024, (uint64_t[]){in, out, 4096}, 3);
    struct wm_results *results = walk_take_results(&fixture);
    walk_check_invariants(results);
    struct wm_instruction_counters counters_by_pc = walk_causes(&results->kernels[0]);
    wm_results_free(results);
    walk_fixture_release(&fixture);
    return counters_by_pc;
}

Test(streaming, a_kernel_asks_for_the_same_and_the_books_balance)
{
    struct wm_instruction_counters miss = run_stencil(WM_ALLOCATE_ON_MISS);
    struct wm_instruction_counters stream = run_stencil(WM_ALLOCATE_STREAMING);
    cr_expect_eq(miss.requests, stream.requests);
    cr_expect_eq(miss.sectors, stream.sectors);
    cr_expect_leq(stream.levels[WM_LEVEL_L1].misses, miss.levels[WM_LEVEL_L1].misses);
}
