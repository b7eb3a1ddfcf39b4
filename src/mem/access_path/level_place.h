// Where a line belongs at a level, and what a level charges.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_LEVEL_PLACE_H
#define WM_MEM_ACCESS_PATH_LEVEL_PLACE_H

#include "mem/access_path/dram_access.h"

// In a cache where every line would be: an L1, a side cache.
static inline struct line_place place_in(const struct wm_cache *cache, uint64_t address)
{
    uint64_t line = address >> cache->line_shift;
    return (struct line_place){
        .address = address, .line = line, .index_line = line, .set = wm_cache_set_of(cache, line)};
}

// Slices have their sets alike, and one's way to find them stays near.
WM_CACHE_INLINE uint32_t l2_set_of(const struct wm_memory *memory, uint64_t index_line)
{
    return memory->l2_sets != NULL
               ? wm_set_looked_up(memory->l2_sets, index_line)
               : wm_cache_set_of(memory->levels[WM_LEVEL_L2].caches, index_line);
}

// The place of an L2 line, which its slice alone would hold. Returns the slice's number. In place:
// a copy of what has just been stored would wait for the stores.
WM_CACHE_INLINE uint32_t place_in_slice(const struct wm_memory *memory, uint64_t line_address,
                                        struct line_place *place)
{
    place->address = line_address;
    place->line = line_address >> memory->l2_line_shift;
    uint32_t slice = wm_memory_slice(memory, place->line, &place->index_line);
    place->set = l2_set_of(memory, place->index_line);
    return slice;
}

WM_CACHE_INLINE void fill_l2_request(const struct wm_memory *memory, struct l2_request *request,
                                     enum wm_cache_client client, uint64_t line_address,
                                     uint32_t sectors, uint32_t full_sectors)
{
    request->slice = place_in_slice(memory, line_address, &request->place);
    request->sectors = sectors;
    request->full_sectors = full_sectors;
    request->client = client;
}

// Sectors that were looked for at a level, and those that it lacked.
static inline void charge(const struct wm_cache_level *level, const struct access_context *context,
                          uint32_t sectors, uint32_t missing)
{
    uint64_t *hits_and_misses = (uint64_t *)context->instruction_counters + level->charge;
    uint64_t misses = wm_count_sectors(missing);
    hits_and_misses[0] += wm_count_sectors(sectors) - misses;
    hits_and_misses[1] += misses;
}

static inline bool atomic_returns(enum wm_cache_client client, const struct access_context *context)
{
    return client == WM_CACHE_ATOMIC && context->requester.kind == WM_ACCESS_ATOMIC;
}

#endif
