// What relates the levels where they know of each other (docs/memory-system.md, R9). Of the full
// build; the others have no trace of it. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_INCLUSION_H
#define WM_MEM_ACCESS_PATH_INCLUSION_H

#include "mem/access_path/level_requests.h"
#include "mem/system/prefetch_events.h"

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

// Whether what `above` lacks comes, by however many levels, from `level`.
static bool is_above(const struct wm_cache_level *above, const struct wm_cache_level *level)
{
    const struct wm_cache_level *at = above->caches != NULL ? above->below : NULL;
    while (at != NULL && at != level)
        at = at->below;
    return at != NULL;
}

// A line of the level below that is being dropped.
struct dropped_line {
    uint64_t address;
    uint32_t bytes;
};

// Drops from one cache of `level`, or its victim cache, what lies in a line below. Returns what was
// dirty, as sectors of that line. `watched` is whose misses are explained by it.
static uint32_t back_invalidate_in(struct wm_memory *memory, const struct wm_cache_level *level,
                                   struct wm_cache *above, const struct wm_cache *watched,
                                   const struct dropped_line *below,
                                   const struct access_context *context)
{
    uint32_t below_sectors = UINT32_MAX >> (32 - below->bytes / WM_SECTOR_BYTES), left = 0;
    uint64_t end = below->address + below->bytes;
    for (uint64_t line = below->address >> above->line_shift;
         line << above->line_shift < end && !wm_cache_is_empty(above); line++) {
        uint64_t index_line = line;
        if (above == watched) // a victim cache has one set
            wm_level_slice(level, line, &index_line);
        int32_t way = wm_cache_find(above, line, index_line);
        if (way < 0)
            continue;
        uint64_t begin = line << above->line_shift;
        bool is_longer = above->line_bytes > below->bytes;
        uint64_t apart = is_longer ? below->address - begin : begin - below->address;
        uint32_t shift = (uint32_t)(apart / WM_SECTOR_BYTES);
        uint32_t sectors = is_longer ? below_sectors << shift : above->all_sectors;
        uint64_t slot =
            (uint64_t)wm_cache_set_of(above, index_line) * above->stride + (uint32_t)way;
        if ((wm_cache_line_at(above, slot).valid & sectors) == 0)
            continue;
        uint32_t dirty = wm_cache_invalidate(above, line, index_line, sectors);
        above->counters.inclusion_victims++;
        above->counters.write_backs += dirty != 0;
        above->counters.bytes_to_below += bytes_of(dirty);
        if (is_explained(memory))
            wm_explain_evicted(memory, watched, line, context->request);
        left |= is_longer ? dirty >> shift : dirty << shift;
    }
    return left;
}

// A line has left `cache`, of `level`: it leaves every cache above. Returns the sectors that were
// dirty there, which have come down to `cache` and are its own to write.
static uint32_t back_invalidate(struct wm_memory *memory, const struct wm_cache_level *level,
                                struct wm_cache *cache, uint64_t line_address,
                                struct access_context *context)
{
    const struct dropped_line dropped = {line_address, cache->line_bytes};
    uint32_t instance = (uint32_t)((cache - level->caches) / (int64_t)level->slices.divisor);
    uint32_t all = 0;
    for (uint32_t n = 0; n < WM_MOST_LEVELS; n++) {
        const struct wm_cache_level *above = &memory->levels[n];
        for (uint32_t i = 0; is_above(above, level) && i < above->count; i++) {
            if (wm_level_instance(level, wm_first_unit_of(above, i)) != instance)
                continue;
            struct wm_cache *held = &above->caches[i];
            uint32_t dirty = back_invalidate_in(memory, above, held, held, &dropped, context);
            for (uint64_t line = line_address >> held->line_shift;
                 above->prefetchers.ops != NULL &&
                 line << held->line_shift < line_address + cache->line_bytes;
                 line++)
                wm_prefetchers_dropped(above, held, line);
            if (above->victims != NULL) // a line is in one of the two
                dirty |=
                    back_invalidate_in(memory, above, &above->victims[i], held, &dropped, context);
            cache->counters.bytes_from_above += bytes_of(dirty);
            charge_transfer(level, context, bytes_of(dirty));
            all |= dirty;
        }
    }
    return all;
}

// Of dirty sectors that came down with a line that `own` sectors of the slice leave with.
static void merge_dirty(struct wm_cache *cache, uint32_t *own, uint32_t dirty)
{
    cache->counters.write_backs += dirty != 0 && *own == 0;
    *own |= dirty;
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
        merge_dirty(cache, &result->victim.dirty,
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
