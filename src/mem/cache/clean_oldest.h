// Which line a cache with a limit on dirty sectors cleans, inline for the access path, as
// mem/cache/inline_access.h is. Private to mem/.
#ifndef WM_MEM_CACHE_CLEAN_OLDEST_H
#define WM_MEM_CACHE_CLEAN_OLDEST_H

#include "mem/cache/inline_access.h"
#include "mem/cache/pins.h"

// Whether the line of entry `at` has another that is later. A chain's numbers go down; one that
// does not is of 2^32 entries ago, and so is what follows it.
WM_CACHE_INLINE bool wm_dirty_limit_has_later(const struct wm_dirty_limit *limit, uint32_t at)
{
    const struct wm_dirty_entry *own = &limit->entries[at & limit->mask];
    uint32_t before = limit->end, next = *wm_dirty_limit_latest(limit, own->set, own->line);
    while (next - at - 1 < before - at - 1) {
        const struct wm_dirty_entry *entry = &limit->entries[next & limit->mask];
        if (entry->line == own->line)
            return true;
        before = next;
        next = entry->earlier;
    }
    return false;
}

enum { WM_DIRTY_STALE = -1 };

// The slot of the line that has been dirty since entry `at`.
WM_CACHE_INLINE int64_t wm_dirty_limit_slot(const struct wm_cache *cache, uint32_t at)
{
    const struct wm_dirty_limit *limit = cache->dirty_limit;
    const struct wm_dirty_entry *entry = &limit->entries[at & limit->mask];
    int32_t way = wm_cache_find_in_set(cache, entry->set, entry->line);
    int64_t slot = (int64_t)entry->set * cache->stride + way;
    bool none_stale = limit->end - limit->first == limit->lines;
    if (__builtin_expect(none_stale, 1))
        return slot;
    if (way < 0 || wm_cache_line_at(cache, (uint64_t)slot).dirty == 0 ||
        wm_dirty_limit_has_later(limit, at))
        return WM_DIRTY_STALE;
    return slot;
}

// Prefetches what the next lines to be cleaned, or those after them, will be found by.
WM_CACHE_INLINE void wm_dirty_limit_host_prefetch(const struct wm_cache *cache)
{
    enum { AHEAD = 2, FAR_AHEAD = 8 };
    const struct wm_dirty_limit *limit = cache->dirty_limit;
    const struct wm_dirty_entry *next = &limit->entries[(limit->first + AHEAD) & limit->mask];
    __builtin_prefetch(&limit->entries[(limit->first + FAR_AHEAD) & limit->mask]);
    __builtin_prefetch(wm_dirty_limit_row(limit, next->set));
    wm_cache_host_prefetch(cache, next->set, next->line);
}

static inline bool wm_cache_waits_for_bytes(const struct wm_cache *cache, uint32_t slot)
{
    return cache->pins != NULL &&
           wm_cache_is_pinned(cache, slot / cache->stride, slot % cache->stride);
}

WM_CACHE_INLINE void wm_cache_clean_slot(struct wm_cache *cache, uint32_t slot,
                                         struct wm_cache_victim *left)
{
    struct wm_dirty_limit *limit = cache->dirty_limit;
    struct wm_cache_line held = wm_cache_line_at(cache, slot);
    *left = (struct wm_cache_victim){.line = cache->tags[slot], .dirty = held.dirty};
    wm_dirty_limit_leave(limit, held.dirty);
    held.dirty = 0;
    wm_cache_put_line(cache, slot, held);
    cache->counters.write_backs++;
    limit->counters.cleaned++;
    limit->counters.cleaned_sectors += wm_count_sectors(left->dirty);
}

// Cleans the line that became dirty first, other than `written`, and, in time, than those that wait
// for bytes, where the cache has too many dirty sectors: to be called until it returns false. What
// is to be written back is in `*left`, and counted as such.
WM_CACHE_INLINE bool wm_cache_clean_oldest(struct wm_cache *cache, uint64_t written,
                                           struct wm_cache_victim *left)
{
    struct wm_dirty_limit *limit = cache->dirty_limit;
    if (limit->sectors <= limit->most)
        return false;
    for (uint32_t at = limit->first; at != limit->end; at++) {
        int64_t slot = wm_dirty_limit_slot(cache, at);
        bool stays = slot != WM_DIRTY_STALE && (cache->tags[slot] == written ||
                                                wm_cache_waits_for_bytes(cache, (uint32_t)slot));
        if (!stays && at == limit->first)
            limit->first++;
        if (slot == WM_DIRTY_STALE || stays)
            continue;
        wm_dirty_limit_host_prefetch(cache);
        wm_cache_clean_slot(cache, (uint32_t)slot, left);
        return true;
    }
    return false;
}

#endif
