// Each warp scheduler's own idea. The contract of all is in tests/contract.
#include "base/numbers/random.h"
#include "sm/warp_scheduler/warp_scheduler.h"

#include <criterion/criterion.h>

static void *new_state(const struct wm_warp_scheduler_ops *order, uint32_t slots)
{
    void *state = malloc(order->state_bytes(slots));
    order->reset(state, slots);
    return state;
}

Test(warp_scheduler, round_robin_rotates_after_each_memory_instruction)
{
    const struct wm_warp_scheduler_ops *order = &wm_warp_scheduler_round_robin;
    cr_assert(order->stops_at_memory);
    void *state = new_state(order, 5);
    uint64_t ready = 0x1B; // 0, 1, 3, 4
    const int32_t expected[] = {0, 1, 3, 4, 0, 1};
    for (int i = 0; i < 6; i++) {
        int32_t picked = order->pick(state, &ready, 5);
        cr_assert_eq(picked, expected[i]);
        order->ran(state, (uint32_t)picked, WM_WARP_STOP_MEMORY);
    }
    free(state);
}

Test(warp_scheduler, greedy_stays_then_takes_the_oldest)
{
    const struct wm_warp_scheduler_ops *order = &wm_warp_scheduler_greedy_then_oldest;
    cr_assert(order->stops_at_memory);
    void *state = new_state(order, 4);
    const uint32_t joined[] = {2, 0, 3, 1};
    for (int i = 0; i < 4; i++)
        order->join(state, joined[i]);
    uint64_t ready = 0xF;
    cr_assert_eq(order->pick(state, &ready, 4), 2, "the oldest first");
    order->ran(state, 2, WM_WARP_STOP_MEMORY);
    cr_assert_eq(order->pick(state, &ready, 4), 2, "stays with it");
    order->ran(state, 2, WM_WARP_STOP_WAITS);
    ready &= ~UINT64_C(4);
    cr_assert_eq(order->pick(state, &ready, 4), 0, "then the next oldest");
    ready |= 4;
    order->ran(state, 0, WM_WARP_STOP_FINISHED);
    ready &= ~UINT64_C(1);
    cr_assert_eq(order->pick(state, &ready, 4), 2, "the oldest is ready again");
    order->ran(state, 2, WM_WARP_STOP_BUDGET);
    cr_assert_eq(order->pick(state, &ready, 4), 3, "a turn used up makes it the youngest");
    order->ran(state, 3, WM_WARP_STOP_FINISHED);
    order->join(state, 3);
    cr_assert_eq(order->pick(state, &ready, 4), 1, "a new warp is the youngest");
    free(state);
}

Test(warp_scheduler, greedy_leaves_a_warp_that_misses_until_all_others_wait)
{
    const struct wm_warp_scheduler_ops *order = &wm_warp_scheduler_greedy_then_oldest;
    void *state = new_state(order, 70);
    const uint32_t joined[] = {65, 3, 69};
    uint64_t ready[2] = {UINT64_C(1) << 3, UINT64_C(1) << 1 | UINT64_C(1) << 5};
    for (int i = 0; i < 3; i++)
        order->join(state, joined[i]);
    cr_assert_eq(order->pick(state, ready, 70), 65);
    order->ran(state, 65, WM_WARP_STOP_MISS);
    cr_assert_eq(order->pick(state, ready, 70), 3, "the next oldest, not the one that waits");
    order->ran(state, 3, WM_WARP_STOP_MEMORY);
    cr_assert_eq(order->pick(state, ready, 70), 3, "L1 served it: it stays");
    order->ran(state, 3, WM_WARP_STOP_MISS);
    cr_assert_eq(order->pick(state, ready, 70), 69);
    order->ran(state, 69, WM_WARP_STOP_MISS);
    cr_assert_eq(order->pick(state, ready, 70), 65, "all wait: the data of all are there");
    order->ran(state, 65, WM_WARP_STOP_FINISHED);
    order->join(state, 65);
    cr_assert_eq(order->pick(state, ready, 70), 3, "served with the others, and older");
    free(state);
}

