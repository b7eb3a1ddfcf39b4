// Misses explained, on kernels whose classes and conflicts follow from their text. Their machine
// has one SM and an L1 of 32 lines; a sweep touches one sector a line.
#include "walk_fixture.h"

#include <criterion/criterion.h>

enum { LINES = 32, TIMES = 5 };

static struct walk_fixture fixture;

static void start(uint32_t ways)
{
    struct wm_machine machine = walk_test_machine();
    machine.sm.count = machine.memory.sm_count = 1;
    machine.memory.levels[WM_LEVEL_L1].cache.ways = ways;
    walk_fixture_init_explained(&fixture, &machine);
}

static const struct wm_instruction_result *access_of(const struct wm_results *results,
                                                     enum wm_access_kind kind,
                                                     enum wm_address_space space)
{
    const struct wm_kernel_result *kernel = &results->kernels[0];
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        if (kernel->instructions[i].space == space && kernel->instructions[i].kind == kind)
            return &kernel->instructions[i];
    cr_assert(false, "no such instruction");
    return NULL;
}

static uint64_t sum(const struct wm_results *results, const char *kind, const char *name)
{
    const struct wm_kernel_result *kernel = &results->kernels[0];
    return walk_component_sum(kernel->components, kernel->component_count, kind, name);
}

// Sweeps and expects these classes in L1; everything is cold once.
static void check_sweep(uint32_t ways, uint64_t lines, uint64_t stride, uint64_t cold,
                        uint64_t capacity, uint64_t conflict)
{
    start(ways);
    uint64_t a = walk_words(&fixture, lines * stride / 4);
    walk_run(&fixture, "sweep", 1, 32, (uint64_t[]){a, lines, stride, TIMES}, 4);
    struct wm_results *results = walk_take_results(&fixture);
    cr_assert(results->explained);
    const struct wm_instruction_result *load = access_of(results, WM_ACCESS_LOAD, WM_SPACE_GLOBAL);
    cr_assert_not_null(load->explained);
    cr_expect_eq(load->explained->levels[WM_LEVEL_L1].cold, cold);
    cr_expect_eq(load->explained->levels[WM_LEVEL_L1].capacity, capacity);
    cr_expect_eq(load->explained->levels[WM_LEVEL_L1].conflict, conflict);
    cr_expect_eq(load->counters.levels[WM_LEVEL_L1].misses, cold + capacity + conflict);
    cr_expect_eq(load->explained->levels[WM_LEVEL_L1].evicted_same_warp, capacity + conflict,
                 "there is one warp");
    cr_expect_eq(load->explained->levels[WM_LEVEL_L2].cold, lines, "L2 holds them all");
    cr_expect_eq(sum(results, "l1_explained", "cold"), cold);
    cr_expect_eq(sum(results, "l1_explained", "capacity"), capacity);
    cr_expect_eq(sum(results, "l1_explained", "conflict"), conflict);
    cr_expect_eq(sum(results, "l2_explained", "cold"), lines);
    walk_check_invariants(results);
    wm_results_free(results);
    walk_fixture_release(&fixture);
}

Test(explain, what_fits_is_cold_once)
{
    check_sweep(2, LINES, 128, LINES, 0, 0);
}

Test(explain, a_cyclic_sweep_over_one_line_too_many_has_capacity_misses)
{
    check_sweep(LINES, LINES + 1, 128, LINES + 1, (TIMES - 1) * (LINES + 1), 0);
}

Test(explain, a_stride_that_keeps_to_one_set_has_conflict_misses)
{
    check_sweep(2, 3, 16 * 128, 3, 0, (TIMES - 1) * 3);
}

Test(explain, a_kernel_starts_cold_where_l1_is_flushed)
{
    start(2);
    uint64_t a = walk_words(&fixture, LINES * 32);
    for (int launch = 0; launch < 2; launch++)
        walk_run(&fixture, "sweep", 1, 32, (uint64_t[]){a, LINES, 128, 1}, 4);
    struct wm_results *results = walk_take_results(&fixture);
    cr_expect_eq(sum(results, "l1_explained", "cold"), 2 * LINES);
    cr_expect_eq(sum(results, "l2_explained", "cold"), LINES);
    wm_results_free(results);
    walk_fixture_release(&fixture);
}

