// How lines move between a cache and an exclusive level below it, of which only one keeps them, and
// how an inclusive one takes the lines that a cache above allocated without a request to it
// (docs/memory-system.md, R9). Of the full build. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_EXCLUSION_H
#define WM_MEM_ACCESS_PATH_EXCLUSION_H

#include "mem/access_path/inclusion.h"

// The cache that would hold the line at `address`, and where.
static struct wm_cache *cache_at(const struct wm_memory *memory, const struct wm_cache_level *level,
                                 uint64_t address, struct line_place *place,
                                 const struct access_context *context)
{
    return place_at(memory, level, context->unit, address & ~(uint64_t)(level->line_bytes - 1),
                    place);
}

// A cache above holds the line and fetches sectors of it: what the level holds of them moves up,
// the rest comes from memory past it.
static void move_from_below(struct wm_memory *memory, const struct wm_cache_level *level,
                            struct wm_cache *above, uint64_t address, uint32_t sectors,
                            struct access_context *context)
{
    const struct wm_cache_level *below = level->below;
    struct line_place place;
    struct wm_cache *cache = cache_at(memory, below, address, &place, context);
    struct wm_cache_result result =
        cache_access(cache, WM_CACHE_LOAD, &place, sectors, 0, false, context);
    if (is_explained(memory)) // its shadows would keep the line
        explain(memory,
                (struct wm_explain_event){.cache = cache,
                                          .client = WM_CACHE_LOAD,
                                          .line = place.line,
                                          .sectors = sectors,
                                          .allocate = true},
                &result, context);
    cache->counters.bytes_to_above += bytes_of(sectors);
    charge_transfer(memory, below, context, bytes_of(sectors));
    charge(below, context->instruction_counters, sectors, result.missing);
    uint32_t held = sectors & ~result.missing, dirty = 0;
    if (held != 0)
        dirty = wm_cache_invalidate(cache, place.line, place.index_line, held);
    if (dirty != 0 && above->write_policy == WM_WRITE_BACK) {
        uint64_t index_line, line = address >> above->line_shift;
        wm_level_slice(level, line, &index_line);
        wm_cache_mark_dirty(above, line, index_line, dirty);
    } else if (dirty != 0) {
        cache->counters.write_backs++;
        cache->counters.bytes_to_below += bytes_of(dirty);
        request_below(memory, below, WM_CACHE_WRITEBACK, address, dirty, dirty, context);
    }
    if (result.missing == 0)
        return;
    cache->counters.bytes_from_below += bytes_of(result.missing);
    bool was = context->read_no_allocate;
    context->read_no_allocate = false; // the level takes none
    request_below(memory, below, WM_CACHE_LOAD, address, result.missing, 0, context);
    context->read_no_allocate = was;
}

// A cache above has written sectors whole that it did not hold: those below are stale.
static void invalidate_below(const struct wm_memory *memory, const struct wm_cache_level *below,
                             uint64_t address, uint32_t sectors,
                             const struct access_context *context)
{
    struct line_place place;
    struct wm_cache *cache = cache_at(memory, below, address, &place, context);
    if (sectors != 0)
        wm_cache_invalidate(cache, place.line, place.index_line, sectors);
}

// A store is done, or a line has moved, and `above` may have allocated it without a request to the
// inclusive level below: then that takes the line too, with no sector.
static void allocate_in_inclusive(struct wm_memory *memory, const struct wm_cache_level *below,
                                  struct wm_cache *above, const struct line_place *held,
                                  struct access_context *context)
{
    int32_t way = wm_cache_find(above, held->line, held->index_line);
    if (way < 0)
        return;
    uint64_t slot =
        (uint64_t)wm_cache_set_of(above, held->index_line) * above->stride + (uint32_t)way;
    uint32_t valid = wm_cache_line_at(above, slot).valid;
    uint64_t begin = held->address, end = begin + above->line_bytes;
    uint32_t part = UINT32_MAX >> (32 - below->line_sectors);
    for (uint64_t at = begin & ~(uint64_t)(below->line_bytes - 1); at < end;
         at += below->line_bytes) {
        uint32_t wanted = at < begin ? valid : valid >> ((at - begin) / WM_SECTOR_BYTES) & part;
        struct line_place place;
        struct wm_cache *cache = cache_at(memory, below, at, &place, context);
        if (wanted == 0 || wm_cache_find(cache, place.line, place.index_line) >= 0)
            continue;
        struct wm_cache_result result = {0};
        wm_cache_insert_line(cache, place.line, place.index_line, (struct wm_cache_line){0}, false,
                             &context->requester, &result.victim);
        if (is_explained(memory) && result.victim.evicted)
            wm_explain_evicted(memory, cache, result.victim.line, context->request);
        enforce_inclusion(memory, below, cache, at, false, &result, context);
        memory->paths->finish_access(memory, below, cache, &place, &result, true, context);
    }
}

// The same for all inclusive levels below.
static void allocate_in_inclusive_below(struct wm_memory *memory,
                                        const struct wm_cache_level *level, struct wm_cache *cache,
                                        const struct line_place *held,
                                        struct access_context *context)
{
    for (const struct wm_cache_level *below = level->below; WM_PATHS_FULL && below != NULL;
         below = below->below)
        if (is_inclusive(below))
            allocate_in_inclusive(memory, below, cache, held, context);
}

// A line that `from`, a cache of `level` or its victim cache, lost arrives with all that it held.
static void move_below(struct wm_memory *memory, const struct wm_cache_level *level,
                       struct wm_cache *from, const struct wm_cache_victim *victim,
                       struct access_context *context)
{
    struct line_place place;
    struct wm_cache *cache =
        cache_at(memory, level->below, victim->line << from->line_shift, &place, context);
    uint64_t bytes = bytes_of(victim->valid);
    struct wm_cache_line held = {.valid = victim->valid, .dirty = victim->dirty};
    struct wm_cache_result result =
        wm_cache_insert_from_above(cache, place.line, place.index_line, held, &context->requester);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = cache,
                                          .client = WM_CACHE_WRITEBACK,
                                          .line = place.line,
                                          .sectors = victim->valid,
                                          .allocate = true},
                &result, context);
    from->counters.bytes_to_below += bytes;
    cache->counters.bytes_from_above += bytes;
    charge_transfer(memory, level->below, context, bytes);
    memory->paths->finish_access(memory, level->below, cache, &place, &result, true, context);
    allocate_in_inclusive_below(memory, level->below, cache, &place, context);
}

// An access around a cache is about to be made: its copy moves down, with what was dirty above.
static void move_copy_below(struct wm_memory *memory, const struct wm_cache_level *level,
                            struct wm_cache *holder, const struct line_place *place, uint32_t above,
                            struct access_context *context)
{
    struct wm_cache_line held;
    if (!wm_cache_extract_line(holder, place->line, place->index_line, &held))
        return;
    held.dirty |= above;
    held.valid |= above;
    holder->counters.invalidations++;
    holder->counters.write_backs += held.dirty != 0;
    struct wm_cache_victim victim = {.line = place->line, .dirty = held.dirty, .valid = held.valid};
    if (held.valid != 0)
        move_below(memory, level, holder, &victim, context);
}

#endif
