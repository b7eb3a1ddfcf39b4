// The contract of every warp order (sm/warp_scheduler/warp_scheduler.h).
#include "base/random.h"
#include "sm/warp_scheduler/warp_scheduler.h"

#include <criterion/criterion.h>

enum { MAX_SLOTS = 130, WORDS = MAX_SLOTS / 64 + 1 };

static void *new_state(const struct wm_warp_scheduler_ops *order, uint32_t slots)
{
    void *state = malloc(order->state_bytes(slots));
    order->reset(state, slots);
    return state;
}

static bool has(const uint64_t *set, uint32_t slot)
{
    return (set[slot / 64] >> (slot % 64) & 1) != 0;
}

static void put(uint64_t *set, uint32_t slot, bool in)
{
    uint64_t bit = UINT64_C(1) << (slot % 64);
    set[slot / 64] = (set[slot / 64] & ~bit) | (in ? bit : 0);
}

// An SM whose warps join, run, wait at barriers, finish and leave as chance has it; with which of
// them came when.
struct sm {
    const struct wm_warp_scheduler_ops *order;
    void *state;
    uint32_t slots;
    struct wm_random random;
    uint64_t ready[WORDS], there[WORDS], done[WORDS], clock, came[MAX_SLOTS];
};

static void step_others(struct sm *sm)
{
    for (uint32_t slot = 0; slot < sm->slots; slot++) {
        bool chance = wm_random_below(&sm->random, 8) == 0;
        if (!chance)
            continue;
        if (!has(sm->there, slot)) {
            sm->order->join(sm->state, slot);
            sm->came[slot] = ++sm->clock;
            put(sm->there, slot, true);
            put(sm->ready, slot, true);
        } else if (has(sm->done, slot)) {
            sm->order->leave(sm->state, slot);
            put(sm->there, slot, false);
            put(sm->done, slot, false);
        } else
            put(sm->ready, slot, true);
    }
}

static enum wm_warp_stop run_picked(struct sm *sm, uint32_t slot)
{
    enum wm_warp_stop stop = (enum wm_warp_stop)wm_random_below(&sm->random, WM_WARP_STOP_ISSUED);
    if (stop == WM_WARP_STOP_WAITS || stop == WM_WARP_STOP_FINISHED)
        put(sm->ready, slot, false);
    if (stop == WM_WARP_STOP_FINISHED)
        put(sm->done, slot, true);
    return stop;
}

static void check_ranks(const struct sm *sm)
{
    for (uint32_t slot = 0; slot < sm->slots; slot++) {
        uint32_t older = 0;
        if (!has(sm->there, slot))
            continue;
        for (uint32_t other = 0; other < sm->slots; other++)
            older += has(sm->there, other) && sm->came[other] < sm->came[slot];
        cr_assert_eq(sm->order->age_rank(sm->state, slot), older, "%s: slot %u", sm->order->name,
                     slot);
    }
}

// Of what says that warps have their turns in the order of slots nobody need ask who is next.
Test(warp_scheduler_contract, turns_go_from_slot_to_slot)
{
    size_t count;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&count);
    for (size_t i = 0; i < count; i++) {
        struct wm_random random;
        wm_random_init(&random, 1, "turns");
        void *state = new_state(table[i], 64);
        for (uint32_t slot = 0; table[i]->in_turn && slot < 64; slot++)
            table[i]->join(state, slot);
        uint32_t next = 0;
        for (int turn = 0; table[i]->in_turn && turn < 1000; turn++) {
            uint64_t ready = 0;
            for (uint32_t some = 1 + (uint32_t)wm_random_below(&random, 5); some > 0; some--)
                ready |= UINT64_C(1) << wm_random_below(&random, 64);
            while ((ready >> next & 1) == 0)
                next = (next + 1) % 64;
            cr_assert_eq(table[i]->pick(state, &ready, 64), (int32_t)next, "%s", table[i]->name);
            table[i]->ran(state, next, WM_WARP_STOP_ISSUED);
            if (turn % 3 == 0)
                table[i]->ran(state, (uint32_t)wm_random_below(&random, 64), WM_WARP_STOP_MISS);
            next = (next + 1) % 64;
        }
        free(state);
    }
}

