#include "mem/cache/dirty_limit.h"

#include "mem/cache/pins.h"
#include "mem/system/memory_components.h"

#include <stdlib.h>

static const struct wm_counter_declaration declarations[] = {
    WM_DIRTY_LIMIT_COUNTERS(WM_COUNTER_DECLARATION)};
const struct wm_counter_set wm_dirty_limit_counter_set = {
    .kind = "dirty_limit",
    .title = "limit of dirty sectors",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

struct wm_dirty_limit *wm_dirty_limit_new(const struct wm_cache *cache, uint64_t most_sectors)
{
    struct wm_dirty_limit *limit = malloc(sizeof *limit);
    uint64_t most = most_sectors / cache->sets;
    if (limit != NULL)
        *limit = (struct wm_dirty_limit){.most = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX};
    return limit;
}

static bool may_be_cleaned(const struct wm_cache *cache, uint32_t set, uint32_t way,
                           uint64_t written)
{
    uint64_t slot = (uint64_t)set * cache->stride + way;
    return wm_cache_line_at(cache, slot).dirty != 0 && cache->tags[slot] != written &&
           (cache->pins == NULL || !wm_cache_is_pinned(cache, set, way));
}

// The last one of the chain, where the entry keeps its lines in one; else the lowest way.
int32_t wm_dirty_limit_way(const struct wm_cache *cache, uint32_t set, uint64_t written)
{
    uint64_t allowed[WM_CACHE_MAX_WAYS / 64] = {0};
    int32_t last = WM_NO_WAY;
    for (uint32_t way = cache->ways; way-- > 0;)
        if (may_be_cleaned(cache, set, way, written)) {
            allowed[way / 64] |= UINT64_C(1) << way % 64;
            if (last == WM_NO_WAY || !cache->is_ordered)
                last = (int32_t)way;
        }
    if (cache->is_ordered || !cache->replacement->uses_chain)
        return last;
    return wm_recency_last_allowed(&cache->recency, set, 0, allowed);
}
