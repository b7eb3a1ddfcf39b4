#include "mem/cache/pins.h"

#include <stdlib.h>

enum wm_status wm_cache_enable_pins(struct wm_cache *cache, struct wm_error *error)
{
    if (cache->pins != NULL)
        return WM_OK;
    // Lines in the chain's order change their ways, and the inline LRU does not look at pins.
    WM_TRY(wm_cache_keep_ways(cache, error));
    cache->pin_words = (cache->ways + 63) / 64;
    cache->pins = calloc((size_t)cache->sets * cache->pin_words, sizeof *cache->pins);
    cache->pin_counts = calloc(cache->sets, sizeof *cache->pin_counts);
    cache->free_ways = calloc(cache->sets, sizeof *cache->free_ways);
    bool ok = cache->pins != NULL && cache->pin_counts != NULL && cache->free_ways != NULL;
    if (!ok)
        return wm_fail_no_memory(error, "the reserved lines of a cache");
    cache->inserts_at_front = cache->is_lru = false;
    wm_recency_reset(&cache->recency);
    return WM_OK;
}

const uint64_t *wm_cache_unpinned_ways(const struct wm_cache *cache, uint32_t set, uint64_t *room)
{
    for (uint32_t word = 0; word < cache->pin_words; word++)
        room[word] = ~cache->pins[(size_t)set * cache->pin_words + word];
    uint32_t rest = cache->ways % 64;
    if (rest != 0)
        room[cache->pin_words - 1] &= (UINT64_C(1) << rest) - 1;
    return room;
}
