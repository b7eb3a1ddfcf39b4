#include "mem/cache/clean_oldest.h"

void wm_dirty_limit_compact(struct wm_cache *cache)
{
    struct wm_dirty_limit *limit = cache->dirty_limit;
    uint32_t first = limit->first, end = limit->end;
    // Lines mostly leave in the order in which they became dirty.
    while (first != end && wm_dirty_limit_slot(cache, first) == WM_DIRTY_STALE)
        first++;
    if (first - limit->first > limit->mask / 4) {
        limit->first = first;
        return;
    }
    first = limit->first;
    for (uint32_t at = first; at != end; at++)
        if (wm_dirty_limit_slot(cache, at) == WM_DIRTY_STALE)
            limit->entries[at & limit->mask].line = WM_CACHE_EMPTY;
    // With new numbers, as chains go by the old ones. The queue was full: the place of the first
    // new one is that of the first old one, and they never catch up.
    limit->first = end;
    for (uint32_t at = first; at != end; at++) {
        const struct wm_dirty_entry entry = limit->entries[at & limit->mask];
        if (entry.line != WM_CACHE_EMPTY)
            wm_dirty_limit_append(limit, entry.set, entry.line);
    }
}