// In a walk, a ready warp is picked whenever there is one; the same calls, the same picks; and ages
// are those of joining, whatever a warp did since.
static void check_walk(const struct wm_warp_scheduler_ops *order, uint32_t slots)
{
    struct sm sm = {.order = order, .state = new_state(order, slots), .slots = slots};
    void *twin = new_state(order, slots);
    struct sm other = sm;
    other.state = twin;
    wm_random_init(&sm.random, slots, "warp order");
    wm_random_init(&other.random, slots, "warp order");
    for (int round = 0; round < 300; round++) {
        step_others(&sm);
        step_others(&other);
        uint64_t any = 0;
        for (int word = 0; word < WORDS; word++)
            any |= sm.ready[word];
        int32_t picked = order->pick(sm.state, sm.ready, slots);
        cr_assert_eq(order->pick(other.state, other.ready, slots), picked);
        cr_assert_eq(picked == WM_NO_WARP, any == 0, "%s: %d", order->name, picked);
        if (picked == WM_NO_WARP)
            continue;
        cr_assert(picked >= 0 && (uint32_t)picked < slots, "%s: %d", order->name, picked);
        cr_assert(has(sm.ready, (uint32_t)picked), "%s: %d", order->name, picked);
        order->ran(sm.state, (uint32_t)picked, run_picked(&sm, (uint32_t)picked));
        order->ran(other.state, (uint32_t)picked, run_picked(&other, (uint32_t)picked));
        if (round % 10 == 0)
            check_ranks(&sm);
    }
    order->reset(sm.state, slots);
    cr_assert_eq(order->pick(sm.state, (uint64_t[WORDS]){0}, slots), WM_NO_WARP);
    free(sm.state);
    free(twin);
}

Test(warp_scheduler_contract, picks_a_ready_warp_in_a_walk)
{
    size_t count;
    const struct wm_warp_scheduler_ops *const *orders = wm_warp_scheduler_table(&count);
    for (size_t which = 0; which < count; which++)
        for (uint32_t slots = 1; slots <= MAX_SLOTS; slots += 3)
            check_walk(orders[which], slots);
}

// An engine that keeps time: any set may be ready, warps are told to wait when that is found, and
// only an order that holds warps back leaves a ready one alone.
Test(warp_scheduler_contract, picks_a_ready_warp_of_those_that_can_issue)
{
    size_t count;
    const struct wm_warp_scheduler_ops *const *orders = wm_warp_scheduler_table(&count);
    struct wm_random random;
    wm_random_init(&random, 3, "warp order");
    for (size_t which = 0; which < count; which++)
        for (uint32_t slots = 1; slots <= MAX_SLOTS; slots += 3) {
            const struct wm_warp_scheduler_ops *order = orders[which];
            void *state = new_state(order, slots);
            for (uint32_t slot = 0; slot < slots; slot++)
                order->join(state, slot);
            for (int round = 0; round < 200; round++) {
                uint64_t ready[WORDS] = {0}, any = 0;
                for (uint32_t slot = 0; slot < slots; slot++)
                    if (wm_random_below(&random, 8) == 0) {
                        put(ready, slot, true);
                        any = 1;
                    }
                int32_t picked = order->pick(state, ready, slots);
                if (any == 0 || picked == WM_NO_WARP) {
                    cr_assert_eq(picked, WM_NO_WARP);
                    cr_assert(any == 0 || order->holds_back, "%s", order->name);
                    continue;
                }
                cr_assert(picked >= 0 && (uint32_t)picked < slots, "%s: %d", order->name, picked);
                cr_assert(has(ready, (uint32_t)picked), "%s: %d", order->name, picked);
                order->ran(state, (uint32_t)picked, WM_WARP_STOP_ISSUED);
                uint32_t found = (uint32_t)wm_random_below(&random, slots);
                order->ran(state, found, round % 2 ? WM_WARP_STOP_MISS : WM_WARP_STOP_WAITS);
            }
            free(state);
        }
}

// A warp that spins must not keep the one it waits for from running.
Test(warp_scheduler_contract, every_ready_warp_runs_in_the_end)
{
    size_t count;
    const struct wm_warp_scheduler_ops *const *orders = wm_warp_scheduler_table(&count);
    for (size_t which = 0; which < count; which++)
        for (uint32_t slots = 1; slots <= MAX_SLOTS; slots++) {
            const struct wm_warp_scheduler_ops *order = orders[which];
            void *state = new_state(order, slots);
            uint64_t ready[WORDS] = {0};
            uint32_t seen[MAX_SLOTS] = {0};
            for (uint32_t slot = 0; slot < slots; slot++) {
                order->join(state, slot);
                put(ready, slot, true);
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

// Without the entry's own idea of what to ask for: every operation that is not optional is there,
// and its texts.
Test(warp_scheduler_contract, entries_are_whole)
{
    size_t count;
    const struct wm_warp_scheduler_ops *const *orders = wm_warp_scheduler_table(&count);
    for (size_t which = 0; which < count; which++) {
        const struct wm_warp_scheduler_ops *order = orders[which];
        cr_assert_not_null(order->name);
        cr_assert(order->title && order->source && order->sentence, "%s", order->name);
        cr_assert(order->state_bytes && order->reset && order->join && order->leave, "%s",
                  order->name);
        cr_assert(order->pick && order->ran && order->age_rank, "%s", order->name);
    }
}
