// Cache-conscious wavefront scheduling's scores: hand cases to the cycle, and random hits against
// sorting all warps in every cycle.
#include "sm/lost_locality.h"

#include "base/numbers/clock_domain.h"
#include "base/numbers/random.h"

#include <criterion/criterion.h>
#include <string.h>

static struct wm_lost_locality lost;

// Warps in slots 0 to `warps` - 1 that came in this order in cycle 0.
static void begin(uint32_t warps, uint32_t base, uint32_t factor)
{
    const struct wm_load_throttle_spec spec = {.base_score = base, .factor = factor};
    wm_lost_locality_begin(&lost, &spec);
    for (uint32_t slot = 0; slot < warps; slot++)
        wm_lost_locality_join(&lost, slot, 0);
}

// The first word of those held in `cycle`.
static uint64_t held_in(uint64_t cycle)
{
    if (wm_lost_locality_is_due(&lost, cycle))
        wm_lost_locality_find(&lost, cycle);
    return lost.held[0];
}

// --- By hand ---

Test(lost_locality, all_may_load_while_none_has_lost_anything)
{
    begin(4, 100, 8);
    cr_assert_eq(held_in(0), 0);
    cr_assert_eq(lost.changes, WM_NEVER);
    for (uint32_t slot = 0; slot < 4; slot++)
        cr_assert_eq(wm_lost_locality_score(&lost, slot, 5), 100);
}

// Equation 1 with one hit in 16 instructions: 1 * 8 * 400 / 16 = 200. The stack is then 2: 0 to
// 200, 0: to 300, 1: to 400, which is the cutoff, and 3 above it.
Test(lost_locality, a_hit_raises_a_score_and_pushes_the_last_above_the_cutoff)
{
    begin(4, 100, 8);
    wm_lost_locality_hit(&lost, 2, 10, 16);
    cr_assert_eq(wm_lost_locality_score(&lost, 2, 10), 200);
    cr_assert_eq(wm_lost_locality_score(&lost, 1, 10), 100);
    cr_assert_eq(held_in(10), 1 << 3);
    // It falls by one a cycle; as long as anything is above the base, the last is above the cutoff.
    cr_assert_eq(wm_lost_locality_score(&lost, 2, 70), 140);
    cr_assert_eq(held_in(109), 1 << 3);
    cr_assert_eq(wm_lost_locality_score(&lost, 2, 109), 101);
    cr_assert_eq(held_in(110), 0);
    cr_assert_eq(wm_lost_locality_score(&lost, 2, 1000), 100);
}

// Three hits in 16 instructions make 600, which is more than the cutoff: the first may load all the
// same, alone. With 250 above the base or less, 350 and 100 are, the second may at 100 + 200: 400
// less what is behind, so when the first has 300.
Test(lost_locality, the_first_always_may_and_others_follow_as_it_falls)
{
    begin(4, 100, 8);
    wm_lost_locality_hit(&lost, 2, 0, 16);
    wm_lost_locality_hit(&lost, 2, 0, 16);
    wm_lost_locality_hit(&lost, 2, 0, 16);
    cr_assert_eq(wm_lost_locality_score(&lost, 2, 0), 600);
    cr_assert_eq(held_in(0), 0xb, "all but 2");
    cr_assert_eq(lost.changes, 300);
    cr_assert_eq(held_in(299), 0xb);
    cr_assert_eq(held_in(300), 0xa, "300 + 100 is the cutoff: 0, the oldest, may");
    cr_assert_eq(held_in(400), 0x8, "200 + 100 + 100");
    cr_assert_eq(held_in(499), 0x8);
    cr_assert_eq(held_in(500), 0);
}

// A lower score of equation 1 leaves a higher one as it is.
Test(lost_locality, hits_raise_scores_and_never_lower_them)
{
    begin(4, 100, 8);
    wm_lost_locality_hit(&lost, 2, 0, 4); // 1 * 8 * 400 / 4
    cr_assert_eq(wm_lost_locality_score(&lost, 2, 0), 800);
    wm_lost_locality_hit(&lost, 2, 100, 32); // 2 * 8 * 400 / 32
    cr_assert_eq(wm_lost_locality_score(&lost, 2, 100), 700);
    wm_lost_locality_hit(&lost, 1, 100, 1000); // 3 * 8 * 400 / 1000 = 9, below the base
    cr_assert_eq(wm_lost_locality_score(&lost, 1, 100), 100);
}

// Whoever finishes leaves the stack, and the cutoff falls with it.
Test(lost_locality, a_warp_that_finishes_leaves_the_stack)
{
    begin(4, 100, 8);
    wm_lost_locality_hit(&lost, 2, 0, 16);
    cr_assert_eq(held_in(0), 1 << 3);
    wm_lost_locality_finish(&lost, 2);
    cr_assert_eq(held_in(1), 0);
    wm_lost_locality_hit(&lost, 3, 2, 40); // 2 * 8 * 300 / 40 = 120
    cr_assert_eq(held_in(2), 1 << 1, "3 and 0 and 1, of which 1 is the youngest");
    wm_lost_locality_join(&lost, 2, 3);
    cr_assert_eq(held_in(3), 1 << 2, "the youngest now");
}

