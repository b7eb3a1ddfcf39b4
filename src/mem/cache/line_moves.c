// Whole lines that move from one array into another: what victim caches and exclusive levels do.
#include "mem/cache/inline_access.h"

#include <assert.h>

bool wm_cache_extract_line(struct wm_cache *cache, uint64_t line, uint64_t index_line,
                           struct wm_cache_line *held)
{
    assert(cache->opt == NULL && cache->bytes == NULL);
    uint32_t set = wm_cache_set_of(cache, index_line);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    if (way < 0)
        return false;
    *held = wm_cache_line_at(cache, set * cache->stride + (uint32_t)way);
    wm_cache_invalidate(cache, line, index_line, cache->all_sectors);
    cache->counters.invalidations--;
    return true;
}

bool wm_cache_insert_line(struct wm_cache *cache, uint64_t line, uint64_t index_line,
                          struct wm_cache_line held, bool write_back,
                          const struct wm_requester *requester, struct wm_cache_victim *victim)
{
    assert(cache->opt == NULL && cache->bytes == NULL);
    *victim = (struct wm_cache_victim){.line = WM_CACHE_EMPTY};
    uint32_t set = wm_cache_set_of(cache, index_line);
    return wm_cache_allocate(cache, false, set, line, held, write_back, requester, victim);
}

struct wm_cache_result wm_cache_insert_from_above(struct wm_cache *cache, uint64_t line,
                                                  uint64_t index_line,
                                                  struct wm_cache_line arriving,
                                                  const struct wm_requester *requester)
{
    assert(cache->opt == NULL && cache->bytes == NULL);
    struct wm_cache_result result = {.missing = arriving.valid};
    uint32_t set = wm_cache_set_of(cache, index_line);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    if (cache->write_policy != WM_WRITE_BACK) {
        result.forward = arriving.dirty;
        arriving.dirty = 0;
    }
    if (way >= 0) {
        struct wm_cache_line held = wm_cache_line_at(cache, set * cache->stride + (uint32_t)way);
        result.missing &= ~held.valid;
        held.valid |= arriving.valid;
        held.dirty |= arriving.dirty;
        wm_cache_update_hit(cache, false, set, (uint32_t)way, line, held, true, requester);
    } else if (!wm_cache_allocate(cache, false, set, line, arriving, true, requester,
                                  &result.victim)) {
        result.forward |= arriving.dirty;
    }
    wm_cache_count(&cache->counters, WM_CACHE_WRITEBACK, arriving.valid, result.missing);
    return result;
}

void wm_cache_mark_dirty(struct wm_cache *cache, uint64_t line, uint64_t index_line,
                         uint32_t sectors)
{
    uint32_t set = wm_cache_set_of(cache, index_line);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    assert(way >= 0);
    uint32_t slot = set * cache->stride + (uint32_t)way;
    struct wm_cache_line held = wm_cache_line_at(cache, slot);
    held.dirty |= sectors;
    wm_cache_set_line(cache, slot, held);
}
