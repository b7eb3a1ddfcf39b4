// Requests that wait for their slice of L2 (l2_enqueue.h) are served. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_L2_QUEUE_H
#define WM_MEM_ACCESS_PATH_L2_QUEUE_H

#include "mem/access_path/request_batch.h"
#include "mem/system/memory_view.h"

_Static_assert((int)WM_L2_QUEUE_ENTRIES <= (int)BATCH, "what a queue has is one batch");

static void serve_queue(struct wm_memory *memory, uint32_t slice, const struct wm_l2_queue *queue)
{
    struct wm_cache *l2 = &memory->levels[WM_LEVEL_L2].caches[slice];
    struct access_context context = {0};
    struct batch_work work;
    work.tallied = (struct access_tally){0};
    for (; queue != NULL; queue = queue->next) {
        struct request_batch batch = {.is_far = true};
        for (const struct wm_l2_queue_chunk *chunk = queue->first; chunk != NULL;
             chunk = chunk->next) {
            batch.requests = chunk->entries;
            batch.requesters = chunk->requesters;
            batch.count = queue->room;
            serve_l2_batch(memory, l2, &batch, &work, &context);
        }
        batch.requests = queue->entries;
        batch.requesters = queue->requesters;
        batch.count = queue->count;
        if (batch.count != 0)
            serve_l2_batch(memory, l2, &batch, &work, &context);
    }
    count_tally(l2, &work.tallied);
}

// With the sets that the lines have in the memory system's slices.
static void serve_entries_anew(struct wm_memory *memory, uint32_t slice,
                               const struct wm_l2_queue_entry *entries, uint32_t count)
{
    struct wm_l2_queue_entry taken[WM_L2_QUEUE_ENTRIES];
    const struct wm_l2_queue part = {.entries = taken, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        uint64_t index_line;
        taken[i] = entries[i];
        wm_memory_slice(memory, taken[i].line_address >> memory->l2_line_shift, &index_line);
        taken[i].set = l2_set_of(memory, index_line);
    }
    serve_queue(memory, slice, &part);
}

// Queues of another memory system, whose slices hold other sets.
static __attribute__((noinline)) void serve_foreign_queue(struct wm_memory *memory, uint32_t slice,
                                                          const struct wm_l2_queue *queue)
{
    for (; queue != NULL; queue = queue->next) {
        for (const struct wm_l2_queue_chunk *chunk = queue->first; chunk != NULL;
             chunk = chunk->next)
            serve_entries_anew(memory, slice, chunk->entries, queue->room);
        serve_entries_anew(memory, slice, queue->entries, queue->count);
    }
}

static void serve_waiting(struct wm_memory *memory, uint32_t slice, const struct wm_l2_queue *queue,
                          bool resets)
{
    (resets ? serve_foreign_queue : serve_queue)(memory, slice, queue);
}

static void serve_slice(struct wm_memory *memory, uint32_t slice)
{
    struct wm_l2_queue *queue = &memory->l2_queues.of_slice[slice];
    if (memory->l2_queues.defers) {
        wm_memory_view_make_room(memory, queue);
        return;
    }
    serve_queue(memory, slice, queue);
    queue->count = 0;
}

static void drain_l2_queues(struct wm_memory *memory)
{
    struct wm_l2_queues *queues = &memory->l2_queues;
    if (queues->defers)
        return;
    for (uint32_t word = 0; word < queues->words; word++) {
        for (uint64_t rest = queues->busy[word]; rest != 0; rest &= rest - 1)
            serve_slice(memory, word * 64 + (uint32_t)__builtin_ctzll(rest));
        queues->busy[word] = 0;
    }
}

#endif
