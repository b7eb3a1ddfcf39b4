// What happens to the caches outside a kernel: the host copies bytes in and out, kernels start, a
// program ends.
#include "base/containers/array.h"
#include "mem/cache/byte_masks.h"
#include "mem/cache/inline_access.h"
#include "mem/cache/pins.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/explain/explain.h"
#include "mem/system/coherent_memory.h"
#include "mem/system/memory.h"
#include "mem/system/memory_spec_check.h"
#include "mem/system/memory_state.h"
#include "mem/system/prefetch_events.h"

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

// A cache, or victim cache, of a level.
struct visited_cache {
    const struct wm_cache_level *level;
    struct wm_cache *cache;
    uint32_t unit; // one whose accesses it serves
    uint32_t slice;
};

typedef void visit(struct wm_memory *memory, const struct visited_cache *at, uint64_t line,
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

static void visit_line(struct wm_memory *memory, const struct visited_cache *at, uint64_t line,
                       const struct range *range, visit *act)
{
    uint64_t index_line;
    if (wm_slice_may_hold(at->level, at->slice, wm_level_slice(at->level, line, &index_line)) &&
        wm_cache_find(at->cache, line, index_line) >= 0)
        act(memory, at, line, index_line,
            sectors_in(at->cache, line << at->cache->line_shift, range));
}

// Each held line of a cache that the range touches: line by line when the range is short, from the
// tags when it has more lines than the cache.
static void visit_cache(struct wm_memory *memory, const struct visited_cache *at,
                        const struct range *range, visit *act)
{
    uint64_t first = first_line(at->cache, range), last = last_line(at->cache, range);
    if (wm_cache_is_empty(at->cache))
        return;
    if (last - first < slots_of(at->cache)) {
        for (uint64_t line = first; line <= last; line++)
            visit_line(memory, at, line, range, act);
        return;
    }
    uint64_t found;
    const uint64_t *lines = list_held(memory, at->cache, range, &found);
    for (uint64_t i = 0; i < found; i++)
        visit_line(memory, at, lines[i], range, act);
}

// Consecutive caches of a level.
struct caches {
    uint32_t first, end;
};

static struct caches all_of(const struct wm_cache_level *level)
{
    return (struct caches){0, level->count};
}

static struct caches those_of_gpu(const struct wm_memory *memory,
                                  const struct wm_cache_level *level, uint32_t gpu)
{
    uint32_t each = level->count / memory->gpus;
    return (struct caches){gpu * each, (gpu + 1) * each};
}

// Cache by cache, of slices too: the order in which lines are written back reaches the level below.
static void visit_level(struct wm_memory *memory, const struct wm_cache_level *level,
                        struct caches which, const struct range *range, visit *act)
{
    for (uint32_t i = which.first; i < which.end; i++) {
        struct visited_cache at = {level, &level->caches[i], wm_first_unit_of(level, i),
                                   i % (uint32_t)level->slices.divisor};
        visit_cache(memory, &at, range, act);
        if (level->victims == NULL)
            continue;
        at.cache = &level->victims[i];
        visit_cache(memory, &at, range, act);
    }
}

static void write_back(struct wm_memory *memory, const struct visited_cache *at, uint64_t line,
                       uint64_t index_line, uint32_t sectors, bool kept)
{
    uint32_t dirty = wm_cache_clean(at->cache, line, index_line, sectors);
    if (dirty == 0)
        return;
    struct wm_cache_victim left = wm_cache_last_write_back(at->cache, line, dirty);
    memory->paths->write_back(memory, at->level, at->cache, at->unit, &left, kept);
}

static void clean(struct wm_memory *memory, const struct visited_cache *at, uint64_t line,
                  uint64_t index_line, uint32_t sectors)
{
    write_back(memory, at, line, index_line, sectors, true);
}

// The same of a line that is about to be dropped.
static void empty(struct wm_memory *memory, const struct visited_cache *at, uint64_t line,
                  uint64_t index_line, uint32_t sectors)
{
    write_back(memory, at, line, index_line, sectors, false);
}

// A line that leaves an inclusive level leaves the caches above.
static void drop(struct wm_memory *memory, const struct visited_cache *at, uint64_t line,
                 uint64_t index_line, uint32_t sectors)
{
    wm_cache_invalidate(at->cache, line, index_line, sectors);
    if (at->level->inclusion == WM_INCLUSIVE && wm_cache_find(at->cache, line, index_line) < 0)
        memory->paths->left_inclusive(memory, at->level, at->cache, at->unit,
                                      line << at->cache->line_shift);
}

// Coherent lines, at the last level, which has all that those above it have.
static void clean_coherent(struct wm_memory *memory, const struct visited_cache *at, uint64_t line,
                           uint64_t index_line, uint32_t sectors)
{
    (void)index_line, (void)sectors; // they are whole
    wm_coherent_clean(memory, at->unit, at->level, line);
}

static void recall_coherent(struct wm_memory *memory, const struct visited_cache *at, uint64_t line,
                            uint64_t index_line, uint32_t sectors)
{
    (void)index_line, (void)sectors;
    wm_coherent_recall(memory, at->unit, at->level, line);
}

static bool is_seen_below(const struct wm_cache_level *level)
{
    return level->is_coherent && level->below != NULL;
}

enum { MOST_LINES_DROPPED_SINGLY = 1024 };

// What prefetchers hold of the range, or of much that it lies in.
static void drop_prefetched(struct wm_memory *memory, struct wm_cache_level *level,
                            const struct range *range)
{
    uint64_t first = first_line(level->caches, range), last = last_line(level->caches, range);
    if (level->prefetchers.ops == NULL || level->is_coherent) // whose lines are recalled
        return;
    if (last - first >= MOST_LINES_DROPPED_SINGLY)
        wm_prefetchers_flush(&level->prefetchers, &memory->spec.levels[level - memory->levels], 0,
                             level->count);
    for (uint32_t i = 0; last - first < MOST_LINES_DROPPED_SINGLY && i < level->count; i++)
        for (uint64_t line = first; line <= last; line++)
            wm_prefetchers_dropped(level, &level->caches[i], line);
}

static struct range range_of(uint64_t address, uint64_t size_bytes)
{
    uint64_t end = address + size_bytes;
    return (struct range){.begin = address, .end = end < address ? UINT64_MAX : end};
}

static void clean_range(struct wm_memory *memory, const struct range *range)
{
    wm_memory_atomic_buffers_spill(memory, range->begin, range->end);
    for (uint32_t i = 0; i < memory->level_count; i++) {
        const struct wm_cache_level *level = memory->from_units[i];
        if (!level->loads_only && !is_seen_below(level))
            visit_level(memory, level, all_of(level), range,
                        level->is_coherent ? clean_coherent : clean);
    }
}

void wm_memory_host_read(struct wm_memory *memory, uint64_t address, uint64_t size_bytes)
{
    struct range range = range_of(address, size_bytes);
    if (size_bytes != 0)
        clean_range(memory, &range);
}

// Bytes that are fetched and dropped together at any level that holds dirty ones.
static uint64_t largest_unit(const struct wm_memory *memory)
{
    uint64_t most = WM_SECTOR_BYTES;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        uint64_t unit = memory->spec.levels[i].cache.sector_bytes;
        if (memory->levels[i].caches != NULL && !memory->levels[i].loads_only && unit > most)
            most = unit;
    }
    return most;
}

