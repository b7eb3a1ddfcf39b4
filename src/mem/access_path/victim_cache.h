// The victim cache of a cache (docs/memory-system.md, R7; N. P. Jouppi, "Improving direct-mapped
// cache performance by the addition of a small fully-associative cache and prefetch buffers", ISCA
// 1990, section 3.2). Of the full build; the others have no trace of it.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_VICTIM_CACHE_H
#define WM_MEM_ACCESS_PATH_VICTIM_CACHE_H

#include "mem/access_path/exclusion.h"
#include "mem/access_path/tracked_miss.h"

static inline bool has_victim_cache(const struct wm_cache_level *level)
{
    return WM_PATHS_FULL && level->victims != NULL;
}

static inline struct wm_cache *victim_cache_of(const struct wm_cache_level *level,
                                               const struct wm_cache *cache)
{
    return &level->victims[cache - level->caches];
}

// A line that L1 displaced enters its victim cache, which becomes the one that displaces: returns
// who displaced `*victim` in the end. Between the two nothing is written back.
static struct wm_cache *insert_in_victim_cache(struct wm_memory *memory,
                                               const struct wm_cache_level *level,
                                               struct wm_cache *cache,
                                               struct wm_cache_victim *victim,
                                               const struct access_context *context)
{
    struct wm_cache *victims = victim_cache_of(level, cache);
    if (victim->valid == 0)
        return victims;
    struct wm_cache_line held = {.valid = victim->valid, .dirty = victim->dirty};
    cache->counters.write_backs -= victim->dirty != 0;
    victims->counters.bytes_from_above += bytes_of(victim->valid);
    wm_cache_insert_line(victims, victim->line, victim->line, held, false, &context->requester,
                         victim);
    if (is_explained(memory) && victim->valid != 0)
        wm_explain_evicted(memory, cache, victim->line, context->request);
    return victims;
}

// Counts that an access which L1 has no line for looks in the victim cache.
static void count_victim_lookup(struct wm_cache *victims, enum wm_cache_client client,
                                uint32_t sectors, bool found, uint32_t valid)
{
    uint32_t missing = sectors & ~valid;
    wm_cache_count(&victims->counters, client, sectors, missing);
    if (found && client != WM_CACHE_WRITEBACK)
        victims->counters.sector_misses += wm_count_sectors(missing);
}

// An access is about to look for a line: if only the victim cache has it, the two exchange.
static void swap_from_victim_cache(struct wm_memory *memory, const struct wm_cache_level *level,
                                   struct wm_cache *cache, enum wm_cache_client client,
                                   const struct line_place *place, uint32_t sectors,
                                   struct access_context *context)
{
    struct wm_cache *victims = victim_cache_of(level, cache);
    uint64_t line = place->line;
    if (wm_cache_find(cache, line, place->index_line) >= 0)
        return;
    struct wm_cache_line held = {0};
    bool found = wm_cache_extract_line(victims, line, line, &held);
    count_victim_lookup(victims, client, sectors, found, held.valid);
    if (!found)
        return;
    struct wm_cache_victim victim;
    if (wm_cache_insert_line(cache, line, place->index_line, held, false, &context->requester,
                             &victim)) {
        victims->counters.bytes_to_above += bytes_of(held.valid);
        insert_in_victim_cache(memory, level, cache, &victim,
                               context); // a place is free: nothing leaves
        return;
    }
    victims->counters.invalidations++;
    victims->counters.write_backs += held.dirty != 0;
    struct wm_cache_victim left = {.line = line, .dirty = held.dirty, .valid = held.valid};
    if (excludes_below(level))
        move_below(memory, level, victims, &left, context);
    else if (held.dirty != 0)
        write_back_below(memory, level, victims, &left, context);
}

// A store under write-through with evict drops its line where it is. False, nothing done, when that
// is not the victim cache.
static bool invalidate_in_victim_cache(const struct wm_cache_level *level, struct wm_cache *cache,
                                       enum wm_cache_client client, const struct line_place *place,
                                       uint32_t sectors, struct wm_cache_result *result)
{
    struct wm_cache *victims = victim_cache_of(level, cache);
    uint64_t line = place->line;
    if (wm_cache_find(cache, line, place->index_line) >= 0)
        return false;
    int32_t way = wm_cache_find(victims, line, line);
    uint32_t valid = way >= 0 ? wm_cache_line_at(victims, (uint32_t)way).valid : 0;
    count_victim_lookup(victims, client, sectors, way >= 0, valid);
    if (way < 0)
        return false;
    *result = (struct wm_cache_result){.missing = sectors & ~valid, .forward = sectors};
    if (client != WM_CACHE_WRITEBACK)
        cache->counters.sector_misses += wm_count_sectors(result->missing);
    wm_cache_count(&cache->counters, client, sectors, result->missing);
    wm_cache_invalidate(victims, line, line, victims->all_sectors);
    return true;
}

#endif
