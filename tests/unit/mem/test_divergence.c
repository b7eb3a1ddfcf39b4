// The parts of DaCache (mem/divergence/) against the paper's own numbers and worked examples: ICS
// 2015, sections 4.2 to 4.4, on its L1 of 32 sets of 8 ways with 2 schedulers of 24 warps.
#include "mem/divergence/divergence_aware.h"

#include <criterion/criterion.h>

static const struct wm_gauge paper = {.schedulers = 2, .warp_width = 32, .sets = 32, .ways = 8};

// Equation 1: two warps of priorities 0 and 2 "are assigned insertion positions of 0 and 4".
Test(divergence, lines_enter_where_equation_1_says)
{
    static const uint32_t expected[] = {0, 2, 4, 6};
    for (uint32_t rank = 0; rank < 24; rank++)
        cr_assert_eq(wm_gauge_position(&paper, rank), rank < 4 ? expected[rank] : 7, "%u", rank);
    // Half as many sets: a warp has two lines in each.
    struct wm_gauge half = paper;
    half.sets = 16;
    cr_assert_eq(wm_gauge_position(&half, 1), 4);
    cr_assert_eq(wm_gauge_position(&half, 2), 7);
    // Twice as many: warps share positions.
    struct wm_gauge twice = paper;
    twice.sets = 64;
    for (uint32_t rank = 0; rank < 24; rank++)
        cr_assert_eq(wm_gauge_position(&twice, rank), rank < 7 ? rank : 7);
}

// F = 0.25, 0.5 and 0.75 of 8 ways: p = 1, 3 and 5, which are 1, 2 and 3 warps a scheduler; the
// last position is no warp's.
Test(divergence, the_region_is_as_large_as_its_warps)
{
    cr_assert_eq(wm_gauge_region(&paper, 0), 0);
    for (uint32_t quarters = 1; quarters <= 3; quarters++) {
        uint32_t p = 8 * quarters / 4 - 1;
        cr_assert_eq(wm_gauge_region(&paper, (p + 1) / paper.schedulers), p + 1);
    }
    for (uint32_t warps = 4; warps <= 24; warps++)
        cr_assert_eq(wm_gauge_region(&paper, warps), 7);
}

// --- Figure 7, one transition after another ---

static struct wm_fully_cached_warps fcw(uint32_t warps)
{
    return wm_fully_cached_warps_of(2, 48, warps);
}

static void count(struct wm_fully_cached_warps *warps, uint32_t times, uint32_t rank, bool all)
{
    for (uint32_t i = 0; i < times; i++)
        wm_fully_cached_warps_count(warps, rank, all);
}

Test(divergence, the_count_begins_at_half_with_two_warps_a_scheduler)
{
    struct wm_fully_cached_warps warps = fcw(4);
    cr_assert_eq(warps.count, 128);
    cr_assert_eq(warps.warps, 4);
    cr_assert_eq(wm_fully_cached_warps_each(&warps), 2);
}

Test(divergence, fully_cached_loads_let_in_a_warp_more)
{
    struct wm_fully_cached_warps warps = fcw(4);
    count(&warps, 126, 5, true);
    cr_assert_eq(warps.count, 254);
    cr_assert_eq(warps.warps, 4);
    count(&warps, 1, 5, true);
    cr_assert_eq(warps.warps, 5);
    cr_assert_eq(warps.count, 128);
    cr_assert_eq(wm_fully_cached_warps_each(&warps), 3); // a scheduler's share is rounded up
}

Test(divergence, a_young_warps_misses_count_one)
{
    struct wm_fully_cached_warps warps = fcw(4);
    count(&warps, 127, 2, false); // ranks 0 and 1 are the two of each scheduler
    cr_assert_eq(warps.count, 1);
    cr_assert_eq(warps.warps, 4);
    count(&warps, 1, 2, false);
    cr_assert_eq(warps.warps, 3);
    cr_assert_eq(warps.count, 128);
}

Test(divergence, an_old_warps_misses_count_the_more)
{
    struct wm_fully_cached_warps warps = fcw(4);
    count(&warps, 1, 0, false);
    cr_assert_eq(warps.count, 128 - 4);
    count(&warps, 1, 1, false);
    cr_assert_eq(warps.count, 128 - 4 - 3);
    warps.count = 2;
    count(&warps, 1, 0, false); // not below zero
    cr_assert_eq(warps.warps, 3);
    cr_assert_eq(warps.count, 128);
}

Test(divergence, at_its_limits_the_count_is_full_and_stays)
{
    struct wm_fully_cached_warps warps = fcw(48);
    count(&warps, 1000, 30, true);
    cr_assert_eq(warps.warps, 48);
    cr_assert_eq(warps.count, 255);
    count(&warps, 1, 30, false);
    cr_assert_eq(warps.count, 254);
    warps = fcw(1);
    count(&warps, 1000, 30, false);
    cr_assert_eq(warps.warps, 1);
    cr_assert_eq(warps.count, 0);
    cr_assert_eq(wm_fully_cached_warps_each(&warps), 1); // of each scheduler one at least
    count(&warps, 1, 30, true);
    cr_assert_eq(warps.count, 1);
}

// --- The locality detector ---