// --- What a level keeps of it ---

static void keep_line(struct wm_memory *memory, const struct visited_cache *at, uint64_t line,
                      uint64_t index_line, uint32_t sectors)
{
    static const struct wm_requester host = {0};
    struct wm_cache_victim victim;
    int32_t way = wm_cache_find(at->cache, line, index_line);
    if (way >= 0) {
        uint32_t set = wm_cache_set_of(at->cache, index_line);
        wm_cache_add_valid(at->cache, set * at->cache->stride + (uint32_t)way, sectors);
        return;
    }
    if (wm_cache_insert_line(at->cache, line, index_line, (struct wm_cache_line){.valid = sectors},
                             false, &host, &victim) &&
        victim.dirty != 0)
        memory->paths->write_back(memory, at->level, at->cache, at->unit, &victim, false);
}

// The copy engines write through L2, which keeps what it fetches at once, clean, where all of that
// was written. Of more than the level holds only the last part can stay.
static void keep_written(struct wm_memory *memory, const struct wm_cache_level *level,
                         const struct range *range)
{
    uint32_t gpu = wm_gpu_of_address(range->begin, memory->gpus, 0);
    struct caches which = those_of_gpu(memory, level, gpu);
    uint64_t unit = memory->spec.levels[level - memory->levels].cache.sector_bytes;
    uint64_t begin = (range->begin + unit - 1) & ~(unit - 1), end = range->end & ~(unit - 1);
    uint64_t lines = (uint64_t)level->caches->sets * level->caches->ways;
    uint64_t held = lines * level->line_bytes * (which.end - which.first);
    if (end > begin && end - begin > held)
        begin = (end - held) & ~(uint64_t)(level->line_bytes - 1);
    struct range whole = {begin, end};
    for (uint64_t line = begin >> level->line_shift; line << level->line_shift < end; line++) {
        uint64_t index_line;
        uint32_t slice = wm_level_slice(level, line, &index_line), number = which.first + slice;
        struct visited_cache at = {level, &level->caches[number], wm_first_unit_of(level, number),
                                   slice};
        keep_line(memory, &at, line, index_line,
                  sectors_in(at.cache, line << level->line_shift, &whole));
    }
}

