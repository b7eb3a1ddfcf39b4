// Lines that wait for their bytes: a timed cache that allocates on a miss has given them a way, and
// they may not be displaced before the fill (a reserved line is never a victim). Untimed caches
// have none, and pay nothing for it.
#ifndef WM_MEM_CACHE_PINS_H
#define WM_MEM_CACHE_PINS_H

#include "mem/cache/cache.h"

// Makes an empty cache one whose lines keep their ways and may be pinned. WM_NO_MEMORY; not for
// caches under `opt`.
enum wm_status wm_cache_enable_pins(struct wm_cache *cache, struct wm_error *error);

static inline bool wm_cache_is_pinned(const struct wm_cache *cache, uint32_t set, uint32_t way)
{
    return cache->pins[(size_t)set * cache->pin_words + way / 64] >> way % 64 & 1;
}

static inline void wm_cache_pin(struct wm_cache *cache, uint32_t set, uint32_t way)
{
    uint64_t *word = &cache->pins[(size_t)set * cache->pin_words + way / 64];
    cache->pin_counts[set] += !(*word >> way % 64 & 1);
    *word |= UINT64_C(1) << way % 64;
}

static inline void wm_cache_unpin(struct wm_cache *cache, uint32_t set, uint32_t way)
{
    uint64_t *word = &cache->pins[(size_t)set * cache->pin_words + way / 64];
    cache->pin_counts[set] -= (uint32_t)(*word >> way % 64 & 1);
    *word &= ~(UINT64_C(1) << way % 64);
}

// What a set has room for: how many lines it holds, and a way below which all hold one, so that no
// search goes through hundreds of ways for the lowest empty one.
struct wm_free_ways {
    uint16_t lines, first;
};

// The lowest empty way, or WM_NO_WAY, and how many lines the set holds.
static inline int32_t wm_free_ways_lowest(const struct wm_cache *cache, uint32_t set,
                                          uint32_t *lines)
{
    struct wm_free_ways *ways = &cache->free_ways[set];
    const uint64_t *tags = cache->tags + (uint64_t)set * cache->stride;
    *lines = ways->lines;
    if (ways->lines == cache->ways)
        return WM_NO_WAY;
    while (tags[ways->first] != WM_CACHE_EMPTY)
        ways->first++;
    return ways->first;
}

// An empty way has got a line; a line has left its way.
static inline void wm_free_ways_taken(struct wm_cache *cache, uint32_t set, uint32_t way)
{
    struct wm_free_ways *ways = &cache->free_ways[set];
    ways->lines++;
    ways->first = (uint16_t)(way + 1);
}

static inline void wm_free_ways_freed(struct wm_cache *cache, uint32_t set, uint32_t way)
{
    struct wm_free_ways *ways = &cache->free_ways[set];
    ways->lines--;
    ways->first = (uint16_t)(way < ways->first ? way : ways->first);
}

// No line can be taken before a fill. (Empty ways are never pinned.)
static inline bool wm_cache_set_is_pinned(const struct wm_cache *cache, uint32_t set)
{
    return cache->pin_counts[set] == cache->ways;
}

// No line can be taken now on that account: all are pinned, or those that are not are protected
// from it by a chain (warpmem/plugin.h).
bool wm_cache_has_no_victim(const struct wm_cache *cache, uint32_t set, uint64_t line,
                            const struct wm_requester *requester);

// The ways of a set that may be victims, a bit a way, in `room` (pin_words words).
const uint64_t *wm_cache_unpinned_ways(const struct wm_cache *cache, uint32_t set, uint64_t *room);

#endif
