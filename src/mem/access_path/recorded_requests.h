// Requests that the L1s of another memory system sent (mem/system/below_requests.h): served below
// L1. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_RECORDED_REQUESTS_H
#define WM_MEM_ACCESS_PATH_RECORDED_REQUESTS_H

#include "mem/access_path/l2_queue.h"

// The requester in a recorded request's context: complete where a replacement entry sees it.
WM_CACHE_INLINE void fill_requester(struct wm_requester *requester,
                                    const struct wm_below_request *request, bool is_seen)
{
    requester->kind = (enum wm_access_kind)request->kind;
    if (!is_seen)
        return;
    requester->hint = (enum wm_cache_hint)request->hint;
    requester->sm = request->sm;
    requester->warp = request->warp;
    requester->pc = request->pc;
}

static void serve_below_requests(struct wm_memory *memory, const struct wm_below_request *requests,
                                 uint32_t count, struct wm_instruction_counters *counters_by_pc)
{
    bool is_seen = WM_PATHS_FULL || memory->l2_queues.requesters != NULL;
    struct access_context context = {.may_queue = true};
    for (const struct wm_below_request *request = requests; request < requests + count; request++) {
        context.instruction_counters = &counters_by_pc[request->pc];
        fill_requester(&context.requester, request, is_seen);
        if (request->client == WM_CACHE_LOAD)
            l2_read(memory, request->address, request->sectors, &context);
        else
            l2_write(memory, (enum wm_cache_client)request->client, request->address,
                     request->sectors, request->full_sectors, &context);
    }
}

// --- The same, sorted by slice ---

// As the slice serves them, charged in `counters_by_pc` for what came down to L2. `resets`: the
// slice's sets are others than those of the slice that kept them.
static void load_slice_batch(struct wm_memory *memory, const struct wm_l2_queue_entry *row,
                             uint32_t count, bool resets,
                             struct wm_instruction_counters *counters_by_pc,
                             struct wm_l2_queue_entry *taken)
{
    for (uint32_t i = 0; i < count; i++) {
        struct wm_instruction_counters *instruction_counters =
            (void *)((char *)counters_by_pc + row[i].counters_offset);
        uint64_t bytes = bytes_of(row[i].sectors);
        instruction_counters->levels[WM_LEVEL_L2].bytes += row[i].returns ? 2 * bytes : bytes;
        taken[i] = row[i];
        taken[i].instruction_counters = instruction_counters;
        if (!resets)
            continue;
        uint64_t index_line;
        wm_memory_slice(memory, row[i].line_address >> memory->l2_line_shift, &index_line);
        taken[i].set = l2_set_of(memory, index_line);
    }
}

static void serve_slice_batches(struct wm_memory *memory, const struct wm_slice_batches *kept,
                                uint32_t first, uint32_t end,
                                struct wm_instruction_counters *counters_by_pc)
{
    bool resets = kept->sets != memory->levels[WM_LEVEL_L2].caches->sets ||
                  kept->set_index != memory->levels[WM_LEVEL_L2].caches->set_index;
    struct wm_l2_queue_entry taken[WM_L2_QUEUE_ENTRIES];
    for (const struct wm_slice_batch *row = kept->rows + first; row < kept->rows + end; row++) {
        load_slice_batch(memory, kept->entries + row->first, row->count, resets, counters_by_pc,
                         taken);
        serve_queue(memory, row->slice, taken, row->count);
    }
}

#endif
