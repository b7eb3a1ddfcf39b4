// What happens to the caches outside a kernel: the host copies bytes in and out, kernels start, a
// program ends.
#include "base/containers/array.h"
#include "mem/cache/byte_masks.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/explain/explain.h"
#include "mem/system/memory.h"
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_state.h"

#include <stdlib.h>

// A range of bytes [begin, end), end exclusive.
struct range {
    uint64_t begin, end;
};

// Sectors of the line at `line_address` that the range touches.
static uint32_t sectors_in(const struct wm_cache *cache, uint64_t line_address,
                           const struct range *range)
{
    uint64_t begin = range->begin > line_address ? range->begin - line_address : 0;
    uint64_t end = range->end - line_address;
    if (end > cache->line_bytes)
        end = cache->line_bytes;
    uint32_t first = (uint32_t)(begin / WM_SECTOR_BYTES);
    uint32_t last = (uint32_t)((end - 1) / WM_SECTOR_BYTES);
    return (UINT32_MAX << first) & (UINT32_MAX >> (31 - last));
}

typedef void visit(struct wm_memory *memory, struct wm_cache *cache, uint64_t line,
                   uint64_t index_line, uint32_t sectors);

static int by_number(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

static uint64_t slots_of(const struct wm_cache *cache)
{
    return (uint64_t)cache->sets * cache->stride;
}

static uint64_t first_line(const struct wm_cache *cache, const struct range *range)
{
    return range->begin >> cache->line_shift;
}

static uint64_t last_line(const struct wm_cache *cache, const struct range *range)
{
    return (range->end - 1) >> cache->line_shift;
}

// The held lines of `cache` in the range, in order of address, because the order in which they are
// written back reaches the level below and its recency. Valid until the next list.
static const uint64_t *list_held(struct wm_memory *memory, struct wm_cache *cache,
                                 const struct range *range, uint64_t *found)
{
    uint64_t *lines = wm_cache_list(cache, first_line(cache, range), last_line(cache, range),
                                    memory->visited, found);
    qsort(lines, *found, sizeof *lines, by_number);
    return lines;
}

static void visit_line(struct wm_memory *memory, struct wm_cache *cache, uint64_t line,
                       uint64_t index_line, const struct range *range, visit *act)
{
    if (wm_cache_find(cache, line, index_line) >= 0)
        act(memory, cache, line, index_line, sectors_in(cache, line << cache->line_shift, range));
}

// Each held line of a cache that the range touches: line by line when the range is short, from the
// tags when it has more lines than the cache. Every line would be in this cache.
static void visit_cache(struct wm_memory *memory, struct wm_cache *cache, const struct range *range,
                        visit *act)
{
    uint64_t first = first_line(cache, range), last = last_line(cache, range);
    if (wm_cache_is_empty(cache))
        return;
    if (last - first < slots_of(cache)) {
        for (uint64_t line = first; line <= last; line++)
            visit_line(memory, cache, line, line, range, act);
        return;
    }
    uint64_t found;
    const uint64_t *lines = list_held(memory, cache, range, &found);
    for (uint64_t i = 0; i < found; i++)
        visit_line(memory, cache, lines[i], lines[i], range, act);
}

// The same for slices, each line being in one of them only.
static void visit_slices(struct wm_memory *memory, struct wm_cache_level *level,
                         const struct range *range, visit *act)
{
    struct wm_cache *slices = level->caches;
    uint64_t index_line, slots = slots_of(slices) * level->count;
    uint64_t first = first_line(slices, range), last = last_line(slices, range);
    if (last - first < slots) {
        for (uint64_t line = first; line <= last; line++) {
            uint32_t slice = wm_memory_slice(memory, line, &index_line);
            visit_line(memory, &slices[slice], line, index_line, range, act);
        }
        return;
    }
    for (uint32_t slice = 0; slice < level->count; slice++) {
        uint64_t found;
        const uint64_t *lines = list_held(memory, &slices[slice], range, &found);
        for (uint64_t i = 0; i < found; i++) {
            wm_memory_slice(memory, lines[i], &index_line);
            visit_line(memory, &slices[slice], lines[i], index_line, range, act);
        }
    }
}

static void visit_level(struct wm_memory *memory, struct wm_cache_level *level,
                        const struct range *range, visit *act)
{
    if (level->caches != NULL && level->sms_each == 0) {
        visit_slices(memory, level, range, act);
        return;
    }
    for (uint32_t i = 0; i < level->count; i++) {
        visit_cache(memory, &level->caches[i], range, act);
        if (level->victims != NULL)
            visit_cache(memory, &level->victims[i], range, act);
    }
}

static void write_back_l1(struct wm_memory *memory, struct wm_cache *cache, uint64_t line,
                          uint64_t index_line, uint32_t sectors, bool kept)
{
    uint32_t dirty = wm_cache_clean(cache, line, index_line, sectors);
    if (dirty == 0)
        return;
    cache->counters.bytes_to_below += (uint64_t)__builtin_popcount(dirty) * WM_SECTOR_BYTES;
    struct wm_cache_victim left = wm_cache_last_write_back(cache, line, dirty);
    memory->paths->write_back(memory, line << cache->line_shift, &left, kept);
}

static void clean_l1(struct wm_memory *memory, struct wm_cache *cache, uint64_t line,
                     uint64_t index_line, uint32_t sectors)
{
    write_back_l1(memory, cache, line, index_line, sectors, true);
}

// The same of a line that is about to be dropped.
static void empty_l1(struct wm_memory *memory, struct wm_cache *cache, uint64_t line,
                     uint64_t index_line, uint32_t sectors)
{
    write_back_l1(memory, cache, line, index_line, sectors, false);
}

static void clean_l2(struct wm_memory *memory, struct wm_cache *cache, uint64_t line,
                     uint64_t index_line, uint32_t sectors)
{
    uint32_t dirty = wm_cache_clean(cache, line, index_line, sectors);
    if (dirty == 0)
        return;
    cache->counters.bytes_to_below += (uint64_t)__builtin_popcount(dirty) * WM_SECTOR_BYTES;
    memory->paths->dram_write(memory, line << cache->line_shift, dirty);
}

static void drop(struct wm_memory *memory, struct wm_cache *cache, uint64_t line,
                 uint64_t index_line, uint32_t sectors)
{
    (void)memory;
    wm_cache_invalidate(cache, line, index_line, sectors);
}

// A line that leaves an inclusive L2 leaves the caches above.
static void drop_l2(struct wm_memory *memory, struct wm_cache *cache, uint64_t line,
                    uint64_t index_line, uint32_t sectors)
{
    wm_cache_invalidate(cache, line, index_line, sectors);
    if (memory->spec.levels[WM_LEVEL_L2].inclusion == WM_INCLUSIVE &&
        wm_cache_find(cache, line, index_line) < 0)
        memory->paths->left_l2(memory, line << cache->line_shift);
}

static struct range range_of(uint64_t address, uint64_t size_bytes)
{
    uint64_t end = address + size_bytes;
    return (struct range){.begin = address, .end = end < address ? UINT64_MAX : end};
}

static void clean_range(struct wm_memory *memory, const struct range *range)
{
    wm_memory_atomic_buffers_spill(memory);
    visit_level(memory, &memory->levels[WM_LEVEL_L1], range, clean_l1);
    visit_level(memory, &memory->levels[WM_LEVEL_L2], range, clean_l2);
}

void wm_memory_host_read(struct wm_memory *memory, uint64_t address, uint64_t size_bytes)
{
    struct range range = range_of(address, size_bytes);
    if (size_bytes != 0)
        clean_range(memory, &range);
}

// Bytes that are fetched and dropped together at any level.
static uint64_t largest_unit(const struct wm_memory *memory)
{
    uint64_t l1 = memory->levels[WM_LEVEL_L1].caches != NULL
                      ? memory->spec.levels[WM_LEVEL_L1].cache.sector_bytes
                      : WM_SECTOR_BYTES;
    uint64_t l2 = memory->levels[WM_LEVEL_L2].caches != NULL
                      ? memory->spec.levels[WM_LEVEL_L2].cache.sector_bytes
                      : WM_SECTOR_BYTES;
    return l1 > l2 ? l1 : l2;
}

// A unit that the host overwrites only in part may be dirty in its other part: that is written back
// before the unit is dropped.
void wm_memory_host_write(struct wm_memory *memory, uint64_t address, uint64_t size_bytes)
{
    if (size_bytes == 0)
        return;
    struct range range = range_of(address, size_bytes);
    uint64_t unit = largest_unit(memory);
    struct range first = {.begin = range.begin & ~(unit - 1), .end = range.begin};
    struct range last = {.begin = range.end, .end = (range.end + unit - 1) & ~(unit - 1)};
    if (first.begin != first.end)
        clean_range(memory, &first);
    if (last.begin < last.end)
        clean_range(memory, &last);
    wm_memory_atomic_buffers_spill(memory);
    wm_memory_trackers_flush(memory);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        visit_level(memory, &memory->levels[i], &range, i == WM_LEVEL_L2 ? drop_l2 : drop);
    if (memory->shadows != NULL)
        wm_explain_host_write(memory, range.begin, range.end);
}

static void empty_l1s(struct wm_memory *memory)
{
    wm_memory_trackers_flush(memory);
    struct range everything = {.begin = 0, .end = UINT64_MAX};
    if (memory->spec.levels[WM_LEVEL_L1].cache.write_policy == WM_WRITE_BACK)
        visit_level(memory, &memory->levels[WM_LEVEL_L1], &everything, empty_l1);
    wm_cache_level_flush(&memory->levels[WM_LEVEL_L1]);
    if (memory->shadows != NULL)
        wm_explain_emptied(memory, memory->levels[WM_LEVEL_L1].caches);
}

// A side cache, whatever the machine says of L1.
static void empty_loads_only(struct wm_memory *memory, struct wm_cache_level *level)
{
    wm_cache_level_flush(level);
    if (memory->shadows != NULL)
        wm_explain_emptied(memory, level->caches);
}

void wm_memory_set_eviction_priorities(struct wm_memory *memory, const uint8_t *l1,
                                       const uint8_t *l2)
{
    for (uint32_t i = 0; i < memory->levels[WM_LEVEL_L1].count; i++)
        memory->levels[WM_LEVEL_L1].caches[i].priorities = l1;
    for (uint32_t i = 0; i < memory->levels[WM_LEVEL_L2].count; i++)
        memory->levels[WM_LEVEL_L2].caches[i].priorities = l2;
}

void wm_memory_kernel_begin(struct wm_memory *memory)
{
    if (memory->shadows != NULL)
        wm_explain_launch(memory);
    wm_memory_bypass_kernel(memory);
    wm_memory_trackers_flush(memory);
    if (memory->versions != NULL)
        wm_versions_kernel(memory->versions);
    if (memory->spec.levels[WM_LEVEL_L1].flush_at_kernel)
        empty_l1s(memory);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (memory->levels[i].loads_only)
            empty_loads_only(memory, &memory->levels[i]);
}

// Room for the lines of the larger L1, for list_held.
static bool grow_visited(struct wm_memory *memory, uint64_t lines)
{
    if (lines <= memory->visited_lines)
        return true;
    if (!WM_ARRAY_RESIZE(memory->visited, lines + 1))
        return false;
    memory->visited_lines = lines;
    return true;
}

enum wm_status wm_memory_resize_l1(struct wm_memory *memory, uint64_t size_bytes, uint32_t ways,
                                   struct wm_error *error)
{
    struct wm_cache_spec spec = memory->spec.levels[WM_LEVEL_L1].cache;
    if (memory->levels[WM_LEVEL_L1].caches == NULL ||
        (spec.size_bytes == size_bytes && spec.ways == ways))
        return WM_OK;
    spec.size_bytes = size_bytes;
    spec.ways = ways;
    WM_TRY(wm_cache_spec_check(&spec, "l1", 1, error));
    uint32_t count = memory->levels[WM_LEVEL_L1].count, built = 0;
    struct wm_cache *fresh = calloc(count, sizeof *fresh);
    if (fresh == NULL || !grow_visited(memory, size_bytes / spec.line_bytes)) {
        free(fresh);
        return wm_fail_no_memory(error, "%u L1s", count);
    }
    enum wm_status status = WM_OK;
    struct wm_cache_spec l1 =
        wm_divergence_built_as(&memory->spec.levels[WM_LEVEL_L1].divergence, &spec);
    // The L1s are the first components (memory.c): their names seed the replacement's chance.
    for (; status == WM_OK && built < count; built++)
        status = wm_cache_init(&fresh[built], &l1, memory->components[built].path, error);
    if (status == WM_OK) {
        empty_l1s(memory);
        for (uint32_t i = 0; i < count; i++) {
            struct wm_cache old = memory->levels[WM_LEVEL_L1].caches[i];
            memory->levels[WM_LEVEL_L1].caches[i] = fresh[i];
            memory->levels[WM_LEVEL_L1].caches[i].counters = old.counters;
            fresh[i] = old;
        }
        memory->spec.levels[WM_LEVEL_L1].cache = spec;
        wm_memory_bypass_reset(memory);
        if (memory->shadows != NULL)
            wm_explain_resized(memory, memory->levels[WM_LEVEL_L1].caches);
    }
    for (uint32_t i = 0; i < built; i++)
        wm_cache_release(&fresh[i]);
    free(fresh);
    return status;
}

void wm_memory_write_back_all(struct wm_memory *memory)
{
    struct range everything = {.begin = 0, .end = UINT64_MAX};
    clean_range(memory, &everything);
    if (memory->shadows != NULL)
        wm_explain_end(memory);
}