Test(explain, another_block_is_told_from_the_same_one)
{
    // Two blocks of one warp take turns at each load: each displaces what the other fetched.
    start(1);
    uint64_t a = walk_words(&fixture, 3 * 1024);
    walk_run(&fixture, "sweep", 2, 32, (uint64_t[]){a, 2, 32 * 128, TIMES}, 4);
    struct wm_results *results = walk_take_results(&fixture);
    const struct wm_instruction_misses *load =
        access_of(results, WM_ACCESS_LOAD, WM_SPACE_GLOBAL)->explained;
    cr_expect_eq(load->levels[WM_LEVEL_L1].cold, 2);
    cr_expect_gt(load->levels[WM_LEVEL_L1].conflict, 0);
    cr_expect_gt(load->levels[WM_LEVEL_L1].evicted_other_block +
                     load->levels[WM_LEVEL_L1].evicted_same_warp,
                 0);
    cr_expect_eq(load->levels[WM_LEVEL_L1].evicted_same_block, 0);
    cr_expect_eq(load->levels[WM_LEVEL_L1].evicted_other_block +
                     load->levels[WM_LEVEL_L1].evicted_same_warp,
                 load->levels[WM_LEVEL_L1].conflict);
    wm_results_free(results);
    // The same two warps in one block.
    walk_fixture_release(&fixture);
    start(1);
    a = walk_words(&fixture, 3 * 1024);
    walk_run(&fixture, "sweep", 1, 64, (uint64_t[]){a, 2, 32 * 128, TIMES}, 4);
    results = walk_take_results(&fixture);
    load = access_of(results, WM_ACCESS_LOAD, WM_SPACE_GLOBAL)->explained;
    cr_expect_eq(load->levels[WM_LEVEL_L1].evicted_other_block, 0);
    cr_expect_eq(load->levels[WM_LEVEL_L1].evicted_same_block +
                     load->levels[WM_LEVEL_L1].evicted_same_warp,
                 load->levels[WM_LEVEL_L1].conflict);
    wm_results_free(results);
    walk_fixture_release(&fixture);
}

Test(explain, what_an_atomic_changed_is_missed_for_coherence)
{
    start(2);
    uint64_t a = walk_words(&fixture, 32);
    walk_run(&fixture, "changed", 1, 1, (uint64_t[]){a}, 1);
    struct wm_results *results = walk_take_results(&fixture);
    cr_expect_eq(sum(results, "l1_explained", "cold"), 1);
    cr_expect_eq(sum(results, "l1_explained", "coherence"), 1);
    cr_expect_eq(sum(results, "l1", "misses"), 2);
    wm_results_free(results);
    walk_fixture_release(&fixture);
}

static void check_column(uint64_t pitch, uint64_t passes)
{
    start(2);
    walk_run(&fixture, "column", 2, 32, &pitch, 1);
    struct wm_results *results = walk_take_results(&fixture);
    const struct wm_instruction_misses *load =
        access_of(results, WM_ACCESS_LOAD, WM_SPACE_SHARED)->explained;
    const struct wm_instruction_misses *store =
        access_of(results, WM_ACCESS_STORE, WM_SPACE_SHARED)->explained;
    cr_expect_eq(load->shared_passes, 2 * passes);
    cr_expect_eq(load->shared_replays, 2 * (passes - 1));
    cr_expect_eq(store->shared_passes, 2);
    cr_expect_eq(store->shared_replays, 0);
    cr_expect_eq(sum(results, "shared", "accesses"), 4);
    cr_expect_eq(sum(results, "shared", "passes"), 2 * (passes + 1));
    cr_expect_eq(sum(results, "shared", "replays"), 2 * (passes - 1));
    wm_results_free(results);
    walk_fixture_release(&fixture);
}

Test(explain, a_column_of_a_tile_conflicts_in_all_banks)
{
    check_column(128, 32);
}

Test(explain, padding_takes_the_conflicts_away)
{
    check_column(132, 1);
}

