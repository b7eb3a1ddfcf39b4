// Greedy then oldest (Rogers, O'Connor, Aamodt, "Cache-conscious wavefront scheduling", MICRO
// 2012): stay with one warp until it must wait, then take the ready warp that has been on the SM
// longest.
#include "sm/warp_scheduler/warp_ages.h"

struct state {
    struct wm_warp_priorities priorities;
    int32_t greedy; // the warp to stay with, or WM_NO_WARP
    uint64_t memory[];
};

static size_t state_bytes(uint32_t slots)
{
    return sizeof(struct state) + wm_warp_priorities_bytes(slots);
}

static void reset(void *opaque, uint32_t slots)
{
    struct state *state = opaque;
    state->greedy = WM_NO_WARP;
    wm_warp_priorities_reset(&state->priorities, state->memory, slots);
}

static int32_t pick(void *opaque, const uint64_t *ready, uint32_t slots)
{
    struct state *state = opaque;
    (void)slots;
    if (state->greedy != WM_NO_WARP) {
        uint32_t slot = (uint32_t)state->greedy;
        if ((ready[slot / 64] >> (slot % 64) & 1) != 0)
            return state->greedy;
    }
    state->greedy = wm_warp_priorities_pick(&state->priorities, ready);
    return state->greedy;
}

static void ran(void *opaque, uint32_t slot, enum wm_warp_stop stop)
{
    struct state *state = opaque;
    bool stays = stop == WM_WARP_STOP_MEMORY || stop == WM_WARP_STOP_ISSUED;
    if (!stays && state->greedy == (int32_t)slot)
        state->greedy = WM_NO_WARP;
    wm_warp_priorities_ran(&state->priorities, slot, stop);
}

const struct wm_warp_scheduler_ops wm_warp_scheduler_greedy_then_oldest = {
    .name = "greedy-then-oldest",
    .title = "greedy then oldest",
    .source = "Rogers, O'Connor and Aamodt, Cache-conscious wavefront scheduling, MICRO 2012",
    .sentence = "stay with a warp until it waits for memory or a barrier, then take the oldest",
    .details =
        "The walk has no latency, so what a warp waits for is said by rule: it waits when "
        "some bytes of its load lay below L1, until every other ready warp waits as well or one "
        "has used up 64 turns. A "
        "warp that uses up its turn, of 256 instructions or to the end of its SM's, becomes "
        "the youngest.",
    .stops_at_memory = true,
    .distinguishes_misses = true,
    .state_bytes = state_bytes,
    .reset = reset,
    .join = wm_warp_priorities_join,
    .leave = wm_warp_ages_leave,
    .pick = pick,
    .ran = ran,
    .age_rank = wm_warp_ages_rank,
};
