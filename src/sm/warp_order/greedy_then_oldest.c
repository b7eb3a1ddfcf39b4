// Greedy then oldest (Rogers, O'Connor, Aamodt, "Cache-conscious wavefront scheduling", MICRO
// 2012): stay with one warp until it must wait, then take the ready warp that has been on the SM
// longest.
//
// The untimed walk has no latency, so what a warp waits for is said by rule. A warp waits when some
// bytes of its load lay below L1; its data are there, at the latest, when every other ready warp
// waits as well. And a warp still running when the SM's turn ends becomes the youngest: it may spin
// for another warp, and never miss.
#include "sm/warp_order/warp_order.h"

struct state {
    int32_t greedy; // the warp to stay with, or WM_NO_WARP
    uint64_t clock;
    uint64_t *waiting; // set of slots whose last load missed; behind the ages
    uint64_t ages[];   // by slot: when it joined; small is old
};

static uint32_t words_of(uint32_t slots)
{
    return (slots + 63) / 64;
}

static size_t state_bytes(uint32_t slots)
{
    return sizeof(struct state) + (slots + words_of(slots)) * sizeof(uint64_t);
}

static void reset(void *opaque, uint32_t slots)
{
    struct state *state = opaque;
    state->greedy = WM_NO_WARP;
    state->clock = 0;
    state->waiting = state->ages + slots;
    memset(state->ages, 0, (slots + words_of(slots)) * sizeof(uint64_t));
}

static void join(void *opaque, uint32_t slot)
{
    struct state *state = opaque;
    state->ages[slot] = ++state->clock;
    state->waiting[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

// The oldest of the ready warps that do not wait for memory.
static int32_t oldest(const struct state *state, const uint64_t *ready, uint32_t slots)
{
    int32_t best = WM_NO_WARP;
    uint64_t best_age = UINT64_MAX;
    for (uint32_t word = 0; word < words_of(slots); word++)
        for (uint64_t rest = ready[word] & ~state->waiting[word]; rest != 0; rest &= rest - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(rest);
            if (state->ages[slot] < best_age) {
                best_age = state->ages[slot];
                best = (int32_t)slot;
            }
        }
    return best;
}

static int32_t pick(void *opaque, const uint64_t *ready, uint32_t slots)
{
    struct state *state = opaque;
    if (state->greedy != WM_NO_WARP) {
        uint32_t slot = (uint32_t)state->greedy;
        if ((ready[slot / 64] >> (slot % 64) & 1) != 0)
            return state->greedy;
    }
    state->greedy = oldest(state, ready, slots);
    if (state->greedy == WM_NO_WARP) {
        memset(state->waiting, 0, words_of(slots) * sizeof(uint64_t));
        state->greedy = oldest(state, ready, slots);
    }
    return state->greedy;
}

static void ran(void *opaque, uint32_t slot, enum wm_warp_stop stop)
{
    struct state *state = opaque;
    if (stop != WM_WARP_STOP_MEMORY)
        state->greedy = WM_NO_WARP;
    if (stop == WM_WARP_STOP_MISS)
        state->waiting[slot / 64] |= UINT64_C(1) << slot % 64;
    if (stop == WM_WARP_STOP_BUDGET)
        state->ages[slot] = ++state->clock;
}

const struct wm_warp_order_ops wm_warp_order_greedy_then_oldest = {
    .name = "greedy-then-oldest",
    .title = "greedy then oldest",
    .source = "Rogers, O'Connor and Aamodt, Cache-conscious wavefront scheduling, MICRO 2012",
    .sentence = "stay with a warp until it waits for memory or a barrier, then take the oldest",
    .details = "The walk has no latency, so what a warp waits for is said by rule: it waits when "
               "some bytes of its load lay below L1, until every other ready warp waits as well. A "
               "warp still running when its SM's turn ends becomes the youngest.",
    .stops_at_memory = true,
    .asks_for_misses = true,
    .state_bytes = state_bytes,
    .reset = reset,
    .join = join,
    .pick = pick,
    .ran = ran,
};