Test(explain, reuse_distances_are_those_of_the_sweep)
{
    start(2);
    uint64_t a = walk_words(&fixture, (LINES + 1) * 32);
    walk_run(&fixture, "sweep", 1, 32, (uint64_t[]){a, LINES + 1, 128, TIMES}, 4);
    struct wm_results *results = walk_take_results(&fixture);
    const struct wm_instruction_misses *load =
        access_of(results, WM_ACCESS_LOAD, WM_SPACE_GLOBAL)->explained;
    cr_expect_eq(load->reuse_first, LINES + 1);
    cr_expect_eq(load->reuse_32, (TIMES - 1) * (LINES + 1), "32 others between two uses");
    cr_expect_eq(sum(results, "l1_reuse", "reuse_first"), LINES + 1);
    cr_expect_eq(sum(results, "l1_reuse", "reuse_32"), (TIMES - 1) * (LINES + 1));
    cr_expect_eq(sum(results, "sharing", "lines_read_by_1"), LINES + 1);
    wm_results_free(results);
    walk_fixture_release(&fixture);
}

Test(explain, lines_that_two_sms_read_are_shared)
{
    struct wm_machine machine = walk_test_machine();
    walk_fixture_init_explained(&fixture, &machine);
    uint64_t a = walk_words(&fixture, 10 * 32);
    for (int launch = 0; launch < 3; launch++) // of two blocks, then twice of one
        walk_run(&fixture, "sweep", launch == 0 ? 2 : 1, 32, (uint64_t[]){a, 10, 128, 2}, 4);
    struct wm_results *results = walk_take_results(&fixture);
    cr_expect_eq(sum(results, "sharing", "lines_read_by_2"), 10);
    cr_expect_eq(sum(results, "sharing", "lines_read_by_1"), 20);
    wm_results_free(results);
    walk_fixture_release(&fixture);
}

Test(explain, what_a_whole_line_brings_for_one_sector_is_unused)
{
    struct wm_machine machine = walk_test_machine();
    machine.sm.count = machine.memory.sm_count = 1;
    machine.memory.levels[WM_LEVEL_L1].cache.sector_bytes = 128;
    walk_fixture_init_explained(&fixture, &machine);
    uint64_t a = walk_words(&fixture, 2 * LINES * 32);
    walk_run(&fixture, "sweep", 1, 32, (uint64_t[]){a, 2 * LINES, 128, 1}, 4);
    struct wm_results *results = walk_take_results(&fixture);
    cr_expect_eq(sum(results, "l1", "evictions"), LINES);
    // Those displaced, and those left when the kernel ends: L1 is emptied then.
    cr_expect_eq(sum(results, "l1_explained", "fetched_bytes"), 2 * LINES * 128);
    cr_expect_eq(sum(results, "l1_explained", "unused_sector_bytes"), 2 * LINES * 96);
    cr_expect_eq(sum(results, "l1_explained", "unused_bytes"), 2 * LINES * 124);
    wm_results_free(results);
    walk_fixture_release(&fixture);
}

Test(explain, the_whole_kernel_is_listed)
{
    start(2);
    walk_run(&fixture, "column", 1, 32, (uint64_t[]){4}, 1);
    struct wm_results *results = walk_take_results(&fixture);
    const struct wm_kernel_result *kernel = &results->kernels[0];
    cr_assert_eq(kernel->listing_count, 10);
    cr_expect_str_eq(kernel->listing[2].text, "mov.u32 %r2, %tid.x");
    cr_expect_eq(kernel->listing[2].ptx_line + 6, kernel->listing[8].ptx_line);
    wm_results_free(results);
    walk_fixture_release(&fixture);
}

Test(explain, nothing_is_explained_unasked)
{
    struct wm_machine machine = walk_test_machine();
    walk_fixture_init(&fixture, &machine, true);
    walk_run(&fixture, "column", 1, 32, (uint64_t[]){4}, 1);
    struct wm_results *results = walk_take_results(&fixture);
    cr_expect_not(results->explained);
    cr_expect_null(results->kernels[0].instructions[0].explained);
    cr_expect_null(results->kernels[0].listing);
    for (uint32_t i = 0; i < results->component_count; i++)
        cr_expect_null(strstr(results->components[i].set->kind, "explained"));
    wm_results_free(results);
    walk_fixture_release(&fixture);
}
