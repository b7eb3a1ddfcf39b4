// Requests that wait for their slice of L2 (l2_enqueue.h) are served. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_L2_QUEUE_H
#define WM_MEM_ACCESS_PATH_L2_QUEUE_H

#include "mem/access_path/l2_fast_ordered.h"
#include "mem/system/memory_view.h"

// How many requests ahead the host prefetches what they will read.
enum { L2_AHEAD = 6 };
static inline void host_prefetch_entry(const struct wm_memory *memory, uint32_t slice,
                                       const struct wm_l2_queue_entry *entry)
{
    wm_cache_host_prefetch(&memory->levels[WM_LEVEL_L2].caches[slice], entry->set,
                           entry->line_address >> memory->l2_line_shift);
}

static __attribute__((noinline)) void serve_l2_entry(struct wm_memory *memory, uint32_t slice,
                                                     const struct wm_l2_queue *queue, uint32_t at)
{
    const struct wm_l2_queue_entry *entry = &queue->entries[at];
    struct access_context context = {.instruction_counters = charged_by(memory, entry)};
    if (__builtin_expect(queue->requesters != NULL, 0))
        context.requester = queue->requesters[at];
    else
        context.requester.kind = entry->returns ? WM_ACCESS_ATOMIC : WM_ACCESS_LOAD;
    struct wm_cache *l2 = &memory->levels[WM_LEVEL_L2].caches[slice];
    struct line_place place = {.address = entry->line_address,
                               .line = entry->line_address >> memory->l2_line_shift,
                               .set = entry->set};
    if (entry->client == WM_CACHE_LOAD) {
        level_load(memory, &memory->levels[WM_LEVEL_L2], l2, &place, entry->sectors, true,
                   &context);
        return;
    }
    wm_memory_slice(memory, place.line, &place.index_line);
    level_write(memory, &memory->levels[WM_LEVEL_L2], l2, (enum wm_cache_client)entry->client,
                &place, entry->sectors, entry->full_sectors, true, &context);
}

static void serve_l2_entries(struct wm_memory *memory, uint32_t slice,
                             const struct wm_l2_queue *queue)
{
    for (; queue != NULL; queue = queue->next) {
        const struct wm_l2_queue_entry *entries = queue->entries;
        for (uint32_t i = 0; i < L2_AHEAD && i < queue->count; i++)
            host_prefetch_entry(memory, slice, &entries[i]);
        for (uint32_t i = 0; i < queue->count; i++) {
            if (i + L2_AHEAD < queue->count)
                host_prefetch_entry(memory, slice, &entries[i + L2_AHEAD]);
            serve_l2_entry(memory, slice, queue, i);
        }
    }
}

// --- A slice that is ordered ---

WM_CACHE_INLINE void host_prefetch_ordered(const struct wm_cache *l2, uint32_t stride, uint32_t set)
{
    uint64_t base = (uint64_t)set * stride;
    for (uint32_t way = 0; way < stride; way += WM_CACHE_TAG_LANES) {
        __builtin_prefetch(l2->tags + base + way, 1);
    }
    __builtin_prefetch(l2->narrow_lines + base, 1); // what waits is for such (wm_memory_needs_full)
}

WM_CACHE_INLINE void serve_ordered_queue(struct wm_memory *memory, uint32_t slice, uint32_t stride,
                                         const struct wm_l2_queue *queue, bool misses_too,
                                         struct ordered_tally *tally)
{
    const struct wm_l2_queue_entry *entries = queue->entries;
    uint32_t shift = memory->l2_line_shift, count = queue->count;
    struct wm_cache *l2 = &memory->levels[WM_LEVEL_L2].caches[slice];
    for (uint32_t i = 0; i < L2_AHEAD && i < count; i++)
        host_prefetch_ordered(l2, stride, entries[i].set);
    for (uint32_t i = 0; i < count; i++) {
        if (i + L2_AHEAD < count)
            host_prefetch_ordered(l2, stride, entries[i + L2_AHEAD].set);
        uint64_t line = entries[i].line_address >> shift;
        enum ordered_outcome outcome = serve_hit(memory, l2, stride, &entries[i], line, tally);
        if (outcome == ORDERED_ABSENT && misses_too)
            serve_miss(memory, l2, stride, &entries[i], line, tally);
        else if (outcome != ORDERED_SERVED)
            serve_l2_entry(memory, slice, queue, i);
    }
}

WM_CACHE_INLINE void serve_ordered(struct wm_memory *memory, uint32_t slice, uint32_t stride,
                                   const struct wm_l2_queue *queue)
{
    struct wm_cache *l2 = &memory->levels[WM_LEVEL_L2].caches[slice];
    bool misses_too = ordered_misses_are_simple(l2);
    struct ordered_tally tally = {0};
    for (; queue != NULL; queue = queue->next)
        serve_ordered_queue(memory, slice, stride, queue, misses_too, &tally);
    count_ordered(l2, &tally);
}

static void serve_queue(struct wm_memory *memory, uint32_t slice, const struct wm_l2_queue *queue)
{
    const struct wm_cache *l2 = &memory->levels[WM_LEVEL_L2].caches[slice];
    switch (ordered_hits_are_simple(l2) ? l2->stride : 0) {
    case 8: serve_ordered(memory, slice, 8, queue); break;
    case 16: serve_ordered(memory, slice, 16, queue); break;
    case 24: serve_ordered(memory, slice, 24, queue); break;
    case 32: serve_ordered(memory, slice, 32, queue); break;
    default: serve_l2_entries(memory, slice, queue);
    }
}

// Queues of another memory system, whose slices hold other sets.
static __attribute__((noinline)) void serve_foreign_queue(struct wm_memory *memory, uint32_t slice,
                                                          const struct wm_l2_queue *queue)
{
    struct wm_l2_queue_entry taken[WM_L2_QUEUE_ENTRIES];
    struct wm_l2_queue part = {.entries = taken};
    for (; queue != NULL; queue = queue->next)
        for (uint32_t i = 0; i < queue->count; i++) {
            struct wm_l2_queue_entry *entry = &taken[part.count++];
            *entry = queue->entries[i];
            uint64_t index_line;
            wm_memory_slice(memory, entry->line_address >> memory->l2_line_shift, &index_line);
            entry->set = l2_set_of(memory, index_line);
            if (part.count < WM_L2_QUEUE_ENTRIES)
                continue;
            serve_queue(memory, slice, &part);
            part.count = 0;
        }
    serve_queue(memory, slice, &part);
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
        wm_memory_view_grow(memory, queue);
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
