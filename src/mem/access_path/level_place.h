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

// Of a level that others are above. Where the compiler knows which one it is, it takes no test.
static inline bool is_l2(const struct wm_memory *memory, const struct wm_cache_level *level)
{
    return level == &memory->levels[WM_LEVEL_L2];
}

// A level's caches have their sets alike, and one's way to find them stays near.
WM_CACHE_INLINE uint32_t set_at(const struct wm_cache_level *level, uint64_t index_line)
{
    return level->sets != NULL ? wm_set_looked_up(level->sets, index_line)
                               : wm_cache_set_of(level->caches, index_line);
}

WM_CACHE_INLINE uint32_t l2_set_of(const struct wm_memory *memory, uint64_t index_line)
{
    return set_at(&memory->levels[WM_LEVEL_L2], index_line);
}

// The place of a line of a level, in the slice that alone would hold it. Returns the slice's
// number. In place: a copy of what has just been stored would wait for the stores.
WM_CACHE_INLINE uint32_t place_in_slices(const struct wm_cache_level *level, uint64_t line_address,
                                         struct line_place *place)
{
    place->address = line_address;
    place->line = line_address >> level->line_shift;
    uint32_t slice = WM_PATHS_FULL ? wm_level_slice(level, place->line, &place->index_line)
                                   : wm_level_slice_of_one(level, place->line, &place->index_line);
    place->set = set_at(level, place->index_line);
    return slice;
}

WM_CACHE_INLINE uint32_t place_in_slice(const struct wm_memory *memory, uint64_t line_address,
                                        struct line_place *place)
{
    return place_in_slices(&memory->levels[WM_LEVEL_L2], line_address, place);
}

// The same, and of the instance of the unit's accesses. Returns that cache.
WM_CACHE_INLINE struct wm_cache *place_at(const struct wm_memory *memory,
                                          const struct wm_cache_level *level, uint32_t unit,
                                          uint64_t line_address, struct line_place *place)
{
    uint32_t slice = place_in_slices(level, line_address, place);
    uint32_t instance = 0; // of the vector builds' L2
    if (WM_PATHS_FULL || !is_l2(memory, level))
        instance = level->is_home ? wm_home_of(memory, line_address, unit)
                                  : wm_level_instance(level, unit);
    return &level->caches[instance * (uint32_t)level->slices.divisor + slice];
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
static inline void charge(const struct wm_cache_level *level,
                          struct wm_instruction_counters *instruction_counters, uint32_t sectors,
                          uint32_t missing)
{
    struct wm_level_counters *row = &instruction_counters->levels[level->number];
    row->hits += wm_count_sectors(sectors & ~missing);
    row->misses += wm_count_sectors(missing);
}

#endif
