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

static inline struct wm_l2_queue_entry *queue_of(const struct wm_memory *memory, uint32_t slice)
{
    return memory->l2_queues.entries + (uint64_t)slice * WM_L2_QUEUE_STRIDE;
}

// Field by field: a copy of what has just been stored so would wait for the stores.
static inline void copy_requester(struct wm_requester *kept, const struct wm_requester *requester)
{
    kept->sm = requester->sm;
    kept->warp = requester->warp;
    kept->pc = requester->pc;
    kept->kind = requester->kind;
    kept->hint = requester->hint;
}

WM_CACHE_INLINE void enqueue_l2_request(struct wm_memory *memory, const struct l2_request *request,
                                        const struct access_context *context)
{
    struct wm_l2_queues *queues = &memory->l2_queues;
    uint32_t count = queues->counts[request->slice];
    struct wm_l2_queue_entry *entry = queue_of(memory, request->slice) + count;
    __builtin_prefetch(entry + QUEUE_AHEAD, 1);
    entry->line_address = request->place.address;
    entry->instruction_counters = context->instruction_counters;
    entry->set = request->place.set;
    entry->sectors = (uint8_t)request->sectors;
    entry->full_sectors = (uint8_t)request->full_sectors;
    entry->client = (uint8_t)request->client;
    entry->returns = atomic_returns(request->client, context);
    if (__builtin_expect(queues->requesters != NULL, 0))
        copy_requester(&queues->requesters[entry - queues->entries], &context->requester);
    if (count == 0)
        queues->busy[request->slice / 64] |= UINT64_C(1) << request->slice % 64;
    queues->counts[request->slice] = count + 1;
    if (__builtin_expect(count + 1 == WM_L2_QUEUE_ENTRIES, 0))
        memory->paths->serve_slice(memory, request->slice);
}

#endif
