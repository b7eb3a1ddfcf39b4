// Clustered: blocks with consecutive numbers go to one SM, so that what they share is in its L1
// (Choo et al., "Characterizing and improving the cache performance on massively multithreaded
// GPUs", "Clustered workgroup scheduling"). Of B blocks and C SMs, SM i has a queue of the blocks
// from i ceil(B/C) on. In a pass each SM with room, in order of their numbers, gets the first block
// of its queue. One whose queue is empty borrows before: of the next SM behind it that has any, the
// first half of what that one has, rounded up.
//
// Where the paper's listings leave something open or are wrong:
// - No queue reaches beyond the grid. The first listing cuts that of the last SM alone, so that of
//   33 blocks on 32 SMs SM 16 would be given block 33, which is not there.
// - An SM borrows of one other. The second listing goes on to the SMs behind, and what it borrowed
//   first is lost.
// - A pass begins with SM 0, when blocks may have finished; passes follow until no SM has room.
#include "sm/block_dispatch/block_dispatch.h"

#include <assert.h>

struct queue {
    uint64_t head, end; // blocks from the one up to the other; empty where they are equal
};

struct state {
    uint32_t sms;
    uint32_t next; // of the pass under way
    struct queue queues[];
};

static size_t state_bytes(uint32_t sms)
{
    return sizeof(struct state) + sms * sizeof(struct queue);
}

static void reset(void *opaque, uint32_t sms, uint64_t blocks)
{
    struct state *state = opaque;
    uint64_t each = blocks / sms + (blocks % sms != 0);
    state->sms = sms;
    state->next = 0;
    for (uint32_t sm = 0; sm < sms; sm++) {
        uint64_t head = sm * each, end = head + each;
        state->queues[sm].head = head < blocks ? head : blocks;
        state->queues[sm].end = end < blocks ? end : blocks;
    }
}

static int32_t place(void *opaque, const uint32_t *room, uint32_t sms)
{
    struct state *state = opaque;
    int32_t sm = wm_next_sm_with_room(room, sms, state->next);
    state->next = sm != WM_NO_SM ? wm_sm_behind((uint32_t)sm, sms) : 0;
    return sm;
}

static bool is_empty(const struct queue *queue)
{
    return queue->head == queue->end;
}

static void borrow(struct state *state, uint32_t sm)
{
    struct queue *from;
    uint32_t other = sm;
    do {
        other = wm_sm_behind(other, state->sms);
        from = &state->queues[other];
        assert(other != sm); // a block is left
    } while (is_empty(from));
    uint64_t last = from->head + (from->end - 1 - from->head) / 2;
    state->queues[sm] = (struct queue){.head = from->head, .end = last + 1};
    from->head = last + 1;
}

static uint64_t take(void *opaque, uint32_t sm)
{
    struct state *state = opaque;
    if (is_empty(&state->queues[sm]))
        borrow(state, sm);
    return state->queues[sm].head++;
}

const struct wm_block_dispatch_ops wm_block_dispatch_clustered = {
    .name = "clustered",
    .title = "clustered, with borrowing",
    .source = "Choo et al., Characterizing and improving the cache performance on massively "
              "multithreaded GPUs",
    .sentence = "consecutive blocks go to one SM",
    .details = "Each SM has a queue of consecutive blocks, all of one length, of which it gets one "
               "a pass over the SMs. Where its queue is empty, it takes half of that of the next "
               "SM that has blocks left.",
    .state_bytes = state_bytes,
    .reset = reset,
    .place = place,
    .take = take,
};