Test(lost_locality, a_warp_alone_is_never_held)
{
    begin(1, 100, 8);
    wm_lost_locality_hit(&lost, 0, 0, 1);
    cr_assert_eq(wm_lost_locality_score(&lost, 0, 0), 800);
    cr_assert_eq(held_in(0), 0);
}

// --- Every cycle anew ---

enum { SLOTS = 40, CYCLES = 6000 };

struct warp {
    bool there;
    uint64_t came, score;
};

static struct warp warps[SLOTS];

static bool stands_before(uint32_t a, uint32_t b)
{
    if (warps[a].score != warps[b].score)
        return warps[a].score > warps[b].score;
    return warps[a].came < warps[b].came;
}

static uint32_t count_warps(void)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        count += warps[slot].there;
    return count;
}

// What is at and before a warp in the stack is at most the cutoff, or nothing is before it.
static bool is_held(uint32_t slot, uint64_t base)
{
    uint64_t height = warps[slot].score, before = 0;
    for (uint32_t other = 0; other < SLOTS; other++)
        if (warps[other].there && other != slot && stands_before(other, slot)) {
            height += warps[other].score;
            before++;
        }
    return before != 0 && height > base * count_warps();
}

static void compare(uint64_t cycle, uint64_t base)
{
    uint64_t held = held_in(cycle);
    uint32_t may = 0;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        if (!warps[slot].there)
            continue;
        may += (held >> slot & 1) == 0;
        cr_assert_eq(held >> slot & 1, is_held(slot, base), "cycle %lu, slot %u", cycle, slot);
        cr_assert_eq(wm_lost_locality_score(&lost, slot, cycle), warps[slot].score);
    }
    cr_assert(may != 0 || count_warps() == 0, "one always may");
}

static void random_events(struct wm_random *random, uint64_t cycle, uint64_t base, uint64_t factor,
                          uint64_t *hits)
{
    uint32_t slot = (uint32_t)wm_random_below(random, SLOTS);
    uint64_t what = wm_random_below(random, 60);
    if (what == 0 && warps[slot].there) {
        wm_lost_locality_finish(&lost, slot);
        warps[slot].there = false;
    } else if (what <= 2 && !warps[slot].there) {
        wm_lost_locality_join(&lost, slot, cycle);
        warps[slot] = (struct warp){.there = true, .came = cycle, .score = base};
    } else if (what <= 5 && warps[slot].there) {
        uint64_t issued = 1 + cycle * (1 + cycle / 2000);
        wm_lost_locality_hit(&lost, slot, cycle, issued);
        uint64_t score = ++*hits * factor * base * count_warps() / issued;
        warps[slot].score = score > warps[slot].score ? score : warps[slot].score;
    }
}

Test(lost_locality, is_sorting_all_warps_in_every_cycle, .timeout = 120)
{
    for (uint64_t round = 0; round < 12; round++) {
        struct wm_random random;
        wm_random_init(&random, round, "lost_locality");
        uint32_t base = round % 3 == 0 ? 7 : 100, factor = 1 + (uint32_t)round;
        uint64_t hits = 0, found = 0;
        begin(0, base, factor);
        memset(warps, 0, sizeof warps);
        for (uint64_t cycle = 0; cycle < CYCLES; cycle++) {
            for (uint32_t slot = 0; slot < SLOTS; slot++)
                warps[slot].score -= warps[slot].there && warps[slot].score > base;
            random_events(&random, cycle, base, factor, &hits);
            found += wm_lost_locality_is_due(&lost, cycle);
            compare(cycle, base);
        }
        cr_assert_lt(found, CYCLES / 2, "most cycles are passed over");
    }
}

// Without hits all scores come back to the base, and no warp is held: what waits continues.
Test(lost_locality, whoever_is_held_may_load_again_after_finitely_many_cycles)
{
    begin(SLOTS, 100, 8);
    for (uint32_t i = 0; i < 500; i++)
        wm_lost_locality_hit(&lost, i % SLOTS, i, i + 1);
    uint64_t cycle = 500, steps = 0, held = held_in(cycle);
    cr_assert_neq(held, 0);
    for (; held != 0; held = held_in(cycle), steps++) {
        cr_assert_neq(lost.changes, WM_NEVER);
        cr_assert_gt(lost.changes, cycle);
        cycle = lost.changes;
        cr_assert_leq(__builtin_popcountll(held_in(cycle)), __builtin_popcountll(held));
    }
    cr_assert_leq(steps, 2 * SLOTS);
}
