// Time between clocks is exact: an edge is turned into the first edge that is not before it, or the
// last that is not after it, in whole cycles and not in rounded nanoseconds.
#include "base/numbers/clock_domain.h"
#include "base/numbers/random.h"

#include <criterion/criterion.h>

static const uint64_t frequencies[] = {1,          3,          1000,       999983,     1000000,
                                       876000000,  1000000000, 1410000000, 1593000000, 1755000000,
                                       1980000000, 2619000000, 4294967291};
enum { FREQUENCIES = sizeof frequencies / sizeof frequencies[0] };

Test(clock_domain, one_clock_is_itself)
{
    struct wm_clock_ratio ratio = wm_clock_ratio_of(1410000000, 1410000000);
    cr_assert_eq(ratio.from, 1);
    cr_assert_eq(ratio.to, 1);
    cr_assert_eq(wm_clock_convert(&ratio, 12345), 12345);
    cr_assert_eq(wm_clock_floor(&ratio, 12345), 12345);
}

// 3 cycles of one pass while 2 of the other do. Edges of the first lie at 0, 1/3, 2/3, 1; those of
// the second at 0, 1/2, 1.
Test(clock_domain, three_to_two)
{
    struct wm_clock_ratio ratio = wm_clock_ratio_of(1500, 1000);
    const uint64_t first_after[] = {0, 1, 2, 2, 3, 4, 4}, last_before[] = {0, 0, 1, 2, 2, 3, 4};
    cr_assert_eq(ratio.from, 3);
    cr_assert_eq(ratio.to, 2);
    for (uint64_t cycle = 0; cycle < 7; cycle++) {
        cr_expect_eq(wm_clock_convert(&ratio, cycle), first_after[cycle]);
        cr_expect_eq(wm_clock_floor(&ratio, cycle), last_before[cycle]);
    }
}

Test(clock_domain, never_stays_never)
{
    struct wm_clock_ratio ratio = wm_clock_ratio_of(7, 5), same = wm_clock_ratio_of(5, 5);
    cr_assert_eq(wm_clock_convert(&ratio, WM_NEVER), WM_NEVER);
    cr_assert_eq(wm_clock_convert(&same, WM_NEVER), WM_NEVER);
}

// At cycle c of a clock of f hertz it is c / f seconds: times are compared by cross products.
static void check_edge(uint64_t from_hz, uint64_t to_hz, uint64_t cycle)
{
    typedef unsigned __int128 wide;
    struct wm_clock_ratio ratio = wm_clock_ratio_of(from_hz, to_hz);
    uint64_t after = wm_clock_convert(&ratio, cycle), before = wm_clock_floor(&ratio, cycle);
    wide time = (wide)cycle * to_hz;
    cr_assert_geq(after, before);
    cr_assert((wide)after * from_hz >= time, "not before the edge");
    cr_assert(after == 0 || (wide)(after - 1) * from_hz < time, "the first such");
    cr_assert((wide)before * from_hz <= time, "not after the edge");
    cr_assert((wide)(before + 1) * from_hz > time, "the last such");
    cr_assert_geq(wm_clock_convert(&ratio, cycle + 1), after, "in order");
    cr_assert_geq(wm_clock_floor(&ratio, cycle + 1), before, "in order");
}

Test(clock_domain, all_pairs_are_exact_and_in_order)
{
    struct wm_random chance;
    wm_random_init(&chance, 5, "clock_domain");
    for (int i = 0; i < FREQUENCIES; i++)
        for (int j = 0; j < FREQUENCIES; j++) {
            for (uint64_t cycle = 0; cycle < 64; cycle++)
                check_edge(frequencies[i], frequencies[j], cycle);
            // As far as a day of the fastest clock; what comes out must fit as well.
            for (int n = 0; n < 64; n++)
                check_edge(frequencies[i], frequencies[j],
                           wm_random_below(&chance, frequencies[i] * 86400) + 1);
        }
}

// What an island has done before an edge of another clock stays before it: of two edges of which
// one is turned into the other, a third clock sees no other order.
Test(clock_domain, there_and_back_is_never_earlier)
{
    for (int i = 0; i < FREQUENCIES; i++)
        for (int j = 0; j < FREQUENCIES; j++) {
            struct wm_clock_ratio there = wm_clock_ratio_of(frequencies[i], frequencies[j]);
            struct wm_clock_ratio back = wm_clock_ratio_of(frequencies[j], frequencies[i]);
            for (uint64_t cycle = 0; cycle < 500; cycle++) {
                uint64_t far = wm_clock_convert(&there, cycle);
                cr_assert_leq(wm_clock_floor(&there, wm_clock_floor(&back, far)), far);
                cr_assert_geq(wm_clock_convert(&back, far), cycle);
                cr_assert_leq(wm_clock_floor(&back, wm_clock_floor(&there, cycle)), cycle);
            }
        }
}
