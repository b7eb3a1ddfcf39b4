// Loose round robin, the baseline of the scheduling literature (Narasiman et al., "Improving GPU
// performance via large warps and two-level warp scheduling", MICRO 2011): warps take turns in slot
// order, skipping those that are not ready. In the untimed walk a turn lasts to the warp's next
// memory instruction, which is where a real warp would begin to wait.
#include "sm/warp_scheduler/warp_ages.h"

struct state {
    struct wm_warp_ages ages;
    uint32_t next; // slot from which to look
    int32_t last;  // the warp picked last, or WM_NO_WARP
    uint64_t memory[];
};

static size_t state_bytes(uint32_t slots)
{
    return sizeof(struct state) + slots * sizeof(uint64_t);
}

static void reset(void *opaque, uint32_t slots)
{
    struct state *state = opaque;
    wm_warp_ages_reset(&state->ages, state->memory, slots);
    state->next = 0;
    state->last = WM_NO_WARP;
}

static void join(void *opaque, uint32_t slot)
{
    wm_warp_ages_join(&((struct state *)opaque)->ages, slot);
}

static int32_t next_ready(const struct state *state, const uint64_t *ready, uint32_t slots)
{
    uint32_t next = state->next < slots ? state->next : 0;
    if (slots <= 64) {
        uint64_t behind = ready[0] >> next << next, any = behind != 0 ? behind : ready[0];
        return any != 0 ? (int32_t)__builtin_ctzll(any) : WM_NO_WARP;
    }
    uint32_t words = (slots + 63) / 64, first = next / 64;
    // The word of `next` is looked at twice: from `next` on, and at the end what lies before it.
    uint64_t from_next = ~UINT64_C(0) << (next % 64);
    for (uint32_t step = 0; step <= words; step++) {
        uint32_t word = first + step < words ? first + step : first + step - words;
        uint64_t candidates = ready[word];
        if (step == 0)
            candidates &= from_next;
        else if (step == words)
            candidates &= ~from_next;
        if (candidates != 0)
            return (int32_t)(word * 64 + (uint32_t)__builtin_ctzll(candidates));
    }
    return WM_NO_WARP;
}

static int32_t pick(void *opaque, const uint64_t *ready, uint32_t slots)
{
    struct state *state = opaque;
    state->last = next_ready(state, ready, slots);
    return state->last;
}

static void ran(void *opaque, uint32_t slot, enum wm_warp_stop stop)
{
    struct state *state = opaque;
    (void)stop;
    if (state->last == (int32_t)slot)
        state->next = slot + 1;
}

static void ran_up(void *opaque, uint32_t slot)
{
    struct state *state = opaque;
    state->last = (int32_t)slot;
    state->next = slot + 1;
}

const struct wm_warp_scheduler_ops wm_warp_scheduler_round_robin = {
    .name = "round-robin",
    .title = "loose round robin",
    .source = "Narasiman et al., Improving GPU performance via large warps and two-level warp "
              "scheduling, MICRO 2011",
    .sentence = "rotate over the ready warps, one memory instruction a turn",
    .details =
        "Warps take turns in the order of their slots, skipping those that are not ready. In "
        "an engine that keeps time a turn is one instruction.",
    .stops_at_memory = true,
    .distinguishes_misses = false,
    .in_turn = true,
    .state_bytes = state_bytes,
    .reset = reset,
    .join = join,
    .leave = wm_warp_ages_leave,
    .pick = pick,
    .ran = ran,
    .ran_up = ran_up,
    .age_rank = wm_warp_ages_rank,
};