// --- Writing ---

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
    wm_memory_atomic_buffers_spill(memory, range.begin, range.end);
    wm_memory_trackers_flush(memory);
    for (uint32_t i = 0; i < memory->level_count; i++) {
        struct wm_cache_level *level = memory->from_units[i];
        if (!is_seen_below(level))
            visit_level(memory, level, all_of(level), &range,
                        level->is_coherent ? recall_coherent : drop);
        drop_prefetched(memory, level, &range);
    }
    for (uint32_t i = 0; i < memory->level_count; i++)
        if (memory->spec.levels[memory->from_units[i] - memory->levels].host_write_allocate)
            keep_written(memory, memory->from_units[i], &range);
    if (memory->shadows != NULL)
        wm_explain_host_write(memory, range.begin, range.end);
}

// On a GPU: the trackers' are those that have the L1s' lines.
static void empty_level(struct wm_memory *memory, struct wm_cache_level *level, uint32_t gpu)
{
    struct range everything = {.begin = 0, .end = UINT64_MAX};
    struct caches which = those_of_gpu(memory, level, gpu);
    if (level->caches == NULL)
        return;
    if (level == &memory->levels[WM_LEVEL_L1])
        wm_memory_trackers_flush(memory);
    if (!level->loads_only && level->caches->write_policy == WM_WRITE_BACK)
        visit_level(memory, level, which, &everything, empty);
    wm_cache_level_flush(level, which.first, which.end);
    wm_prefetchers_flush(&level->prefetchers, &memory->spec.levels[level - memory->levels],
                         which.first, which.end);
    if (memory->shadows != NULL)
        wm_explain_emptied(memory, level->caches, which.first, which.end);
}

void wm_memory_set_eviction_priorities(struct wm_memory *memory, const uint8_t *l1,
                                       const uint8_t *l2)
{
    for (uint32_t i = 0; i < memory->levels[WM_LEVEL_L1].count; i++)
        memory->levels[WM_LEVEL_L1].caches[i].priorities = l1;
    for (uint32_t i = 0; i < memory->levels[WM_LEVEL_L2].count; i++)
        memory->levels[WM_LEVEL_L2].caches[i].priorities = l2;
}

