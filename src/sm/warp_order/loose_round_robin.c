// Loose round robin, the baseline of the scheduling literature (Narasiman et al., "Improving GPU
// performance via large warps and two-level warp scheduling", MICRO 2011): warps take turns in slot
// order, skipping those that are not ready. In the untimed walk a turn lasts to the warp's next
// memory instruction, which is where a real warp would begin to wait.
#include "sm/warp_order/warp_order.h"

struct state {
    uint32_t next; // slot from which to look
};

static size_t state_bytes(uint32_t slots)
{
    (void)slots;
    return sizeof(struct state);
}

static void reset(void *opaque, uint32_t slots)
{
    (void)slots;
    ((struct state *)opaque)->next = 0;
}

static void join(void *opaque, uint32_t slot)
{
    (void)opaque;
    (void)slot;
}

static int32_t pick(void *opaque, const uint64_t *ready, uint32_t slots)
{
    const struct state *state = opaque;
    uint32_t next = state->next < slots ? state->next : 0;
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

static void ran(void *opaque, uint32_t slot, enum wm_warp_stop stop)
{
    (void)stop;
    ((struct state *)opaque)->next = slot + 1;
}

const struct wm_warp_order_ops wm_warp_order_round_robin = {
    .name = "round-robin",
    .title = "loose round robin",
    .source = "Narasiman et al., Improving GPU performance via large warps and two-level warp "
              "scheduling, MICRO 2011",
    .sentence = "rotate over the ready warps, one memory instruction a turn",
    .details = "Warps take turns in the order of their slots, skipping those that are not ready.",
    .stops_at_memory = true,
    .asks_for_misses = false,
    .state_bytes = state_bytes,
    .reset = reset,
    .join = join,
    .pick = pick,
    .ran = ran,
};