Test(divergence, a_load_that_comes_back_has_locality)
{
    struct wm_locality_detector detector = {0};
    wm_locality_watch(&detector, 7, 100, true);
    cr_assert_eq(wm_locality_of(&detector, 7), WM_LOCALITY_UNKNOWN);
    wm_locality_watch(&detector, 7, 101, false); // a hit of a line that it did not fetch
    cr_assert_eq(wm_locality_of(&detector, 7), WM_LOCALITY_UNKNOWN);
    wm_locality_watch(&detector, 7, 100, false);
    cr_assert_eq(wm_locality_of(&detector, 7), WM_LOCALITY_SOME);
}

// A row of a stencil: the load of the left neighbours fetches lines 100 and 101. The load of the
// middle hits line 101. The load of the right neighbours hits line 101 and fetches line 102, which
// no load requests again.
Test(divergence, a_load_whose_line_another_load_requests_has_locality)
{
    enum { LEFT = 7, MIDDLE, RIGHT };
    struct wm_locality_detector detector = {0};
    wm_locality_watch(&detector, LEFT, 100, true);
    wm_locality_watch(&detector, LEFT, 101, true);
    wm_locality_watch(&detector, MIDDLE, 101, false);
    cr_assert_eq(wm_locality_of(&detector, LEFT), WM_LOCALITY_SOME);
    cr_assert_eq(wm_locality_of(&detector, MIDDLE), WM_LOCALITY_UNKNOWN); // it fetched nothing
    wm_locality_watch(&detector, RIGHT, 101, false);
    wm_locality_watch(&detector, RIGHT, 102, true);
    for (uint64_t line = 200; line < 213; line++) // with the three above the table is full
        wm_locality_watch(&detector, 20, line, true);
    cr_assert_eq(wm_locality_of(&detector, RIGHT), WM_LOCALITY_UNKNOWN);
    for (uint64_t line = 300; line < 303; line++)
        wm_locality_watch(&detector, 21, line, true);
    cr_assert_eq(wm_locality_of(&detector, RIGHT), WM_LOCALITY_NONE);
    cr_assert_eq(wm_locality_of(&detector, LEFT), WM_LOCALITY_SOME);
}

// Two loads miss the same line. The second one shows that the first has locality, and the line is
// watched for both.
Test(divergence, a_line_that_is_fetched_again_counts_for_its_first_load)
{
    struct wm_locality_detector detector = {0};
    wm_locality_watch(&detector, 7, 100, true);
    wm_locality_watch(&detector, 8, 100, true);
    cr_assert_eq(wm_locality_of(&detector, 7), WM_LOCALITY_SOME);
    cr_assert_eq(wm_locality_of(&detector, 8), WM_LOCALITY_UNKNOWN);
    wm_locality_watch(&detector, 9, 100, false);
    cr_assert_eq(wm_locality_of(&detector, 8), WM_LOCALITY_SOME);
}

Test(divergence, a_line_displaced_before_shows_that_there_is_none)
{
    struct wm_locality_detector detector = {0};
    for (uint64_t line = 0; line < 16; line++)
        wm_locality_watch(&detector, 7, line, true);
    cr_assert_eq(wm_locality_of(&detector, 7), WM_LOCALITY_UNKNOWN);
    wm_locality_watch(&detector, 9, 99, true); // displaces line 0
    cr_assert_eq(wm_locality_of(&detector, 7), WM_LOCALITY_NONE);
    cr_assert_eq(wm_locality_of(&detector, 9), WM_LOCALITY_UNKNOWN);
    // Known, it is watched no longer: its other lines change nothing, and it takes no room.
    wm_locality_watch(&detector, 7, 5, false);
    cr_assert_eq(wm_locality_of(&detector, 7), WM_LOCALITY_NONE);
    for (uint64_t line = 200; line < 300; line++)
        wm_locality_watch(&detector, 7, line, true);
    wm_locality_watch(&detector, 9, 99, false);
    cr_assert_eq(wm_locality_of(&detector, 9), WM_LOCALITY_SOME);
}

// 32 loads are known at a time; the first is forgotten for the next.
Test(divergence, the_profiler_forgets_what_it_knew_first)
{
    struct wm_locality_detector detector = {0};
    for (uint32_t pc = 0; pc < 33; pc++) {
        wm_locality_watch(&detector, pc, 1000 + pc, true);
        wm_locality_watch(&detector, pc, 1000 + pc, false);
    }
    cr_assert_eq(wm_locality_of(&detector, 0), WM_LOCALITY_UNKNOWN);
    for (uint32_t pc = 1; pc < 33; pc++)
        cr_assert_eq(wm_locality_of(&detector, pc), WM_LOCALITY_SOME, "%u", pc);
}

// --- Loads by how many of their lines they found ---

Test(divergence, loads_are_grouped_by_their_misses)
{
    struct wm_load_miss_counters counters = {0};
    for (uint32_t lines = 1; lines <= 32; lines++)
        for (uint32_t missed = 0; missed <= lines; missed++)
            wm_load_misses_count(&counters, lines, missed);
    cr_assert_eq(counters.coherent_loads, 2 + 3);
    cr_assert_eq(counters.coherent_loads_cached, 2);
    cr_assert_eq(counters.coherent_loads_missed_1, 2);
    cr_assert_eq(counters.coherent_loads_missed_2, 1);
    cr_assert_eq(counters.divergent_loads_cached, 30);
    cr_assert_eq(counters.divergent_loads_missed_1, 30);
    cr_assert_eq(counters.divergent_loads_missed_2, 30);
    cr_assert_eq(counters.divergent_loads_missed_32, 1);
    cr_assert_eq(counters.divergent_loads, 90 + counters.divergent_loads_missed_more + 1);
}