// A load that is found to be waited for some cycles after it was issued does not turn back whose
// turn it is.
Test(warp_scheduler, round_robin_goes_on_after_the_warp_that_issued)
{
    const struct wm_warp_scheduler_ops *order = &wm_warp_scheduler_round_robin;
    void *state = new_state(order, 4);
    uint64_t ready = 0xF;
    for (int32_t slot = 0; slot < 3; slot++) {
        cr_assert_eq(order->pick(state, &ready, 4), slot);
        order->ran(state, (uint32_t)slot, WM_WARP_STOP_ISSUED);
    }
    order->ran(state, 0, WM_WARP_STOP_MISS);
    ready = 0xE;
    cr_assert_eq(order->pick(state, &ready, 4), 3);
    free(state);
}

// Kept time: greedy stays while its warp can issue, and a warp whose data came is as old as ever.
Test(warp_scheduler, greedy_stays_with_the_warp_that_issued)
{
    const struct wm_warp_scheduler_ops *order = &wm_warp_scheduler_greedy_then_oldest;
    void *state = new_state(order, 3);
    uint64_t all = 0x7, without_0 = 0x6, only_2 = 0x4;
    for (uint32_t slot = 0; slot < 3; slot++)
        order->join(state, slot);
    cr_assert_eq(order->pick(state, &all, 3), 0);
    order->ran(state, 0, WM_WARP_STOP_ISSUED);
    cr_assert_eq(order->pick(state, &all, 3), 0, "stays");
    order->ran(state, 0, WM_WARP_STOP_ISSUED);
    order->ran(state, 0, WM_WARP_STOP_MISS);
    cr_assert_eq(order->pick(state, &without_0, 3), 1);
    order->ran(state, 1, WM_WARP_STOP_ISSUED);
    order->ran(state, 0, WM_WARP_STOP_WAITS);
    cr_assert_eq(order->pick(state, &all, 3), 1, "stays when an older one's data come");
    order->ran(state, 1, WM_WARP_STOP_ISSUED);
    cr_assert_eq(order->pick(state, &only_2, 3), 2);
    order->ran(state, 2, WM_WARP_STOP_MISS);
    cr_assert_eq(order->pick(state, &all, 3), 0, "the oldest, though it once missed");
    free(state);
}

Test(warp_scheduler, oldest_goes_back_to_the_oldest_at_once)
{
    const struct wm_warp_scheduler_ops *order = &wm_warp_scheduler_oldest;
    void *state = new_state(order, 3);
    const uint32_t joined[] = {2, 0, 1};
    uint64_t all = 0x7, without_2 = 0x3;
    for (int i = 0; i < 3; i++)
        order->join(state, joined[i]);
    cr_assert_eq(order->pick(state, &all, 3), 2);
    order->ran(state, 2, WM_WARP_STOP_ISSUED);
    cr_assert_eq(order->pick(state, &without_2, 3), 0);
    order->ran(state, 0, WM_WARP_STOP_ISSUED);
    cr_assert_eq(order->pick(state, &all, 3), 2, "not the one that issued last");
    order->ran(state, 2, WM_WARP_STOP_FINISHED);
    order->leave(state, 2);
    order->join(state, 2);
    cr_assert_eq(order->pick(state, &all, 3), 0);
    cr_assert_eq(order->age_rank(state, 2), 2);
    free(state);
}

// In a walk a warp that missed, or used a whole turn up, lets the others go first; it stays as old.
Test(warp_scheduler, oldest_lets_others_go_first_in_a_walk)
{
    const struct wm_warp_scheduler_ops *order = &wm_warp_scheduler_oldest;
    void *state = new_state(order, 3);
    uint64_t all = 0x7;
    for (uint32_t slot = 0; slot < 3; slot++)
        order->join(state, slot);
    cr_assert_eq(order->pick(state, &all, 3), 0);
    order->ran(state, 0, WM_WARP_STOP_MEMORY);
    cr_assert_eq(order->pick(state, &all, 3), 0, "L1 served it");
    order->ran(state, 0, WM_WARP_STOP_MISS);
    cr_assert_eq(order->pick(state, &all, 3), 1);
    order->ran(state, 1, WM_WARP_STOP_BUDGET);
    cr_assert_eq(order->pick(state, &all, 3), 2);
    order->ran(state, 2, WM_WARP_STOP_MISS);
    cr_assert_eq(order->pick(state, &all, 3), 1, "the only one that does not wait");
    order->ran(state, 1, WM_WARP_STOP_MISS);
    cr_assert_eq(order->pick(state, &all, 3), 0);
    cr_assert_eq(order->age_rank(state, 1), 1);
    free(state);
}

