// An L1 that knows which warps its lines belong to: the parts of DaCache (B. Wang, W. Yu, X.-H. Sun
// and X. Wang, "DaCache: memory divergence-aware GPU cache management", ICS 2015), each of which
// may be used alone. It is a recency chain like LRU's, whose answers depend on the requester: where
// a line enters, how far a hit moves it up, and which positions may be displaced.
#ifndef WM_MEM_DIVERGENCE_DIVERGENCE_AWARE_H
#define WM_MEM_DIVERGENCE_DIVERGENCE_AWARE_H

#include "mem/cache/cache.h"
#include "mem/divergence/fully_cached_warps.h"
#include "mem/divergence/gauge.h"
#include "mem/divergence/load_misses.h"
#include "mem/divergence/locality_detector.h"
#include "mem/replacement/replacement.h"
#include "mem/system/memory_spec.h"

enum {
    WM_FEW_LINES = 5
}; // of a divergent load that enter in front (section 4.2, "no more than 5")

// First in the cache's array_state.
struct wm_divergence_aware {
    struct wm_divergence_spec spec;
    struct wm_gauge gauge;
    struct wm_fully_cached_warps warps;
    struct wm_locality_detector detector;
};

// The chain of such a cache. Not in the table: keys of L1 choose it (wm_divergence_built_as).
extern const struct wm_replacement_ops wm_replacement_divergence_aware;

// Whether L1 is to have any of the parts.
bool wm_divergence_is_enabled(const struct wm_divergence_spec *spec);
// `l1`, whose replacement is lru if it is: with that of the parts.
struct wm_cache_spec wm_divergence_built_as(const struct wm_divergence_spec *spec,
                                            const struct wm_cache_spec *l1);

// NULL for a cache that has none of them.
static inline struct wm_divergence_aware *wm_divergence_of(const struct wm_cache *cache)
{
    return cache->replacement == &wm_replacement_divergence_aware ? cache->array_state : NULL;
}

// Warps of each scheduler that have a part of the cache of their own; 0: there is no such part.
uint32_t wm_divergence_warps(const struct wm_divergence_aware *aware);

// A load that was looked for in L1, of a warp in slot `warp` of the SM and of `rank` in its
// scheduler, requests one of its `lines` lines.
void wm_divergence_watch(struct wm_divergence_aware *aware, uint32_t pc, uint32_t warp,
                         uint32_t rank, uint32_t lines, uint64_t line, bool missing);
// All lines of such a load have been requested, `missed` of which were not there.
void wm_divergence_served(struct wm_divergence_aware *aware, uint32_t rank, uint32_t lines,
                          uint32_t missed);

#endif
