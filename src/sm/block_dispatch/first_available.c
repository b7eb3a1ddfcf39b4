// First available: SMs with room wait in a queue, the first of them gets the next block and goes to
// the end of the queue if it has room for another. An SM that gets room again goes to the end, too.
// So blocks follow those that finish, where round robin keeps the order of the SMs. The rule of
// Multi2Sim 4.2 for Southern Islands (Ubal et al., "Multi2Sim: a simulation framework for CPU-GPU
// computing", PACT 2012), which Choo et al., "Characterizing and improving the cache performance on
// massively multithreaded GPUs", compare with and call "first availability".
//
// An entry does not see a block finish: SMs that got room since the last block was placed
// come in order of their numbers.
#include "sm/block_dispatch/block_dispatch.h"

#include <string.h>

struct state {
    uint64_t next_block;
    uint32_t sms, waiting;
    // SMs with room, from the first on; behind as many as there are SMs, of each whether it is
    // there.
    uint32_t queue[];
};

static size_t state_bytes(uint32_t sms)
{
    return sizeof(struct state) + 2 * sms * sizeof(uint32_t);
}

static void reset(void *opaque, uint32_t sms, uint64_t blocks)
{
    (void)blocks;
    struct state *state = opaque;
    *state = (struct state){.sms = sms};
    memset(state->queue, 0, 2 * sms * sizeof *state->queue);
}

// Those without room leave the queue, and those that are not there and have some join it.
static void update(struct state *state, const uint32_t *room)
{
    uint32_t *waits = state->queue + state->sms, kept = 0;
    for (uint32_t i = 0; i < state->waiting; i++) {
        uint32_t sm = state->queue[i];
        waits[sm] = room[sm] > 0;
        if (room[sm] > 0)
            state->queue[kept++] = sm;
    }
    for (uint32_t sm = 0; sm < state->sms; sm++) {
        if (room[sm] == 0 || waits[sm])
            continue;
        waits[sm] = true;
        state->queue[kept++] = sm;
    }
    state->waiting = kept;
}

static int32_t place(void *opaque, const uint32_t *room, uint32_t sms)
{
    (void)sms;
    struct state *state = opaque;
    update(state, room);
    if (state->waiting == 0)
        return WM_NO_SM;
    uint32_t first = state->queue[0];
    memmove(state->queue, state->queue + 1, --state->waiting * sizeof *state->queue);
    if (room[first] > 1)
        state->queue[state->waiting++] = first;
    else
        state->queue[state->sms + first] = false;
    return (int32_t)first;
}

static uint64_t take(void *opaque, uint32_t sm)
{
    (void)sm;
    return ((struct state *)opaque)->next_block++;
}

const struct wm_block_dispatch_ops wm_block_dispatch_first_available = {
    .name = "first-available",
    .title = "first availability",
    .source = "Ubal et al., Multi2Sim: a simulation framework for CPU-GPU computing, PACT 2012; "
              "version 4.2, Southern Islands",
    .sentence = "the next block goes to the SM that has had room for one longest",
    .details = "SMs with room wait in a queue. The first gets a block and goes to the end, if it "
               "has room for another; so does an SM that gets room again. A grid begins as with "
               "round-robin.",
    .in_order = true,
    .state_bytes = state_bytes,
    .reset = reset,
    .place = place,
    .take = take,
};
