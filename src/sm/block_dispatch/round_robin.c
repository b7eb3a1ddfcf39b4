// Round robin: the next block goes to the next SM, after the one that got the last block, that has
// room. A grid smaller than the GPU thus spreads over as many SMs as it has blocks. The order of
// GPGPU-Sim (Bakhoda et al., "Analyzing CUDA workloads using a detailed GPU simulator", ISPASS
// 2009).
#include "sm/block_dispatch/block_dispatch.h"

struct state {
    uint64_t next_block;
    uint32_t next; // SM from which to look
};

static size_t state_bytes(uint32_t sms)
{
    (void)sms;
    return sizeof(struct state);
}

static void reset(void *opaque, uint32_t sms, uint64_t blocks)
{
    (void)sms, (void)blocks;
    *(struct state *)opaque = (struct state){0};
}

static int32_t place(void *opaque, const uint32_t *room, uint32_t sms)
{
    struct state *state = opaque;
    int32_t sm = wm_next_sm_with_room(room, sms, state->next);
    if (sm != WM_NO_SM)
        state->next = wm_sm_behind((uint32_t)sm, sms);
    return sm;
}

static uint64_t take(void *opaque, uint32_t sm)
{
    (void)sm;
    return ((struct state *)opaque)->next_block++;
}

const struct wm_block_dispatch_ops wm_block_dispatch_round_robin = {
    .name = "round-robin",
    .title = "round robin",
    .source =
        "Bakhoda et al., Analyzing CUDA workloads using a detailed GPU simulator, ISPASS 2009",
    .sentence = "the next block goes to the next SM that has room",
    .details = "A grid smaller than the GPU spreads over as many SMs as it has blocks.",
    .in_order = true,
    .state_bytes = state_bytes,
    .reset = reset,
    .place = place,
    .take = take,
};
