// Loads that do not pass L1: those that a cache beside it serves, and those of a page walk.
#ifndef WM_MEM_PATHS_PATH_BESIDE_H
#define WM_MEM_PATHS_PATH_BESIDE_H

#include "mem/paths/path_l2.h"

// What `request` asks of L2 itself: `sectors` from its address on, which lie in one line of L2.
static inline void load_from_l2(struct wm_memory *memory, const struct wm_request *request,
                                uint32_t sectors, struct errand *errand)
{
    uint64_t within = request->address & (memory->l2_line_bytes - 1);
    l2_read_line(memory, request->address - within, sectors << (within / WM_SECTOR_BYTES), errand);
}

static inline struct errand load_errand(struct wm_memory *memory, const struct wm_request *request)
{
    return (struct errand){
        .origin = {.sm = request->sm, .warp = request->warp, .pc = request->pc},
        .cause = request->cause != NULL ? request->cause : &memory->nobody,
        .request = WM_PATHS_FULL ? request : NULL,
    };
}

static void l2_load(struct wm_memory *memory, const struct wm_request *request)
{
    struct errand errand = load_errand(memory, request);
    load_from_l2(memory, request, request->sectors, &errand);
}

// A line of such a cache lies in one line of L2 (memory_check.c).
static void beside_load(struct wm_memory *memory, struct wm_cache *cache,
                        const struct wm_request *request)
{
    struct errand errand = load_errand(memory, request);
    uint64_t line = request->address >> cache->line_shift;
    uint64_t evictions = cache->counters.evictions;
    struct wm_cache_result result =
        wm_cache_read_inline(cache, line, line, request->sectors, true, &errand.origin);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = cache,
                                          .client = WM_CACHE_LOAD,
                                          .line = line,
                                          .sectors = request->sectors,
                                          .allocate = true,
                                          .evictions = evictions},
                &result, &errand);
    uint64_t misses = (uint64_t)__builtin_popcount(result.missing);
    errand.cause->beside_misses += misses;
    errand.cause->beside_hits += (uint64_t)__builtin_popcount(request->sectors) - misses;
    cache->counters.bytes_to_above += bytes_of(request->sectors);
    if (result.fetch == 0)
        return;
    cache->counters.bytes_from_below += bytes_of(result.fetch);
    load_from_l2(memory, request, result.fetch, &errand);
}

#endif
