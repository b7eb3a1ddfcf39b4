// A cache that keeps so many sectors dirty at most, as last-level caches of GPUs do
// (docs/memory-system.md, R15): each set its part of them. When a write leaves more in its set, the
// dirty line that was used longest ago is written back, and stays, clean.
//
// By set, so that nothing is kept but what the lines say themselves: what a write reads has been
// brought to the host's caches by its look-up.
//
// Such a cache is not under `opt`, nor has byte masks. Private to mem/.
#ifndef WM_MEM_CACHE_DIRTY_LIMIT_H
#define WM_MEM_CACHE_DIRTY_LIMIT_H

#include "mem/cache/cache.h"

#include <string.h>

// clang-format off
#define WM_DIRTY_LIMIT_COUNTERS(X)                                                               \
    X(cleaned, "lines", "lines written back, and kept, as the cache had too many dirty sectors") \
    X(cleaned_sectors, "sectors", "dirty sectors of these")
// clang-format on

struct wm_dirty_limit_counters {
    WM_DIRTY_LIMIT_COUNTERS(WM_COUNTER_FIELD)
};

struct wm_dirty_limit {
    uint32_t most; // sectors of a set that may be dirty
    struct wm_dirty_limit_counters counters;
};

// NULL without memory; of a cache whose geometry is known, all of whose sets may have so many dirty
// sectors together. The owner frees it.
struct wm_dirty_limit *wm_dirty_limit_new(const struct wm_cache *cache, uint64_t most_sectors);
// Which way of a set is to be cleaned, other than that of the line `written` and, in time, those
// that wait for bytes; or WM_NO_WAY.
int32_t wm_dirty_limit_way(const struct wm_cache *cache, uint32_t set, uint64_t written);

// The dirty sectors of four narrow lines, each line's in the upper byte of its 16 bits.
static inline uint64_t wm_dirty_of_four(const struct wm_cache *cache, uint64_t slot)
{
    uint64_t lines;
    memcpy(&lines, &cache->narrow_lines[slot], sizeof lines);
    return lines & UINT64_C(0xff00ff00ff00ff00);
}

static inline uint32_t wm_cache_dirty_sectors(const struct wm_cache *cache, uint32_t set)
{
    uint64_t base = (uint64_t)set * cache->stride;
    uint32_t sectors = 0;
    if (__builtin_expect(cache->narrow_lines != NULL, 1))
        for (uint32_t way = 0; way < cache->stride; way += 4)
            sectors += (uint32_t)__builtin_popcountll(wm_dirty_of_four(cache, base + way));
    else
        for (uint32_t way = 0; way < cache->ways; way++)
            sectors += wm_count_sectors(cache->wide_lines[base + way].dirty);
    return sectors;
}

// As wm_dirty_limit_way, of a set that stands in its order and has narrow lines.
static inline int32_t wm_dirty_limit_ordered_way(const struct wm_cache *cache, uint32_t set,
                                                 uint64_t written)
{
    uint64_t base = (uint64_t)set * cache->stride;
    for (uint32_t end = cache->stride; end > 0; end -= 4) {
        uint64_t dirty = wm_dirty_of_four(cache, base + end - 4);
        while (dirty != 0) {
            uint32_t after = (uint32_t)__builtin_clzll(dirty) / 16;
            if (cache->tags[base + end - 1 - after] != written)
                return (int32_t)(end - 1 - after);
            dirty &= ~(UINT64_C(0xffff) << (3 - after) * 16);
        }
    }
    return WM_NO_WAY;
}

static inline void wm_cache_clean_slot(struct wm_cache *cache, uint64_t slot,
                                       struct wm_cache_victim *left)
{
    struct wm_cache_line held = wm_cache_line_at(cache, slot);
    *left = (struct wm_cache_victim){.line = cache->tags[slot], .dirty = held.dirty};
    held.dirty = 0;
    wm_cache_set_line(cache, slot, held);
    cache->counters.write_backs++;
    cache->dirty_limit->counters.cleaned++;
    cache->dirty_limit->counters.cleaned_sectors += wm_count_sectors(left->dirty);
}

// Cleans the last dirty line of `set`, in which `written` has been written and `*dirty` sectors are
// dirty, where these are too many: to be called until it returns false. What is to be written back
// is in `*left`, and counted as such.
static inline bool wm_cache_clean_last(struct wm_cache *cache, uint32_t set, uint64_t written,
                                       uint32_t *dirty, struct wm_cache_victim *left)
{
    if (*dirty <= cache->dirty_limit->most)
        return false;
    bool ordered = cache->is_ordered && cache->narrow_lines != NULL;
    int32_t way = ordered ? wm_dirty_limit_ordered_way(cache, set, written)
                          : wm_dirty_limit_way(cache, set, written);
    if (way < 0)
        return false;
    wm_cache_clean_slot(cache, (uint64_t)set * cache->stride + (uint32_t)way, left);
    *dirty -= wm_count_sectors(left->dirty);
    return true;
}

#endif