void wm_memory_kernel_begin_on(struct wm_memory *memory, uint32_t gpu)
{
    if (memory->shadows != NULL)
        wm_explain_launch(memory);
    wm_memory_bypass_kernel(memory, gpu);
    wm_memory_trackers_flush(memory);
    if (memory->versions != NULL)
        wm_versions_kernel(memory->versions);
    for (uint32_t i = 0; i < memory->level_count; i++) {
        struct wm_cache_level *level = memory->from_units[i];
        if (level->loads_only || memory->spec.levels[level - memory->levels].flush_at_kernel)
            empty_level(memory, level, gpu);
    }
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

// The fresh ones take the places of the old ones, which are released; counters go on.
static void exchange_l1s(struct wm_memory *memory, struct caches which, struct wm_cache *fresh)
{
    struct wm_cache *l1s = memory->levels[WM_LEVEL_L1].caches;
    for (uint32_t i = which.first; i < which.end; i++) {
        struct wm_cache old = l1s[i];
        l1s[i] = fresh[i - which.first];
        l1s[i].counters = old.counters;
        fresh[i - which.first] = old;
    }
}

enum wm_status wm_memory_resize_l1_on(struct wm_memory *memory, uint32_t gpu, uint64_t size_bytes,
                                      uint32_t ways, struct wm_error *error)
{
    struct wm_cache_level *l1s = &memory->levels[WM_LEVEL_L1];
    struct wm_cache_spec spec = memory->spec.levels[WM_LEVEL_L1].cache;
    if (l1s->caches == NULL)
        return WM_OK;
    struct caches which = those_of_gpu(memory, l1s, gpu);
    const struct wm_cache *is = &l1s->caches[which.first];
    uint32_t slices = (uint32_t)l1s->slices.divisor;
    if (is->ways == ways && (uint64_t)is->sets * ways * spec.line_bytes * slices == size_bytes)
        return WM_OK;
    spec.size_bytes = size_bytes;
    spec.ways = ways;
    WM_TRY(wm_cache_spec_check(&spec, "l1", slices, error));
    uint32_t count = which.end - which.first, built = 0;
    struct wm_cache *fresh = calloc(count, sizeof *fresh);
    if (fresh == NULL || !grow_visited(memory, size_bytes / spec.line_bytes)) {
        free(fresh);
        return wm_fail_no_memory(error, "%u L1s", count);
    }
    enum wm_status status = WM_OK;
    struct wm_cache_spec l1 =
        wm_divergence_built_as(&memory->spec.levels[WM_LEVEL_L1].divergence, &spec);
    l1.size_bytes /= slices;
    for (; status == WM_OK && built < count; built++) {
        char path[sizeof memory->components->path]; // which seeds the replacement's chance
        wm_memory_graph_path(&memory->graph, memory->graph.levels[WM_LEVEL_L1], which.first + built,
                             NULL, path, sizeof path);
        status = wm_cache_init(&fresh[built], &l1, path, error);
        if (status == WM_OK && is->pins != NULL) // they are timed
            status = wm_cache_enable_pins(&fresh[built], error);
    }
    if (status == WM_OK) {
        empty_level(memory, l1s, gpu);
        exchange_l1s(memory, which, fresh);
        wm_memory_bypass_reset(memory, gpu);
        if (memory->shadows != NULL)
            wm_explain_resized(memory, l1s->caches);
    }
    for (uint32_t i = 0; i < built; i++)
        wm_cache_release(&fresh[i]);
    free(fresh);
    return status;
}

void wm_memory_peer_copy(struct wm_memory *memory, uint64_t to, uint64_t from, uint64_t size_bytes)
{
    uint32_t gpus = memory->gpus, there = wm_gpu_of_address(to, gpus, gpus),
             here = wm_gpu_of_address(from, gpus, gpus);
    if (gpus > 1 && here < gpus && there < gpus && here != there)
        memory->peer_links[here * gpus + there].bytes_copied += size_bytes;
}

void wm_memory_write_back_all(struct wm_memory *memory)
{
    struct range everything = {.begin = 0, .end = UINT64_MAX};
    clean_range(memory, &everything);
    if (memory->shadows != NULL)
        wm_explain_end(memory);
}
