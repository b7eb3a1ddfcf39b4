// Requests are queued for their slice of L2 (struct wm_l2_queues). L1 does not depend on what
// becomes of them, but in the full build, where none waits. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_L2_ENQUEUE_H
#define WM_MEM_ACCESS_PATH_L2_ENQUEUE_H

#include "mem/access_path/level_place.h"

// Places in a queue that are prefetched ahead: others' have displaced them since it was last
// filled.
enum { QUEUE_AHEAD = 4 };

static inline bool may_be_queued(const struct access_context *context)
{
    return !WM_PATHS_FULL && context->may_queue;
}

static inline struct wm_instruction_counters *charged_by(const struct wm_memory *memory,
                                                         const struct wm_l2_queue_entry *entry)
{
    return (struct wm_instruction_counters *)(memory->l2_queues.charges + entry->counters);
}

// Field by field: a copy of what has just been stored so would wait for the stores.
static inline void copy_requester(struct wm_requester *kept, const struct wm_requester *requester)
{
    kept->sm = requester->sm;
    kept->warp = requester->warp;
    kept->pc = requester->pc;
    kept->kind = requester->kind;
    kept->hint = requester->hint;
    kept->pending = requester->pending;
    kept->lines = requester->lines;
    kept->rank = requester->rank;
}

WM_CACHE_INLINE void enqueue_l2_request(struct wm_memory *memory, const struct l2_request *request,
                                        const struct access_context *context)
{
    struct wm_l2_queues *queues = &memory->l2_queues;
    struct wm_l2_queue *queue = &queues->of_slice[request->slice];
    uint32_t count = queue->count;
    struct wm_l2_queue_entry *entry = queue->entries + count;
    __builtin_prefetch(entry + QUEUE_AHEAD, 1);
    entry->line_address = request->place.address;
    entry->counters = (uintptr_t)context->instruction_counters - queues->charges;
    entry->set = request->place.set;
    entry->sectors = (uint8_t)request->sectors;
    entry->full_sectors = (uint8_t)request->full_sectors;
    entry->client =
        (uint8_t)(atomic_returns(request->client, context) ? WM_QUEUED_RETURNING : request->client);
    if (__builtin_expect(queue->requesters != NULL, 0))
        copy_requester(&queue->requesters[count], &context->requester);
    if (count == 0)
        queues->busy[request->slice / 64] |= UINT64_C(1) << request->slice % 64;
    queue->count = count + 1;
    if (__builtin_expect(count + 1 == queue->room, 0))
        memory->paths->serve_slice(memory, request->slice);
}

#endif
