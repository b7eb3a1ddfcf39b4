// Instruction fetches through instruction caches, counted by hand: a loop that fits and one that
// does not, warps and SMs that share, lanes that part.
#include "walk_fixture.h"

#include <criterion/criterion.h>

enum { LOOP_LINES = 8, OTHER_LINES = 2, ROUNDS = 10 };

struct fetches {
    uint64_t accesses, missed, fills, l2_bytes;
};

static struct fetches fetch(const char *kernel_name, uint64_t size_bytes, uint32_t sms_each,
                            uint32_t blocks, uint32_t threads, uint64_t launches)
{
    struct wm_machine machine = walk_test_machine();
    machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION] =
        walk_side_cache(size_bytes, sms_each);
    machine.sm.instruction_bytes = 16;
    struct walk_fixture fixture;
    walk_fixture_init(&fixture, &machine, true);
    for (uint64_t i = 0; i < launches; i++)
        walk_run(&fixture, kernel_name, blocks, threads, (uint64_t[]){ROUNDS}, 1);
    struct wm_results *results = walk_take_results(&fixture);
    const struct wm_kernel_result *kernel = &results->kernels[0];
#define SUM(kind, name) walk_component_sum(kernel->components, kernel->component_count, kind, name)
    struct fetches sums = {SUM("instruction_cache", "accesses"),
                           SUM("instruction_cache", "accesses_missed"),
                           SUM("instruction_cache", "fills"), SUM("l2", "bytes_to_above")};
    walk_check_invariants(results);
    cr_expect_eq(kernel->fetches.requests, sums.accesses);
    cr_expect_eq(sums.fills, 2 * sums.missed, "lines are fetched whole");
    cr_expect_eq(sums.l2_bytes, 64 * sums.missed, "nothing else is fetched");
#undef SUM
    wm_results_free(results);
    walk_fixture_release(&fixture);
    return sums;
}

// 16 lines: each is missed once.
Test(fetch_walk, a_loop_that_fits)
{
    struct fetches f = fetch("long_loop", 1024, 1, 1, 32, 1);
    cr_expect_eq(f.accesses, OTHER_LINES + ROUNDS * LOOP_LINES);
    cr_expect_eq(f.missed, OTHER_LINES + LOOP_LINES);
}

// Four lines of LRU and a loop of eight: what comes next has always just gone.
Test(fetch_walk, a_loop_that_does_not_fit)
{
    struct fetches f = fetch("long_loop", 256, 1, 1, 32, 1);
    cr_expect_eq(f.accesses, OTHER_LINES + ROUNDS * LOOP_LINES);
    cr_expect_eq(f.missed, f.accesses);
}

Test(fetch_walk, warps_and_sms_share)
{
    uint64_t each = OTHER_LINES + ROUNDS * LOOP_LINES, lines = OTHER_LINES + LOOP_LINES;
    struct fetches f = fetch("long_loop", 1024, 1, 1, 96, 1);
    cr_expect_eq(f.accesses, 3 * each, "each warp enters for itself");
    cr_expect_eq(f.missed, lines, "and finds what another brought");
    f = fetch("long_loop", 1024, 1, 2, 32, 1);
    cr_expect_eq(f.missed, 2 * lines, "two SMs, two caches");
    f = fetch("long_loop", 1024, 2, 2, 32, 1);
    cr_expect_eq(f.accesses, 2 * each);
    cr_expect_eq(f.missed, lines, "two SMs, one cache");
}

// Emptied between kernels; and a warp that starts fetches, though another ended in the same line.
Test(fetch_walk, a_kernel_starts_anew)
{
    struct fetches f = fetch("long_loop", 1024, 1, 1, 32, 3);
    cr_expect_eq(f.accesses, 3 * (OTHER_LINES + ROUNDS * LOOP_LINES));
    cr_expect_eq(f.missed, 3 * (OTHER_LINES + LOOP_LINES));
    f = fetch("two_ways", 1024, 1, 1, 16, 1);
    uint64_t one = f.accesses;
    f = fetch("two_ways", 1024, 1, 40, 16, 1);
    cr_expect_eq(f.accesses, 40 * one);
}

// Lines of four: the head, two of each way, the return's. Lanes that part go through both ways.
Test(fetch_walk, lanes_that_part_fetch_both_ways)
{
    cr_expect_eq(fetch("two_ways", 1024, 1, 1, 16, 1).accesses, 1 + 2 + 1);
    struct fetches f = fetch("two_ways", 1024, 1, 1, 32, 1);
    cr_expect_eq(f.accesses, 1 + 2 + 2 + 1);
    cr_expect_eq(f.missed, 1 + 2 + 2 + 1);
}

// Code lies above all data: no address of a kernel's is within another's or near an allocation.
Test(fetch_walk, kernels_do_not_share_lines)
{
    struct wm_machine machine = walk_test_machine();
    machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION] = walk_side_cache(4096, 1);
    machine.memory.levels[WM_LEVEL_L2].cache.size_bytes = 1 << 20;
    machine.sm.instruction_bytes = 8;
    struct walk_fixture fixture;
    walk_fixture_init(&fixture, &machine, true);
    walk_run(&fixture, "long_loop", 1, 32, (uint64_t[]){1}, 1);
    walk_run(&fixture, "two_ways", 1, 32, (uint64_t[]){1}, 1);
    walk_run(&fixture, "long_loop", 1, 32, (uint64_t[]){1}, 1);
    struct wm_results *results = walk_take_results(&fixture);
    static const uint64_t lines[] = {2 * 5, 3};
    for (uint32_t k = 0; k < 2; k++) {
        const struct wm_kernel_result *kernel = &results->kernels[k];
        cr_expect_eq(walk_component_sum(kernel->components, kernel->component_count,
                                        "instruction_cache", "accesses_missed"),
                     lines[k]);
        // The second launch of the first kernel finds its code in L2.
        cr_expect_eq(
            walk_component_sum(kernel->components, kernel->component_count, "l2", "misses"),
            2 * (k == 0 ? 5 : 3));
    }
    wm_results_free(results);
    walk_fixture_release(&fixture);
}
