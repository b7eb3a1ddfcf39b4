#include "mem/system/self_invalidation.h"
#include "mem/explain/explain.h"
#include "mem/system/memory_state.h"
#include "mem/timed/level/level.h"

#include <assert.h>

// Pinned ways are freed with the others: what comes for them is not kept.
static uint64_t drop_lines(struct wm_cache *cache)
{
    uint64_t before = cache->counters.invalidations;
    for (uint32_t set = 0; set < cache->sets && !wm_cache_is_empty(cache); set++)
        for (uint32_t way = 0; way < cache->ways; way++) {
            uint64_t line = cache->tags[(uint64_t)set * cache->stride + way];
            if (line == WM_CACHE_EMPTY)
                continue;
            uint32_t dirty = wm_cache_invalidate(cache, line, line, UINT32_MAX);
            assert(dirty == 0);
            (void)dirty;
        }
    return cache->counters.invalidations - before;
}

static uint64_t mark_stale(struct wm_mshr *mshr)
{
    uint64_t lines = 0;
    for (uint32_t bucket = 0; mshr->used != 0 && bucket <= mshr->bucket_mask; bucket++)
        for (uint32_t at = mshr->buckets[bucket]; at != WM_MSHR_NONE; at = mshr->entries[at].next) {
            lines += !mshr->entries[at].stale;
            mshr->entries[at].stale = true;
        }
    return lines;
}

void wm_timed_level_self_invalidate(struct wm_timed_level *level)
{
    const struct wm_cache_level *described = level->described;
    struct wm_cache *cache = level->timed.cache;
    uint32_t index = (uint32_t)(cache - described->caches);
    struct wm_self_invalidation_counters *counters = &described->self_invalidations[index];
    counters->acquires++;
    counters->lines += drop_lines(cache);
    counters->lines_in_flight += mark_stale(&level->timed.mshr);
    if (level->memory->shadows != NULL)
        wm_explain_emptied(level->memory, described->caches, index, index + 1);
}
