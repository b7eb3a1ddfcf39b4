#include "mem/system/relations.h"

#include "mem/cache/inline_access.h"
#include "mem/explain/explain.h"

// Sectors of the cache's line that are dropped; `*shift` places on from where they count as
// dropped ones, or back.
static uint32_t sectors_of_line(const struct wm_cache *cache, uint64_t line,
                                const struct wm_dropped_sectors *dropped, int32_t *shift)
{
    int64_t apart = (int64_t)(dropped->address - (line << cache->line_shift));
    *shift = (int32_t)(apart / (int64_t)WM_SECTOR_BYTES);
    uint32_t sectors = *shift >= 0 ? dropped->sectors << *shift : dropped->sectors >> -*shift;
    return sectors & cache->all_sectors;
}

// The same of one line.
static uint32_t drop_of_line(struct wm_cache *cache, uint64_t line, uint64_t index_line,
                             uint32_t sectors)
{
    int32_t way = wm_cache_find(cache, line, index_line);
    if (way < 0)
        return 0;
    uint64_t slot = (uint64_t)wm_cache_set_of(cache, index_line) * cache->stride + (uint32_t)way;
    if ((wm_cache_line_at(cache, slot).valid & sectors) == 0)
        return 0;
    uint32_t dirty = wm_cache_invalidate(cache, line, index_line, sectors);
    cache->counters.inclusion_victims++;
    cache->counters.write_backs += dirty != 0;
    cache->counters.bytes_to_below += wm_sector_bytes(dirty);
    return dirty;
}

uint32_t wm_back_invalidate(struct wm_memory *memory, const struct wm_cache_level *level,
                            struct wm_cache *cache, const struct wm_cache *watched,
                            const struct wm_dropped_sectors *dropped,
                            const struct wm_request *request)
{
    uint32_t left = 0, count = 32 - (uint32_t)__builtin_clz(dropped->sectors);
    uint64_t end = dropped->address + (uint64_t)count * WM_SECTOR_BYTES;
    for (uint64_t line = dropped->address >> cache->line_shift;
         line << cache->line_shift < end && !wm_cache_is_empty(cache); line++) {
        int32_t shift;
        uint64_t index_line = line, victims = cache->counters.inclusion_victims;
        if (cache == watched) // a victim cache has one set
            wm_level_slice(level, line, &index_line);
        uint32_t sectors = sectors_of_line(cache, line, dropped, &shift);
        uint32_t dirty = drop_of_line(cache, line, index_line, sectors);
        if (memory->shadows != NULL && cache->counters.inclusion_victims != victims)
            wm_explain_evicted(memory, watched, line, request);
        left |= shift >= 0 ? dirty >> shift : dirty << -shift;
    }
    return left;
}