// Where L1 always has what a warp polls, that never misses: those that did go on after 64 of its
// turns.
Test(warp_scheduler, a_warp_that_polls_lets_the_others_go_on)
{
    const struct wm_warp_scheduler_ops *const orders[] = {&wm_warp_scheduler_greedy_then_oldest,
                                                          &wm_warp_scheduler_oldest};
    for (uint32_t i = 0; i < 2; i++) {
        void *state = new_state(orders[i], 3);
        uint64_t all = 0x7;
        for (uint32_t slot = 0; slot < 3; slot++)
            orders[i]->join(state, slot);
        for (uint32_t slot = 0; slot < 2; slot++) {
            cr_assert_eq(orders[i]->pick(state, &all, 3), (int32_t)slot);
            orders[i]->ran(state, slot, WM_WARP_STOP_MISS);
        }
        for (uint32_t turn = 0; turn < 64; turn++)
            for (uint32_t polled = 0; polled < 5; polled++) {
                cr_assert_eq(orders[i]->pick(state, &all, 3), 2, "turn %u", turn);
                orders[i]->ran(state, 2, polled < 4 ? WM_WARP_STOP_MEMORY : WM_WARP_STOP_BUDGET);
            }
        cr_assert_eq(orders[i]->pick(state, &all, 3), 0);
        orders[i]->ran(state, 0, WM_WARP_STOP_MISS);
        cr_assert_eq(orders[i]->pick(state, &all, 3), 1);
        free(state);
    }
}

// Two of five warps take turns; the one that waits for memory goes behind the pending ones.
Test(warp_scheduler, two_level_rotates_over_its_active_warps)
{
    const struct wm_warp_scheduler_ops *order = &wm_warp_scheduler_two_level;
    void *state = new_state(order, 5);
    uint64_t all = 0x1F, without_0 = 0x1E;
    order->limit(state, 2);
    for (uint32_t slot = 0; slot < 5; slot++)
        order->join(state, slot);
    for (int turn = 0; turn < 6; turn++) {
        cr_assert_eq(order->pick(state, &all, 5), turn % 2);
        order->ran(state, (uint32_t)turn % 2, WM_WARP_STOP_ISSUED);
    }
    order->ran(state, 0, WM_WARP_STOP_MISS);
    const int32_t then[] = {1, 2, 1, 2};
    for (int turn = 0; turn < 4; turn++) {
        cr_assert_eq(order->pick(state, &without_0, 5), then[turn], "turn %d", turn);
        order->ran(state, (uint32_t)then[turn], WM_WARP_STOP_ISSUED);
    }
    order->ran(state, 1, WM_WARP_STOP_WAITS);
    order->ran(state, 2, WM_WARP_STOP_MISS);
    const int32_t last[] = {3, 4, 3};
    for (int turn = 0; turn < 3; turn++) {
        cr_assert_eq(order->pick(state, &all, 5), last[turn], "turn %d", turn);
        order->ran(state, (uint32_t)last[turn], WM_WARP_STOP_ISSUED);
    }
    order->ran(state, 4, WM_WARP_STOP_FINISHED);
    cr_assert_eq(order->pick(state, &all, 5), 3);
    order->ran(state, 3, WM_WARP_STOP_ISSUED);
    cr_assert_eq(order->pick(state, &all, 5), 0, "the first that gave way comes first");
    free(state);
}

