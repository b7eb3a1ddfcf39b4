// Misses of coherent caches explained, for both drivers of the tables: the walk, where an access is
// over when it returns, and the caches in time. A line is taken by the access that misses it,
// whole, whenever its data come. Private to mem/.
#ifndef WM_MEM_EXPLAIN_COHERENT_MISSES_H
#define WM_MEM_EXPLAIN_COHERENT_MISSES_H

#include "mem/cache/cache.h"
#include "mem/system/memory.h"

// An access of a unit to a cache, or what a cache above fetches or writes back.
struct wm_coherent_lookup {
    struct wm_cache *cache;
    enum wm_cache_client client;
    uint64_t line;
    uint32_t sectors;
    bool missed;
    bool passes;     // it keeps no copy: the access bypasses it
    uint64_t victim; // the line that it displaces; WM_CACHE_EMPTY: none
};

// `request`: on whose behalf it is (explain.h); NULL: the host's.
void wm_explain_coherent_lookup(struct wm_memory *memory, const struct wm_coherent_lookup *lookup,
                                const struct wm_request *request);
// A cache's copy is gone: `recalled`, for an eviction below or by the host, or another's write has
// taken it.
void wm_explain_coherent_loss(struct wm_memory *memory, const struct wm_cache *cache, uint64_t line,
                              bool recalled, const struct wm_request *request);

#endif
