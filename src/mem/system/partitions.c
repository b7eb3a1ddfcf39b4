// A level whose slices are in several partitions (docs/memory-system.md, R16).
#include "mem/cache/inline_access.h"
#include "mem/explain/explain.h"
#include "mem/system/memory_state.h"

static const struct wm_counter_declaration declarations[] = {
    WM_PARTITION_COUNTERS(WM_COUNTER_DECLARATION)};

const struct wm_counter_set wm_partition_counter_set = {
    .kind = "partition",
    .title = "slice of L2, for lines of the other partition",
    .declarations = declarations,
    .count = sizeof declarations / sizeof declarations[0],
};

void wm_drop_copy(struct wm_memory *memory, struct wm_cache_level *level, uint32_t slice,
                  uint64_t line, uint64_t index_line, uint32_t sectors)
{
    struct wm_cache *cache = &level->caches[slice];
    uint32_t set = wm_cache_set_of(cache, index_line);
    int32_t way = wm_cache_find_in_set(cache, set, line);
    if (way < 0)
        return;
    uint32_t units = wm_cache_fetch_units(cache, sectors);
    uint32_t held = wm_cache_line_at(cache, set * cache->stride + (uint32_t)way).valid & units;
    level->crossings[slice].dropped_sectors += wm_count_sectors(held);
    wm_cache_invalidate(cache, line, index_line, sectors);
    if (memory->shadows != NULL)
        wm_explain_drop_sectors(memory, cache, line, units);
}

void wm_drop_copies(struct wm_memory *memory, struct wm_cache_level *level, uint32_t home,
                    uint64_t line, uint64_t index_line, uint32_t sectors)
{
    uint32_t each = level->partition_slices;
    for (uint32_t slice = home % each; slice < each * level->partitions; slice += each)
        if (slice != home)
            wm_drop_copy(memory, level, slice, line, index_line, sectors);
}
