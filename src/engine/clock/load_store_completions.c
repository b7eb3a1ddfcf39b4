// What memory instructions under way wait for, and how they end: parts that are done in a cycle
// known already, and those that bytes bring.
#include "engine/clock/clock_state.h"
#include "engine/clock/load_store_parts.h"

#include "base/containers/ring.h"

#include <stdlib.h>

static bool build_queue(struct wm_clock_completion_queue *queue)
{
    *queue = (struct wm_clock_completion_queue){.mask = WM_RING_FIRST_MASK};
    queue->items = wm_ring_new(sizeof *queue->items);
    return queue->items != NULL;
}

bool wm_load_store_queues_init(struct wm_clock_sm *sm)
{
    sm->done_due = WM_NEVER;
    return build_queue(&sm->hits) && build_queue(&sm->shared) && build_queue(&sm->returned);
}

void wm_load_store_queues_release(struct wm_clock_sm *sm)
{
    free(sm->hits.items);
    free(sm->shared.items);
    free(sm->returned.items);
}

// Prefetches a warp that waited for memory and continues soon: it has not been read for long.
static void expect_warp(const struct wm_clock_sm *sm, uint32_t slot)
{
    struct wm_clock_warp_slot at = sm->slots[slot];
    const struct wm_clock_block_slot *place = &sm->places[at.place];
    const struct wm_work_ops *ops = place->run->work->ops;
    if (ops->expect != NULL)
        ops->expect(place->block, at.warp, false);
}

static void free_op(struct wm_clock_sm *sm, struct wm_clock_memory_op *op)
{
    op->next_free = sm->free_op;
    sm->free_op = (uint32_t)(op - sm->ops);
    sm->core.memory_takes = wm_load_store_has_room(sm);
}

void wm_load_store_finish(struct wm_clock_sm *sm, struct wm_clock_memory_op *op)
{
    if (__builtin_expect(sm->abandoned, false)) { // its warp is gone, and so is its block
        free_op(sm, op);
        return;
    }
    struct wm_clock_block_slot *place = &sm->places[sm->slots[op->slot].place];
    wm_clock_charge(sm, place->segment);
    if (__builtin_expect(sm->scoped, false) && sm->clock->table.facts[op->pc].acquires)
        wm_timed_level_self_invalidate(sm->timed.l1);
    if (op->writes) {
        sm->unit.loads++;
        sm->unit.load_cycles += sm->cycle - op->issued;
        wm_clock_tally_load(sm->tally, place->segment, op, sm->cycle - op->issued);
    }
    place->accesses--;
    if (sm->core.warps[op->slot].wait == WM_WAIT_MEMORY)
        expect_warp(sm, op->slot);
    wm_issue_core_write_back(&sm->core, op->slot, op->pc, sm->cycle, op->writes);
    free_op(sm, op);
    if (place->finished && place->accesses == 0)
        sm->finished_blocks++;
}

// A part of the op was served there; what counts is the farthest.
void wm_load_store_note_served(const struct wm_clock_sm *sm, struct wm_clock_memory_op *op,
                               uint32_t served)
{
    const uint8_t *distance = sm->clock->distance;
    op->served = distance[served] > distance[op->served] ? (uint8_t)served : op->served;
}

// A part of the op is done that `served` served.
static void end_part(struct wm_clock_sm *sm, uint32_t index, enum wm_server served)
{
    struct wm_clock_memory_op *op = &sm->ops[index];
    wm_load_store_note_served(sm, op, served);
    if (--op->outstanding == 0 && !op->sending)
        wm_load_store_finish(sm, op);
}

struct wm_clock_sm *wm_load_store_owner_of(struct wm_clock_sm *sm, uint64_t token)
{
    if (__builtin_expect(token - sm->first_token < sm->op_count, true))
        return sm;
    struct wm_clock_sm *owner = &sm->clock->sms[token / sm->op_count];
    owner->cycle = sm->cycle + (owner < sm);
    return owner;
}

void wm_load_store_expect_owner(struct wm_clock_sm *owner, const struct wm_clock_sm *sm)
{
    if (owner != sm)
        owner->due = wm_earlier(owner->due, wm_clock_sm_due(owner, owner->cycle));
}

// A line of code has come, for a warp of the SM or of one that shares its cache with it.
static void take_code(struct wm_clock_sm *sm, uint64_t warp)
{
    uint32_t slots = sm->clock->machine->sm.max_warps;
    struct wm_clock_sm *owner = &sm->clock->sms[warp / slots];
    if (owner != sm)
        owner->cycle = sm->cycle + (owner < sm);
    wm_clock_code_come(owner, (uint32_t)(warp % slots));
    wm_load_store_expect_owner(owner, sm);
}