// Pending warps do not fill the short gaps of the active ones, and who cannot go on stays pending.
Test(warp_scheduler, two_level_holds_pending_warps_back)
{
    const struct wm_warp_scheduler_ops *order = &wm_warp_scheduler_two_level;
    void *state = new_state(order, 4);
    uint64_t all = 0xF, only_3 = 0x8, without_2 = 0xB;
    order->limit(state, 2);
    for (uint32_t slot = 0; slot < 4; slot++)
        order->join(state, slot);
    cr_assert_eq(order->pick(state, &all, 4), 0);
    order->ran(state, 0, WM_WARP_STOP_ISSUED);
    cr_assert(order->holds_back);
    cr_assert_eq(order->pick(state, &only_3, 4), WM_NO_WARP);
    order->ran(state, 0, WM_WARP_STOP_MISS);
    uint64_t two = without_2 & ~UINT64_C(1);
    cr_assert_eq(order->pick(state, &two, 4), 1);
    order->ran(state, 1, WM_WARP_STOP_ISSUED);
    cr_assert_eq(order->pick(state, &two, 4), 3, "2 cannot go on");
    free(state);
}

// A pool belongs to each scheduler; a walk has one for all of them.
Test(warp_scheduler, two_level_is_as_wide_as_its_schedulers_together)
{
    struct wm_sm_spec spec = {.warp_scheduler = &wm_warp_scheduler_two_level, .active_warps = 2};
    const struct wm_warp_scheduler_ops *order = spec.warp_scheduler;
    void *state = malloc(order->state_bytes(8));
    for (uint32_t schedulers = 1; schedulers <= 3; schedulers++) {
        uint64_t all = 0xFF;
        wm_warp_scheduler_reset(&spec, schedulers, state, 8);
        for (uint32_t slot = 0; slot < 8; slot++)
            order->join(state, slot);
        for (uint32_t turn = 0; turn < 8; turn++) {
            cr_assert_eq(order->pick(state, &all, 8), (int32_t)(turn % (2 * schedulers)));
            order->ran(state, turn % (2 * schedulers), WM_WARP_STOP_MEMORY);
        }
    }
    free(state);
}

// Turns without a pick of their own: an entry that allows them continues as after turns one by one.
Test(warp_scheduler, goes_up_as_turn_by_turn)
{
    enum { SLOTS = 70 };
    size_t count, allow = 0;
    const struct wm_warp_scheduler_ops *const *orders = wm_warp_scheduler_table(&count);
    struct wm_random random;
    wm_random_init(&random, 1, "rows");
    for (size_t i = 0; i < count; i++) {
        if (orders[i]->ran_up == NULL)
            continue;
        allow++;
        void *one = new_state(orders[i], SLOTS), *row = new_state(orders[i], SLOTS);
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            orders[i]->join(one, slot);
            orders[i]->join(row, slot);
        }
        for (int turn = 0; turn < 2000; turn++) {
            uint64_t ready[2] = {wm_random_u64(&random) | 1, wm_random_below(&random, 64)};
            int32_t first = orders[i]->pick(one, ready, SLOTS), last = first;
            cr_assert_eq(orders[i]->pick(row, ready, SLOTS), first);
            orders[i]->ran(one, (uint32_t)first, WM_WARP_STOP_MEMORY);
            for (uint64_t more = wm_random_below(&random, 9); more > 0; more--) {
                int32_t next = last + 1;
                while (next < SLOTS && (ready[next / 64] >> next % 64 & 1) == 0)
                    next++;
                if (next == SLOTS)
                    break;
                last = orders[i]->pick(one, ready, SLOTS);
                cr_assert_eq(last, next);
                orders[i]->ran(one, (uint32_t)last, WM_WARP_STOP_MEMORY);
            }
            orders[i]->ran_up(row, (uint32_t)last);
        }
        free(one);
        free(row);
    }
    cr_assert_gt(allow, 0);
}

// Timed: the oldest pending warp's unit is busy, and the next one's is not. It keeps its turn.
Test(warp_scheduler, two_level_gives_a_busy_unit_no_say_in_whose_turn_it_is)
{
    const struct wm_warp_scheduler_ops *order = &wm_warp_scheduler_two_level;
    void *state = new_state(order, 3);
    order->limit(state, 1);
    for (uint32_t slot = 0; slot < 3; slot++)
        order->join(state, slot);
    uint64_t could = 0x6, can = 0x4;
    order->offer(state, &could);
    cr_assert_eq(order->pick(state, &can, 3), WM_NO_WARP);
    can = could;
    cr_assert_eq(order->pick(state, &can, 3), 1);
    free(state);
}
