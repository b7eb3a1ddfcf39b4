// Greedy then oldest (Rogers, O'Connor, Aamodt, "Cache-conscious wavefront scheduling", MICRO
// 2012): stay with one warp until it must wait, then take the ready warp that has been on the SM
// longest.
//
// In the untimed walk only barriers make a warp wait, so a warp that spins for another would be
// kept for ever. Hence one addition: a warp still running when the SM's turn ends becomes the
// youngest, and the next turn starts with the oldest.
#include "sm/warp_order/warp_order.h"

struct state {
    int32_t greedy; // the warp to stay with, or WM_NO_WARP
    uint64_t clock;
    uint64_t ages[]; // by slot: when it joined; small is old
};

static size_t state_bytes(uint32_t slots)
{
    return sizeof(struct state) + slots * sizeof(uint64_t);
}

static void reset(void *opaque, uint32_t slots)
{
    struct state *state = opaque;
    state->greedy = WM_NO_WARP;
    state->clock = 0;
    for (uint32_t slot = 0; slot < slots; slot++)
        state->ages[slot] = 0;
}

static void join(void *opaque, uint32_t slot)
{
    struct state *state = opaque;
    state->ages[slot] = ++state->clock;
}

static int32_t oldest(const struct state *state, const uint64_t *ready, uint32_t slots)
{
    int32_t best = WM_NO_WARP;
    uint64_t best_age = UINT64_MAX;
    for (uint32_t word = 0; word < (slots + 63) / 64; word++)
        for (uint64_t rest = ready[word]; rest != 0; rest &= rest - 1) {
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
    return state->greedy = oldest(state, ready, slots);
}

static void ran(void *opaque, uint32_t slot, enum wm_warp_stop stop)
{
    struct state *state = opaque;
    if (stop != WM_WARP_STOP_MEMORY)
        state->greedy = WM_NO_WARP;
    if (stop == WM_WARP_STOP_BUDGET)
        state->ages[slot] = ++state->clock;
}

const struct wm_warp_order_ops wm_warp_order_greedy_then_oldest = {
    .name = "greedy-then-oldest",
    .sentence = "stay with a warp until it waits or finishes, then take the oldest ready one",
    .stops_at_memory = false,
    .state_bytes = state_bytes,
    .reset = reset,
    .join = join,
    .pick = pick,
    .ran = ran,
};
