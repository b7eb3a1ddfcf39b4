// A cache that keeps so many sectors dirty at most, as last-level caches of GPUs do
// (docs/memory-system.md, R15): the line that has been dirty for the longest time is written back,
// and stays, clean, when a write leaves more. Which that is, is a list of the dirty lines by slot,
// in the order in which they became dirty; what changes a line keeps it (wm_cache_set_line).
//
// Such a cache does not keep its sets in order (struct wm_cache: is_ordered), so that a slot stays
// its line's; and it is not under `opt`, nor has byte masks. Private to mem/.
#ifndef WM_MEM_CACHE_DIRTY_LIMIT_H
#define WM_MEM_CACHE_DIRTY_LIMIT_H

#include "mem/cache/cache.h"

// clang-format off
#define WM_DIRTY_LIMIT_COUNTERS(X)                                                               \
    X(cleaned, "lines", "lines written back, and kept, as the cache had too many dirty sectors") \
    X(cleaned_sectors, "sectors", "dirty sectors of these")
// clang-format on

struct wm_dirty_limit_counters {
    WM_DIRTY_LIMIT_COUNTERS(WM_COUNTER_FIELD)
};

// Neighbours in the list, by slot. Behind all slots: where it begins and ends.
struct wm_dirty_link {
    uint32_t next, previous;
};

struct wm_dirty_limit {
    uint64_t most, sectors; // that may be dirty, and are
    uint32_t end;           // the slot behind all
    struct wm_dirty_limit_counters counters;
    struct wm_dirty_link links[]; // of slots that are not dirty anything
};

// NULL without memory; of a cache whose geometry is known. The owner frees it.
struct wm_dirty_limit *wm_dirty_limit_new(const struct wm_cache *cache, uint64_t most_sectors);
// No line is dirty.
void wm_dirty_limit_clear(struct wm_dirty_limit *limit);

// Whether the cache may have too many dirty sectors when so many more are written.
static inline bool wm_cache_may_exceed_limit(const struct wm_cache *cache, uint32_t sectors)
{
    const struct wm_dirty_limit *limit = cache->dirty_limit;
    return limit != NULL &&
           limit->sectors + wm_count_sectors(wm_cache_fetch_units(cache, sectors)) > limit->most;
}

// Cleans the line that became dirty first, other than `written`, and, in time, than those that wait
// for bytes, where the cache has too many dirty sectors: to be called until it returns false. What
// is to be written back is in `*left`, and counted as such.
bool wm_cache_clean_oldest(struct wm_cache *cache, uint64_t written, struct wm_cache_victim *left);

#endif
