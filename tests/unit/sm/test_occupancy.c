// Occupancy against the vendor's numbers for Volta and Fermi, each limiter in turn, and the errors.
#include "volta_sm.h"

#include <criterion/criterion.h>

static void expect(struct wm_sm_spec spec, struct wm_block_resources needs, uint32_t blocks,
                   uint32_t warps, const char *limiter)
{
    struct wm_occupancy occupancy;
    struct wm_error error;
    cr_assert_eq(wm_occupancy_of(&spec, &needs, &occupancy, &error), WM_OK, "%s", error.message);
    cr_assert_eq(occupancy.blocks, blocks, "%u blocks, not %u", occupancy.blocks, blocks);
    cr_assert_eq(occupancy.warps, warps);
    cr_assert_str_eq(occupancy.limiter, limiter);
}

Test(occupancy, each_limiter_in_turn)
{
    expect(volta_sm(), (struct wm_block_resources){256, 32, 0}, 8, 64, "threads");
    expect(volta_sm(), (struct wm_block_resources){256, 64, 0}, 4, 32, "registers");
    expect(volta_sm(), (struct wm_block_resources){32, 16, 0}, 32, 32, "blocks");
    expect(volta_sm(), (struct wm_block_resources){128, 16, 33 * 1024}, 2, 8, "shared memory");
    struct wm_sm_spec few_warps = volta_sm();
    few_warps.max_warps = 48;
    expect(few_warps, (struct wm_block_resources){256, 16, 0}, 6, 48, "warps");
}

Test(occupancy, registers_round_up_a_warp_at_a_time)
{
    // 33 registers take 1,056 a warp, rounded to 1,280: 51 warps, so 6 blocks of 8 warps.
    expect(volta_sm(), (struct wm_block_resources){256, 33, 0}, 6, 48, "registers");
}

Test(occupancy, shared_memory_rounds_up_a_block_at_a_time)
{
    struct wm_sm_spec spec = volta_sm();
    spec.shared_allocation_unit = 1024;
    expect(spec, (struct wm_block_resources){64, 16, 12 * 1024}, 8, 16, "shared memory");
    expect(spec, (struct wm_block_resources){64, 16, 12 * 1024 + 1}, 7, 14, "shared memory");
}

Test(occupancy, a_part_of_a_warp_takes_a_whole_one)
{
    expect(volta_sm(), (struct wm_block_resources){33, 16, 0}, 32, 64, "threads");
}

Test(occupancy, wavefronts_of_64)
{
    struct wm_sm_spec spec = volta_sm();
    spec.warp_width = 64;
    spec.max_warps = 32;
    expect(spec, (struct wm_block_resources){256, 32, 0}, 8, 32, "threads");
}

static void expect_refused(struct wm_block_resources needs, enum wm_status status,
                           const char *first, const char *second)
{
    struct wm_sm_spec spec = volta_sm();
    struct wm_occupancy occupancy;
    struct wm_error error;
    cr_assert_eq(wm_occupancy_of(&spec, &needs, &occupancy, &error), status);
    cr_assert_neq(strstr(error.message, first), NULL, "%s", error.message);
    cr_assert_neq(strstr(error.message, second), NULL, "%s", error.message);
    if (status == WM_LIMIT)
        cr_assert_neq(error.hint[0], '\0');
}

Test(occupancy, refusals_name_both_numbers)
{
    expect_refused((struct wm_block_resources){2048, 32, 0}, WM_LIMIT, "2048", "1024");
    expect_refused((struct wm_block_resources){256, 32, 98305}, WM_LIMIT, "98305", "98304");
    expect_refused((struct wm_block_resources){256, 300, 0}, WM_LIMIT, "300", "255");
    expect_refused((struct wm_block_resources){1024, 100, 0}, WM_LIMIT, "106496", "65536");
    expect_refused((struct wm_block_resources){0, 32, 0}, WM_INVALID, "0 threads", "block");
}

Test(occupancy, most_registers_is_the_largest_count_that_fits)
{
    struct wm_sm_spec spec = volta_sm();
    for (uint32_t threads = 1; threads <= 1024; threads += 31) {
        uint32_t most = wm_occupancy_most_registers(&spec, threads);
        struct wm_occupancy occupancy;
        struct wm_block_resources needs = {threads, most, 0};
        cr_assert_eq(wm_occupancy_of(&spec, &needs, &occupancy, NULL), WM_OK, "%u threads",
                     threads);
        needs.registers_per_thread++;
        cr_assert_eq(wm_occupancy_of(&spec, &needs, &occupancy, NULL), WM_LIMIT, "%u threads",
                     threads);
    }
}

// ---- Blocks of several launches ----------------------------------------------------------------

static uint32_t room(const struct wm_sm_spec *spec, const struct wm_block_resources *needs,
                     const struct wm_sm_use *use)
{
    return wm_occupancy_free_blocks(spec, needs, spec->shared_bytes, use);
}

// On an empty SM there is room for what a launch alone has there, and each block takes its part.
Test(occupancy, room_beside_blocks_of_the_same)
{
    struct wm_sm_spec spec = volta_sm();
    static const struct wm_block_resources all[] = {
        {256, 32, 0}, {256, 64, 0}, {32, 16, 0}, {128, 16, 33 * 1024}, {33, 16, 0}, {256, 33, 0}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        struct wm_sm_use use = {0};
        struct wm_occupancy occupancy;
        cr_assert_eq(wm_occupancy_of(&spec, &all[i], &occupancy, NULL), WM_OK);
        for (uint32_t taken = 0; taken <= occupancy.blocks; taken++) {
            cr_expect_eq(room(&spec, &all[i], &use), occupancy.blocks - taken, "case %zu", i);
            wm_occupancy_take(&spec, &all[i], &use);
        }
        for (uint32_t taken = 0; taken <= occupancy.blocks; taken++)
            wm_occupancy_leave(&spec, &all[i], &use);
        static const struct wm_sm_use nothing;
        cr_expect_arr_eq(&use, &nothing, sizeof use);
    }
}

// Each resource is added up over the blocks of all.
Test(occupancy, room_beside_blocks_of_others)
{
    struct wm_sm_spec spec = volta_sm(); // 2,048 threads, 65,536 registers, 96 KiB, 32 blocks
    struct wm_block_resources wide = {1024, 32, 0}, small = {64, 32, 0},
                              shared = {32, 16, 40 * 1024};
    struct wm_sm_use use = {0};
    wm_occupancy_take(&spec, &wide, &use);
    cr_expect_eq(room(&spec, &small, &use), 16); // threads, and registers
    wm_occupancy_take(&spec, &shared, &use);
    cr_expect_eq(room(&spec, &shared, &use), 1);
    cr_expect_eq(room(&spec, &wide, &use), 0);
    cr_expect_eq(room(&spec, &small, &use), 15);
    cr_expect_eq(wm_occupancy_free_blocks(&spec, &shared, 64 * 1024, &use),
                 0); // a smaller carve-out
    for (int i = 0; i < 15; i++)
        wm_occupancy_take(&spec, &small, &use);
    cr_expect_eq(room(&spec, &small, &use), 0);
    wm_occupancy_leave(&spec, &wide, &use);
    cr_expect_eq(room(&spec, &small, &use), 16); // blocks: 16 are there
    cr_expect_eq(room(&spec, &wide, &use), 1);   // threads, 992 of which are taken
}
