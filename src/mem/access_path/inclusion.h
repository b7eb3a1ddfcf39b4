// What relates the levels where they know of each other (docs/memory-system.md, R9). Of the full
// build; the others have no trace of it. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_INCLUSION_H
#define WM_MEM_ACCESS_PATH_INCLUSION_H

#include "mem/access_path/level_requests.h"
#include "mem/system/prefetch_events.h"
#include "mem/system/relations.h"

// The level holds what the caches above it hold.
static inline bool is_inclusive(const struct wm_cache_level *level)
{
    return WM_PATHS_FULL && level != NULL && level->inclusion == WM_INCLUSIVE;
}

// A sector is in the level or in the one below, and lines move between the two. (What only loads
// pass takes copies.)
static inline bool excludes_below(const struct wm_cache_level *level)
{
    return WM_PATHS_FULL && !level->loads_only && level->below != NULL &&
           level->below->inclusion == WM_EXCLUSIVE;
}

// A line has left `cache`, of `level`: it leaves every cache above. Returns the sectors that were
// dirty there, which have come down to `cache` and are its own to write.
static uint32_t back_invalidate(struct wm_memory *memory, const struct wm_cache_level *level,
                                struct wm_cache *cache, uint64_t line_address,
                                struct access_context *context)
{
    const struct wm_dropped_sectors dropped = {line_address, cache->all_sectors};
    uint32_t instance = (uint32_t)((cache - level->caches) / (int64_t)level->slices.divisor);
    uint32_t all = 0;
    for (uint32_t n = 0; n < WM_MOST_LEVELS; n++) {
        const struct wm_cache_level *above = &memory->levels[n];
        for (uint32_t i = 0; wm_level_is_above(above, level) && i < above->count; i++) {
            if (wm_level_instance(level, wm_first_unit_of(above, i)) != instance)
                continue;
            struct wm_cache *held = &above->caches[i];
            uint32_t dirty =
                wm_back_invalidate(memory, above, held, held, &dropped, context->request);
            for (uint64_t line = line_address >> held->line_shift;
                 above->prefetchers.ops != NULL &&
                 line << held->line_shift < line_address + cache->line_bytes;
                 line++)
                wm_prefetchers_dropped(above, held, line);
            if (above->victims != NULL) // a line is in one of the two
                dirty |= wm_back_invalidate(memory, above, &above->victims[i], held, &dropped,
                                            context->request);
            cache->counters.bytes_from_above += bytes_of(dirty);
            charge_transfer(memory, level, context, bytes_of(dirty));
            all |= dirty;
        }
    }
    return all;
}

// After an access to the line at `line_address`: what left the level, or did not get in, leaves the
// caches above. Dirty sectors that came down are the result's now. Returns those of the line
// itself.
static uint32_t enforce_inclusion(struct wm_memory *memory, const struct wm_cache_level *level,
                                  struct wm_cache *cache, uint64_t line_address, bool is_write,
                                  struct wm_cache_result *result, struct access_context *context)
{
    if (result->victim.evicted) {
        uint64_t left = result->victim.line << cache->line_shift;
        wm_merge_dirty(cache, &result->victim.dirty,
                       back_invalidate(memory, level, cache, left, context));
        result->victim.valid |= result->victim.dirty;
    }
    bool is_dropped = is_write && cache->write_policy == WM_WRITE_THROUGH_EVICT;
    if (!result->victim.refused && !is_dropped)
        return 0;
    uint32_t dirty = back_invalidate(memory, level, cache, line_address, context);
    cache->counters.write_backs += dirty != 0;
    result->forward |= dirty;
    return dirty;
}

#endif
