// Which carve-out of a unified array a launch gets: by hand for Volta's and Ampere's arrays, and
// for random ones against the rule said in other words.
#include "base/numbers/random.h"
#include "volta_sm.h"

#include <criterion/criterion.h>

enum { KIB = 1024 };

// CUDA C++ Programming Guide, "Shared Memory" of compute capability 7.x: 128 KiB for both.
static struct wm_sm_spec volta(void)
{
    struct wm_sm_spec spec = volta_sm();
    spec.unified_bytes = 128 * KIB;
    spec.carveouts = (struct wm_carveouts){6, {0, 8 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 96 * KIB}};
    return spec;
}

static struct wm_occupancy occupancy_of(const struct wm_sm_spec *spec,
                                        struct wm_block_resources needs)
{
    struct wm_occupancy occupancy = {0};
    struct wm_error error;
    cr_assert_eq(wm_occupancy_of(spec, &needs, &occupancy, &error), WM_OK, "%s", error.message);
    return occupancy;
}

static void expect(const struct wm_sm_spec *spec, struct wm_block_resources needs, uint32_t blocks,
                   uint64_t shared_kib)
{
    struct wm_occupancy occupancy = occupancy_of(spec, needs);
    cr_expect_eq(occupancy.blocks, blocks, "%u blocks, not %u", occupancy.blocks, blocks);
    cr_expect_eq(occupancy.shared_bytes, shared_kib * KIB, "%llu bytes, not %llu KiB",
                 (unsigned long long)occupancy.shared_bytes, (unsigned long long)shared_kib);
}

Test(carveout, holds_all_resident_blocks_and_no_more)
{
    struct wm_sm_spec spec = volta();
    expect(&spec, (struct wm_block_resources){256, 32, 0}, 8, 0);
    expect(&spec, (struct wm_block_resources){1024, 32, 1}, 2, 8);
    expect(&spec, (struct wm_block_resources){1024, 32, 4 * KIB}, 2, 8);
    expect(&spec, (struct wm_block_resources){1024, 32, 4 * KIB + 1}, 2, 16);
    expect(&spec, (struct wm_block_resources){1024, 32, 20 * KIB}, 2, 64);
    expect(&spec, (struct wm_block_resources){1024, 32, 48 * KIB}, 2, 96);
    expect(&spec, (struct wm_block_resources){1024, 32, 48 * KIB + 1}, 1, 64);
    expect(&spec, (struct wm_block_resources){1024, 32, 96 * KIB}, 1, 96);
}

// Kepler's array as the bypass study has it: 16 KiB of L1 unless the machine says otherwise.
Test(carveout, a_default_is_the_machines_for_all_kernels)
{
    struct wm_sm_spec spec = volta();
    spec.shared_bytes = spec.shared_bytes_per_block = 48 * KIB;
    spec.unified_bytes = 64 * KIB;
    spec.carveouts = (struct wm_carveouts){3, {16 * KIB, 32 * KIB, 48 * KIB}};
    spec.default_carveout_bytes = 48 * KIB;
    expect(&spec, (struct wm_block_resources){256, 32, 0}, 8, 48);
    expect(&spec, (struct wm_block_resources){256, 32, 16 * KIB}, 3, 48);
    spec.default_carveout_bytes = 16 * KIB;
    expect(&spec, (struct wm_block_resources){256, 32, 0}, 8, 16);
    expect(&spec, (struct wm_block_resources){256, 32, 16 * KIB}, 1, 16);
    // One block must fit, and a program's own preference comes first.
    expect(&spec, (struct wm_block_resources){256, 32, 16 * KIB + 1}, 1, 32);
    expect(&spec, (struct wm_block_resources){256, 32, 16 * KIB, 101}, 3, 48);
    spec.unified_bytes = 0;
    expect(&spec, (struct wm_block_resources){256, 32, 16 * KIB}, 3, 48);
}

Test(carveout, follows_from_what_else_limits_the_blocks)
{
    struct wm_sm_spec spec = volta();
    // 4 KiB a block: 8 blocks by threads need 32 KiB, 4 by registers 16, 2 of 1,024 threads 8.
    expect(&spec, (struct wm_block_resources){256, 32, 4 * KIB}, 8, 32);
    expect(&spec, (struct wm_block_resources){256, 64, 4 * KIB}, 4, 16);
    expect(&spec, (struct wm_block_resources){1024, 32, 4 * KIB}, 2, 8);
    expect(&spec, (struct wm_block_resources){64, 16, 4 * KIB}, 24, 96);
}

Test(carveout, what_the_system_reserves_counts_for_each_block)
{
    struct wm_sm_spec spec = volta();
    spec.shared_reserved_bytes = KIB;
    expect(&spec, (struct wm_block_resources){1024, 32, 0}, 2, 8);
    expect(&spec, (struct wm_block_resources){32, 16, 0}, 32, 32);
    expect(&spec, (struct wm_block_resources){1024, 32, 47 * KIB}, 2, 96);
    expect(&spec, (struct wm_block_resources){1024, 32, 48 * KIB}, 1, 64);
}

Test(carveout, a_preference_rules_as_far_as_one_block_fits)
{
    struct wm_sm_spec spec = volta();
    const struct {
        uint32_t percent, blocks, shared_kib;
        uint64_t block_kib;
    } cases[] = {
        {0, 8, 0, 0},     {50, 8, 64, 0}, {100, 8, 96, 0}, {33, 8, 32, 0},
        {34, 8, 64, 0},   {0, 1, 8, 8},   {0, 1, 32, 20},  {50, 3, 64, 20},
        {100, 4, 96, 20}, {8, 1, 8, 8},   {10, 2, 16, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect(&spec,
               (struct wm_block_resources){256, 32, cases[i].block_kib * KIB, cases[i].percent + 1},
               cases[i].blocks, cases[i].shared_kib);
}

Test(carveout, arrays_of_their_own_stay_as_they_are)
{
    struct wm_sm_spec spec = volta();
    spec.unified_bytes = 0;
    expect(&spec, (struct wm_block_resources){256, 32, 0}, 8, 96);
    expect(&spec, (struct wm_block_resources){256, 32, 20 * KIB, 1}, 4, 96);
}

// Without a preference a unified array holds as many blocks as one that is all shared memory would,
// and the next smaller carve-out would not hold them.
Test(carveout, never_costs_a_block)
{
    struct wm_random random;
    wm_random_init(&random, 1, "carveout");
    for (int i = 0; i < 20000; i++) {
        struct wm_sm_spec spec = volta();
        spec.shared_reserved_bytes = wm_random_below(&random, 3) * 512;
        struct wm_block_resources needs = {
            .threads = 1 + (uint32_t)wm_random_below(&random, 1024),
            .registers_per_thread = 16 + (uint32_t)wm_random_below(&random, 48),
            .shared_bytes = wm_random_below(&random, 95 * KIB) >> wm_random_below(&random, 16),
        };
        struct wm_occupancy occupancy = occupancy_of(&spec, needs);
        uint64_t block = needs.shared_bytes + spec.shared_reserved_bytes;
        uint64_t all = (block + 255) / 256 * 256 * occupancy.blocks;
        cr_assert_leq(all, occupancy.shared_bytes);
        for (size_t c = 0; c < 6 && spec.carveouts.bytes[c] < occupancy.shared_bytes; c++)
            cr_assert_gt(all, spec.carveouts.bytes[c]);
        spec.unified_bytes = 0;
        cr_assert_eq(occupancy_of(&spec, needs).blocks, occupancy.blocks);
    }
}
