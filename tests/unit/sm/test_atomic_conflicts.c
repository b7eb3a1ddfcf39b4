// Lanes of an atomic at one address: cases with known answers, and random ones against a count over
// all pairs of lanes.
#include "base/numbers/random.h"
#include "sm/conflicts/atomic_conflicts.h"

#include <criterion/criterion.h>

static uint64_t addresses[WM_MAX_LANES];

static struct wm_warp_access atomic_of(uint32_t lanes, uint64_t active)
{
    return (struct wm_warp_access){.kind = WM_ACCESS_REDUCTION,
                                   .space = WM_SPACE_GLOBAL,
                                   .bytes_per_lane = 4,
                                   .lanes = lanes,
                                   .active = active,
                                   .addresses = addresses};
}

static void expect_use(const struct wm_warp_access *access, uint32_t lanes, uint32_t conflicts,
                       uint32_t rounds)
{
    struct wm_atomic_use use = wm_atomic_use_of(access);
    cr_expect_eq(use.lanes, lanes, "%u lanes", use.lanes);
    cr_expect_eq(use.conflicts, conflicts, "%u conflicts", use.conflicts);
    cr_expect_eq(use.rounds, rounds, "%u rounds", use.rounds);
}

Test(atomic_conflicts, lanes_at_one_address_follow_one_another)
{
    for (uint32_t lane = 0; lane < 64; lane++)
        addresses[lane] = 4096;
    struct wm_warp_access access = atomic_of(32, UINT32_MAX);
    expect_use(&access, 32, 31, 32);
    access.active = 0xff;
    expect_use(&access, 8, 7, 8);
    access = atomic_of(64, UINT64_MAX);
    expect_use(&access, 64, 63, 64);
    access.active = 0;
    expect_use(&access, 0, 0, 0);
}

Test(atomic_conflicts, lanes_at_different_addresses_do_not)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = 4096 + 4 * (uint64_t)lane;
    struct wm_warp_access access = atomic_of(32, UINT32_MAX);
    expect_use(&access, 32, 0, 1);
    for (uint32_t lane = 0; lane < 8; lane++)
        addresses[4 * lane] = 4096;
    expect_use(&access, 32, 7, 8);
}

Test(atomic_conflicts, a_base_and_a_stride_say_the_same)
{
    struct wm_warp_access access = atomic_of(32, UINT32_MAX);
    access.addresses = NULL;
    access.base = 1 << 20;
    expect_use(&access, 32, 31, 32);
    access.stride = 4;
    expect_use(&access, 32, 0, 1);
    access.row_shift = 3; // four rows of eight lanes, all at the same eight words
    access.row_stride = 0;
    expect_use(&access, 32, 24, 4);
}

Test(atomic_conflicts, addresses_that_several_lanes_name_are_listed)
{
    struct wm_atomic_contention meetings[WM_MAX_LANES / 2];
    for (uint32_t lane = 0; lane < 32; lane++)
        addresses[lane] = lane < 20 ? 1024 : 1152 + 4 * (uint64_t)(lane & 1);
    addresses[31] = 4096;
    struct wm_warp_access access = atomic_of(32, UINT32_MAX);
    expect_use(&access, 32, 28, 20);
    cr_assert_eq(wm_atomic_contentions(&access, meetings), 3);
    cr_expect(meetings[0].address == 1024 && meetings[0].lanes == 20);
    cr_expect(meetings[1].address == 1152 && meetings[1].lanes == 6);
    cr_expect(meetings[2].address == 1156 && meetings[2].lanes == 5);
    for (uint32_t lane = 0; lane < 64; lane++)
        addresses[lane] = 4 * (lane / 2); // the most that there can be
    access = atomic_of(64, UINT64_MAX);
    cr_expect_eq(wm_atomic_contentions(&access, meetings), 32);
    access.active = UINT64_C(0x5555555555555555);
    cr_expect_eq(wm_atomic_contentions(&access, meetings), 0);
}

Test(atomic_conflicts, random_lanes_as_pairs_have_them)
{
    struct wm_random random;
    wm_random_init(&random, 26, "atomics");
    for (uint32_t round = 0; round < 2000; round++) {
        uint32_t lanes = round % 2 == 0 ? 32 : 64, taken = 0, distinct = 0, most = 0;
        uint64_t active = wm_random_u64(&random) & wm_all_lanes(lanes);
        uint64_t bins = 1 + wm_random_below(&random, 100);
        for (uint32_t lane = 0; lane < lanes; lane++)
            addresses[lane] = 4 * wm_random_below(&random, bins);
        for (uint32_t lane = 0; lane < lanes; lane++) {
            uint32_t before = 0, all = 0;
            for (uint32_t other = 0; other < lanes; other++) {
                bool like = (active >> other & 1) != 0 && addresses[other] == addresses[lane];
                all += like;
                before += like && other < lane;
            }
            if ((active >> lane & 1) == 0)
                continue;
            taken++;
            distinct += before == 0;
            most = all > most ? all : most;
        }
        struct wm_warp_access access = atomic_of(lanes, active);
        expect_use(&access, taken, taken - distinct, most);
    }
}
