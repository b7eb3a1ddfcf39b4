// An access to a slice of L2: the part of a request that lies in one of its lines.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_L2_LINE_H
#define WM_MEM_ACCESS_PATH_L2_LINE_H

#include "mem/access_path/atomic_buffer_access.h"
#include "mem/access_path/inclusion.h"

// Slices have their sets alike, and one's way to find them stays near.
WM_CACHE_INLINE uint32_t l2_set_of(const struct wm_memory *memory, uint64_t index_line)
{
    return memory->l2_sets != NULL ? wm_set_looked_up(memory->l2_sets, index_line)
                                   : wm_cache_set_of(memory->l2.caches, index_line);
}

// Field by field and in place: a copy of what has just been stored so would wait for the stores.
WM_CACHE_INLINE void fill_l2_request(const struct wm_memory *memory, struct l2_request *request,
                                     enum wm_cache_client client, uint64_t line_address,
                                     uint32_t sectors, uint32_t full_sectors)
{
    request->line_address = line_address;
    request->sectors = sectors;
    request->full_sectors = full_sectors;
    request->client = client;
    request->slice =
        wm_memory_slice(memory, line_address >> memory->l2_line_shift, &request->index_line);
    request->set = l2_set_of(memory, request->index_line);
}

WM_CACHE_INLINE void l2_serve_read(struct wm_memory *memory, const struct l2_request *request,
                                   struct access_context *context)
{
    uint32_t sectors = request->sectors;
    uint64_t line = request->line_address >> memory->l2_line_shift;
    struct wm_cache *l2 = &memory->l2.caches[request->slice];
    if (has_atomic_buffers(memory))
        spill_line(memory, request->slice, request->line_address, sectors, context);
    bool allocate = !(WM_PATHS_FULL && context->read_no_allocate);
    struct wm_cache_result result =
        cache_read(l2, request->set, line, request->index_line, sectors, allocate, context);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = l2,
                                          .client = WM_CACHE_LOAD,
                                          .line = line,
                                          .sectors = sectors,
                                          .allocate = allocate},
                &result, context);
    l2->counters.bytes_to_above += bytes_of(sectors);
    charge_l2(context, sectors, result.missing);
    if (is_inclusive(memory))
        enforce_inclusion(memory, l2, request->line_address, false, &result, context);
    if (result.missing != 0)
        finish_l2_access(memory, l2, request->line_address, &result, context);
}

static inline bool atomic_returns(enum wm_cache_client client, const struct access_context *context)
{
    return client == WM_CACHE_ATOMIC && context->requester.kind == WM_ACCESS_ATOMIC;
}

// An atomic at a slice with an atomic buffer.
static void l2_serve_buffered(struct wm_memory *memory, const struct l2_request *request,
                              struct access_context *context)
{
    struct wm_cache *l2 = &memory->l2.caches[request->slice];
    uint64_t bytes = bytes_of(request->sectors);
    l2->counters.bytes_from_above += bytes;
    l2->counters.bytes_to_above += atomic_returns(request->client, context) ? bytes : 0;
    operate_buffered(memory, request->slice, request->line_address, request->sectors, context);
}

WM_CACHE_INLINE void l2_serve_write(struct wm_memory *memory, const struct l2_request *request,
                                    struct access_context *context)
{
    uint32_t sectors = request->sectors;
    uint64_t line = request->line_address >> memory->l2_line_shift, bytes = bytes_of(sectors);
    struct wm_cache *l2 = &memory->l2.caches[request->slice];
    if (has_atomic_buffers(memory)) {
        if (request->client == WM_CACHE_ATOMIC) {
            l2_serve_buffered(memory, request, context);
            return;
        }
        spill_line(memory, request->slice, request->line_address, sectors, context);
    }
    bool allocate = l2->write_allocate && !(WM_PATHS_FULL && context->write_no_allocate);
    struct wm_cache_result result =
        cache_write(l2, request->client, request->set, line, request->index_line, sectors,
                    request->full_sectors, allocate, context);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = l2,
                                          .client = request->client,
                                          .line = line,
                                          .sectors = sectors,
                                          .allocate = allocate},
                &result, context);
    l2->counters.bytes_from_above += bytes;
    l2->counters.bytes_to_above += atomic_returns(request->client, context) ? bytes : 0;
    if (request->client != WM_CACHE_WRITEBACK)
        charge_l2(context, sectors, result.missing);
    if (is_inclusive(memory))
        enforce_inclusion(memory, l2, request->line_address, true, &result, context);
    if ((result.fetch | result.forward | result.victim.dirty) != 0)
        finish_l2_access(memory, l2, request->line_address, &result, context);
}

#endif
