// The contract of every warp order, and each one's own idea.
#include "base/random.h"
#include "sm/warp_order/warp_order.h"

#include <criterion/criterion.h>

static const struct wm_warp_order_ops *const all_orders[] = {
    &wm_warp_order_round_robin,
    &wm_warp_order_greedy_then_oldest,
};
enum { ORDER_COUNT = sizeof all_orders / sizeof all_orders[0], MAX_SLOTS = 130 };

static void *new_state(const struct wm_warp_order_ops *order, uint32_t slots)
{
    void *state = malloc(order->state_bytes(slots));
    order->reset(state, slots);
    return state;
}

Test(warp_order, picks_a_ready_warp_or_none)
{
    struct wm_random random;
    wm_random_init(&random, 3, "warp order");
    for (int which = 0; which < ORDER_COUNT; which++)
        for (uint32_t slots = 1; slots <= MAX_SLOTS; slots += 3) {
            const struct wm_warp_order_ops *order = all_orders[which];
            void *state = new_state(order, slots);
            for (uint32_t slot = 0; slot < slots; slot++)
                order->join(state, slot);
            for (int round = 0; round < 200; round++) {
                uint64_t ready[3] = {0};
                uint64_t any = 0;
                for (uint32_t slot = 0; slot < slots; slot++)
                    if (wm_random_below(&random, 8) == 0) {
                        ready[slot / 64] |= UINT64_C(1) << (slot % 64);
                        any = 1;
                    }
                int32_t picked = order->pick(state, ready, slots);
                if (any == 0) {
                    cr_assert_eq(picked, WM_NO_WARP);
                    continue;
                }
                cr_assert(picked >= 0 && (uint32_t)picked < slots, "%s: %d", order->name, picked);
                cr_assert((ready[picked / 64] >> (picked % 64) & 1) != 0, "%s: %d", order->name,
                          picked);
                order->ran(state, (uint32_t)picked, (enum wm_warp_stop)wm_random_below(&random, 4));
            }
            free(state);
        }
}

// A warp that spins must not keep the one it waits for from running.
Test(warp_order, every_ready_warp_runs_in_the_end)
{
    for (int which = 0; which < ORDER_COUNT; which++)
        for (uint32_t slots = 1; slots <= MAX_SLOTS; slots++) {
            const struct wm_warp_order_ops *order = all_orders[which];
            void *state = new_state(order, slots);
            uint64_t ready[3] = {0};
            uint32_t seen[MAX_SLOTS] = {0};
            for (uint32_t slot = 0; slot < slots; slot++) {
                order->join(state, slot);
                ready[slot / 64] |= UINT64_C(1) << (slot % 64);
            }
            for (uint32_t turn = 0; turn < 2 * slots; turn++) {
                int32_t picked = order->pick(state, ready, slots);
                seen[picked]++;
                order->ran(state, (uint32_t)picked, WM_WARP_STOP_BUDGET);
            }
            for (uint32_t slot = 0; slot < slots; slot++)
                cr_assert_eq(seen[slot], 2, "%s: slot %u ran %u times", order->name, slot,
                             seen[slot]);
            free(state);
        }
}

Test(warp_order, round_robin_rotates_after_each_memory_instruction)
{
    const struct wm_warp_order_ops *order = wm_warp_order_find(WM_WARP_ORDER_ROUND_ROBIN);
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

Test(warp_order, greedy_stays_then_takes_the_oldest)
{
    const struct wm_warp_order_ops *order = wm_warp_order_find(WM_WARP_ORDER_GREEDY_THEN_OLDEST);
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

Test(warp_order, greedy_leaves_a_warp_that_misses_until_all_others_wait)
{
    const struct wm_warp_order_ops *order = wm_warp_order_find(WM_WARP_ORDER_GREEDY_THEN_OLDEST);
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