void wm_load_store_op_done(void *context, uint64_t token)
{
    struct wm_clock_sm *sm = context;
    struct wm_clock_sm *owner = wm_load_store_owner_of(sm, token);
    end_part(owner, (uint32_t)token - owner->first_token, sm->served);
    wm_load_store_expect_owner(owner, sm);
}

void wm_load_store_done(void *context, uint64_t token)
{
    struct wm_clock_sm *sm = context;
    if (__builtin_expect(token < sm->clock->first_fetch_token, true))
        wm_load_store_op_done(sm, token);
    else if (token < sm->clock->first_in_flight_token)
        take_code(sm, token - sm->clock->first_fetch_token);
    else
        wm_request_part_came(sm, token, wm_load_store_op_done);
}

static bool grow_queue(struct wm_clock_completion_queue *queue)
{
    struct wm_clock_completion *larger =
        wm_ring_grow(queue->items, sizeof *larger, &queue->mask, queue->first, queue->end);
    if (larger != NULL)
        queue->items = larger;
    return larger != NULL;
}

void wm_load_store_put_done(struct wm_clock_sm *sm, struct wm_clock_completion_queue *queue,
                            uint32_t op, uint64_t cycle)
{
    if (queue->end - queue->first > queue->mask && !grow_queue(queue)) {
        sm->failed = true;
        return;
    }
    // Most often the last: what has rounds one after another may be done later than what comes
    // next.
    uint32_t at = queue->end++;
    for (; at != queue->first && queue->items[(at - 1) & queue->mask].cycle > cycle; at--)
        queue->items[at & queue->mask] = queue->items[(at - 1) & queue->mask];
    queue->items[at & queue->mask] = (struct wm_clock_completion){.cycle = cycle, .op = op};
    sm->done_due = wm_earlier(sm->done_due, cycle);
}

void wm_load_store_op_returned(void *context, uint64_t token)
{
    struct wm_clock_sm *sm = context, *owner = wm_load_store_owner_of(sm, token);
    struct wm_timed_level *l1 = sm->timed.l1;
    uint64_t rate = sm->clock->machine->memory.levels[WM_LEVEL_L1].return_sectors,
             now = sm->cycle * rate;
    uint64_t begin = l1->return_free > now ? l1->return_free : now;
    l1->return_free = begin + l1->timed.mshr.handed - l1->returned;
    l1->returned = l1->timed.mshr.handed;
    uint32_t index = (uint32_t)token - owner->first_token;
    struct wm_clock_memory_op *op = &owner->ops[index];
    wm_load_store_note_served(sm, op, sm->served);
    uint64_t from = (l1->return_free + rate - 1) / rate;
    wm_load_store_put_done(owner, &owner->returned, index,
                           from > owner->cycle ? from : owner->cycle);
    owner->memory_due = wm_earlier(owner->memory_due, owner->done_due);
    wm_load_store_expect_owner(owner, sm);
}

void wm_load_store_returned(void *context, uint64_t token)
{
    struct wm_clock_sm *sm = context;
    if (__builtin_expect(token < sm->clock->first_fetch_token, true))
        wm_load_store_op_returned(sm, token);
    else
        wm_request_part_came(sm, token, wm_load_store_op_returned);
}

void wm_load_store_expect_done(struct wm_clock_sm *sm, struct wm_clock_completion_queue *queue,
                               struct wm_clock_memory_op *op, uint32_t index, uint64_t cycle)
{
    op->outstanding++;
    wm_load_store_put_done(sm, queue, index, cycle);
}

static void run_queue(struct wm_clock_sm *sm, struct wm_clock_completion_queue *queue,
                      uint64_t cycle)
{
    while (queue->first != queue->end && queue->items[queue->first & queue->mask].cycle <= cycle)
        end_part(sm, queue->items[queue->first++ & queue->mask].op, sm->served);
}

static uint64_t next_done(const struct wm_clock_completion_queue *queue)
{
    return queue->first != queue->end ? queue->items[queue->first & queue->mask].cycle : WM_NEVER;
}

void wm_load_store_run_queues(struct wm_clock_sm *sm, uint64_t cycle)
{
    sm->served = WM_SERVED_L1;
    run_queue(sm, &sm->hits, cycle);
    run_queue(sm, &sm->returned, cycle);
    sm->served = WM_SERVED_SHARED;
    run_queue(sm, &sm->shared, cycle);
    if (__builtin_expect(sm->sleep_due <= cycle, false))
        wm_clock_wake(sm, cycle);
    sm->done_due = wm_earlier(next_done(&sm->hits),
                              wm_earlier(next_done(&sm->returned), next_done(&sm->shared)));
    sm->done_due = wm_earlier(sm->done_due, sm->sleep_due);
}
