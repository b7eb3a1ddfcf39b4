// Loads that do not pass L1: those that a side cache serves, and those of a page walk.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_SIDE_CACHE_ACCESS_H
#define WM_MEM_ACCESS_PATH_SIDE_CACHE_ACCESS_H

#include "mem/access_path/l1_pass.h"

static inline struct access_context load_context(struct wm_memory *memory,
                                                 const struct wm_request *request)
{
    return (struct access_context){
        .requester = {.sm = request->sm, .warp = request->warp, .pc = request->pc},
        .unit = request->sm,
        .instruction_counters = request->instruction_counters != NULL
                                    ? request->instruction_counters
                                    : &memory->unattributed,
        .may_queue = memory->l2_queues.defers,
        .request = WM_PATHS_FULL ? request : NULL,
    };
}

// Of one sector.
static void load_past_first(struct wm_memory *memory, const struct wm_request *request)
{
    struct access_context context = load_context(memory, request);
    const struct wm_cache_level *first = first_level(memory, &context);
    if (first->below == NULL)
        memory_access(memory, WM_SECTOR_BYTES, request->address, request->sectors, false, &context);
    else
        request_lines(memory, below_of(memory, first), WM_SECTOR_BYTES, WM_CACHE_LOAD,
                      request->address, request->sectors, 0, &context);
}

// A line of such a cache lies in one line of the level below (mem/system/memory_spec_check.c).
static struct wm_access_result side_cache_load(struct wm_memory *memory,
                                               const struct wm_cache_level *level,
                                               struct wm_cache *cache,
                                               const struct wm_request *request)
{
    struct access_context context = load_context(memory, request);
    struct line_place place = place_in(cache, request->address);
    uint32_t missing = level_access(memory, level, cache, WM_CACHE_LOAD, &place, request->sectors,
                                    0, true, &context);
    return (struct wm_access_result){.source =
                                         missing != 0 ? WM_SOURCE_BELOW_L1 : WM_SOURCE_SIDE_CACHE};
}

#endif
