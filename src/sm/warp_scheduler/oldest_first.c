// Oldest first (Lakshminarayana and Kim, "Effect of instruction fetch and memory scheduling on GPU
// performance", LCA-GPGPU workshop 2010; GPGPU-Sim's "oldest"): of the ready warps always the one
// that has been on the SM longest. Other than greedy-then-oldest, it goes back to an older warp as
// soon as that can go on.
#include "sm/warp_scheduler/warp_ages.h"

struct state {
    struct wm_warp_priorities priorities;
    uint64_t memory[];
};

static size_t state_bytes(uint32_t slots)
{
    return sizeof(struct state) + wm_warp_priorities_bytes(slots);
}

static void reset(void *opaque, uint32_t slots)
{
    struct state *state = opaque;
    wm_warp_priorities_reset(&state->priorities, state->memory, slots);
}

static int32_t pick(void *opaque, const uint64_t *ready, uint32_t slots)
{
    (void)slots;
    return wm_warp_priorities_pick(&((struct state *)opaque)->priorities, ready);
}

static void ran(void *opaque, uint32_t slot, enum wm_warp_stop stop)
{
    wm_warp_priorities_ran(&((struct state *)opaque)->priorities, slot, stop);
}

const struct wm_warp_scheduler_ops wm_warp_scheduler_oldest = {
    .name = "oldest",
    .title = "oldest first",
    .source = "Lakshminarayana and Kim, Effect of instruction fetch and memory scheduling on GPU "
              "performance, LCA-GPGPU 2010",
    .sentence = "always take the warp that has been on the SM longest",
    .details = "Other than greedy-then-oldest it goes back to an older warp as soon as that can go "
               "on. In a walk a warp waits for memory, and becomes the youngest, by the same rule.",
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
