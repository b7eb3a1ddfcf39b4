// What inclusive levels and the caches above them do about each other's lines
// (docs/memory-system.md, R9), for both engines: the walk at once, the clock engine when packets
// say so. Private to mem/.
#ifndef WM_MEM_SYSTEM_RELATIONS_H
#define WM_MEM_SYSTEM_RELATIONS_H

#include "mem/system/memory_state.h"

// Whether what `above` lacks comes, by however many levels, from `level`.
static inline bool wm_level_is_above(const struct wm_cache_level *above,
                                     const struct wm_cache_level *level)
{
    const struct wm_cache_level *at = above->caches != NULL ? above->below : NULL;
    while (at != NULL && at != level)
        at = at->below;
    return at != NULL;
}

// What a level below is dropping of a line.
struct wm_dropped_sectors {
    uint64_t address; // of the byte that they count from
    uint32_t sectors;
};

// Drops them from one cache of `level`, or its victim cache, and returns those that were dirty,
// which are the level's below to write. `watched` is whose misses are explained by it, on behalf of
// `request` (NULL: the host's).
uint32_t wm_back_invalidate(struct wm_memory *memory, const struct wm_cache_level *level,
                            struct wm_cache *cache, const struct wm_cache *watched,
                            const struct wm_dropped_sectors *dropped,
                            const struct wm_request *request);

// Of dirty sectors that came down with a line that `own` sectors of the cache leave with.
static inline void wm_merge_dirty(struct wm_cache *cache, uint32_t *own, uint32_t dirty)
{
    cache->counters.write_backs += dirty != 0 && *own == 0;
    *own |= dirty;
}

// Sectors of its line that a write has taken into the cache without a fetch: what lies below has
// not been sent a request for them.
static inline uint32_t wm_taken_unfetched(const struct wm_cache *cache, uint32_t missing,
                                          uint32_t fetched)
{
    return wm_cache_fetch_units(cache, missing) & ~fetched;
}

#endif
