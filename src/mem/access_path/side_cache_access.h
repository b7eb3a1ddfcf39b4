// Loads that do not pass L1: those that a side cache serves, and those of a page walk.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_SIDE_CACHE_ACCESS_H
#define WM_MEM_ACCESS_PATH_SIDE_CACHE_ACCESS_H

#include "mem/access_path/l2_access.h"

// Loads from L2 for `request`: `sectors` from its address on, which lie in one line of L2.
static inline void load_from_l2(struct wm_memory *memory, const struct wm_request *request,
                                uint32_t sectors, struct access_context *context)
{
    uint64_t within = request->address & (memory->l2_line_bytes - 1);
    l2_read_line(memory, request->address - within, sectors << (within / WM_SECTOR_BYTES), context);
}

static inline struct access_context load_context(struct wm_memory *memory,
                                                 const struct wm_request *request)
{
    return (struct access_context){
        .requester = {.sm = request->sm, .warp = request->warp, .pc = request->pc},
        .instruction_counters = request->instruction_counters != NULL
                                    ? request->instruction_counters
                                    : &memory->unattributed,
        .request = WM_PATHS_FULL ? request : NULL,
    };
}

static void l2_load(struct wm_memory *memory, const struct wm_request *request)
{
    struct access_context context = load_context(memory, request);
    load_from_l2(memory, request, request->sectors, &context);
}

// A line of such a cache lies in one line of L2 (mem/system/memory_spec_check.c).
static struct wm_access_result side_cache_load(struct wm_memory *memory, struct wm_cache *cache,
                                               const struct wm_request *request)
{
    struct access_context context = load_context(memory, request);
    uint64_t line = request->address >> cache->line_shift;
    struct wm_cache_result result =
        wm_cache_read_inline(cache, line, line, request->sectors, true, &context.requester);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = cache,
                                          .client = WM_CACHE_LOAD,
                                          .line = line,
                                          .sectors = request->sectors,
                                          .allocate = true},
                &result, &context);
    uint64_t misses = (uint64_t)__builtin_popcount(result.missing);
    context.instruction_counters->side_cache_misses += misses;
    context.instruction_counters->side_cache_hits +=
        (uint64_t)__builtin_popcount(request->sectors) - misses;
    cache->counters.bytes_to_above += bytes_of(request->sectors);
    if (result.fetch != 0) {
        cache->counters.bytes_from_below += bytes_of(result.fetch);
        load_from_l2(memory, request, result.fetch, &context);
    }
    return (struct wm_access_result){.source = result.missing != 0 ? WM_SOURCE_BELOW_L1
                                                                   : WM_SOURCE_SIDE_CACHE};
}

#endif
