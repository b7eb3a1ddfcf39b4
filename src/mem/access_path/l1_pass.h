// Accesses that pass the first level of a unit, an L1, without a look-up: those that go around it,
// and atomics, which are done below. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_L1_PASS_H
#define WM_MEM_ACCESS_PATH_L1_PASS_H

#include "mem/access_path/l2_queue.h"

// Where the data accesses of the unit begin. The vector builds have L1s there.
static inline const struct wm_cache_level *first_level(const struct wm_memory *memory,
                                                       const struct access_context *context)
{
    return WM_PATHS_FULL ? memory->first_of_unit[context->unit] : &memory->levels[WM_LEVEL_L1];
}

// The unit's cache of it, which alone would hold the line at `address`, and where.
WM_CACHE_INLINE struct wm_cache *place_at_first(const struct wm_memory *memory,
                                                const struct access_context *context,
                                                uint64_t address, struct line_place *place)
{
    if (WM_PATHS_FULL)
        return place_at(memory, first_level(memory, context), context->unit, address, place);
    struct wm_cache *l1 = memory->l1_of_sm[context->unit];
    *place = place_in(l1, address);
    return l1;
}

static inline void flush_l1_copy_at(struct wm_memory *memory, struct wm_cache *l1,
                                    const struct line_place *place, bool drop,
                                    struct access_context *context)
{
    if (WM_PATHS_FULL || wm_cache_find_in_set(l1, place->set, place->line) >= 0)
        flush_held_copy(memory, first_level(memory, context), l1, place, drop, context);
}

static inline void flush_l1_copy(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                                 bool drop, struct access_context *context)
{
    struct line_place place = place_in(l1, address);
    flush_l1_copy_at(memory, l1, &place, drop, context);
}

static void l1_bypass_load(struct wm_memory *memory, struct wm_cache *l1,
                           const struct line_place *place, uint32_t sectors,
                           struct access_context *context)
{
    flush_l1_copy_at(memory, l1, place, context->requester.hint == WM_HINT_VOLATILE, context);
    uint64_t bytes = bytes_of(sectors);
    l1->counters.accesses++;
    l1->counters.load_accesses++;
    l1->counters.load_accesses_bypassed++;
    l1->counters.bypasses += (uint64_t)__builtin_popcount(sectors);
    l1->counters.bytes_from_below += bytes;
    l1->counters.bytes_to_above += bytes;
    context->result.went_around = true;
    note_source(context, WM_SOURCE_BELOW_L1);
    if (is_explained(memory))
        wm_explain_passed(memory, l1, sectors, context->request);
    request_below(memory, first_level(memory, context), WM_CACHE_LOAD, place->address, sectors, 0,
                  context);
    if (!has_tracker(memory, first_level(memory, context)))
        return;
    if (context->requester.hint == WM_HINT_VOLATILE)
        clear_tracker_line(memory, l1, place->line);
    check_read_version(memory, l1, place->address, sectors, sectors, 0, false, WM_FROM_BELOW,
                       context);
}

static void l1_bypass_store(struct wm_memory *memory, struct wm_cache *l1,
                            const struct line_place *place, uint32_t sectors, uint32_t full_sectors,
                            struct access_context *context)
{
    flush_l1_copy_at(memory, l1, place, true, context);
    uint64_t bytes = bytes_of(sectors);
    l1->counters.accesses++;
    l1->counters.store_accesses++;
    l1->counters.store_accesses_bypassed++;
    l1->counters.bypasses += (uint64_t)__builtin_popcount(sectors);
    l1->counters.bytes_from_above += bytes;
    l1->counters.bytes_to_below += bytes;
    request_below(memory, first_level(memory, context), WM_CACHE_STORE, place->address, sectors,
                  full_sectors, context);
    if (has_tracker(memory, first_level(memory, context)))
        track_write(memory, l1, place->address, sectors, context);
}

static void l1_atomic(struct wm_memory *memory, struct wm_cache *l1, const struct line_place *place,
                      uint32_t sectors, struct access_context *context)
{
    note_source(context, WM_SOURCE_BELOW_L1);
    pass_atomic(memory, first_level(memory, context), l1, place, sectors, context);
    if (has_tracker(memory, first_level(memory, context)))
        track_write(memory, l1, place->address, sectors, context);
}

#endif
