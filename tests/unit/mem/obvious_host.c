// The model: what the host does to the caches, and the start of a kernel.
#include "obvious_memory.h"

#include <stdlib.h>

static const struct wm_requester unattributed = {0};

// Sectors of the line at `address` that [begin, end) touches.
static uint32_t touched(uint64_t address, uint32_t line_bytes, uint64_t begin, uint64_t end)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < line_bytes / OBVIOUS_SECTOR; i++) {
        uint64_t at = address + (uint64_t)i * OBVIOUS_SECTOR;
        if (at < end && at + OBVIOUS_SECTOR > begin)
            mask |= UINT32_C(1) << i;
    }
    return mask;
}

static int by_number(const void *a, const void *b)
{
    const struct obvious_line *left = *(struct obvious_line *const *)a;
    const struct obvious_line *right = *(struct obvious_line *const *)b;
    return (left->number > right->number) - (left->number < right->number);
}

static void clean_line(struct obvious_memory *memory, struct obvious_cache *cache, bool is_l2,
                       struct obvious_line *line, uint32_t part, bool stays)
{
    uint32_t dirty = obvious_clean(cache, line, part);
    if (!is_l2) {
        obvious_write_back(memory, cache, line, dirty, stays, &unattributed);
        return;
    }
    cache->counters.bytes_to_below += (uint64_t)obvious_count(dirty) * OBVIOUS_SECTOR;
    obvious_to_dram(memory, line->number * cache->spec.line_bytes, dirty, true);
}

enum deed {
    CLEAN,           // what is dirty is written back, the line stays
    CLEAN_TO_REMOVE, // the same, and the line is about to go
    DROP,
};

// Does it to what [begin, end) touches, in order of address.
static void each_line(struct obvious_memory *memory, struct obvious_cache *cache, bool is_l2,
                      uint64_t begin, uint64_t end, enum deed deed)
{
    uint64_t total = cache->sets * cache->spec.ways, found = 0;
    struct obvious_line **lines = calloc(total, sizeof(struct obvious_line *));
    for (uint64_t i = 0; i < total; i++)
        if (cache->lines[i].present)
            lines[found++] = &cache->lines[i];
    qsort(lines, found, sizeof(struct obvious_line *), by_number);
    for (uint64_t i = 0; i < found; i++) {
        if (!lines[i]->present) // an inclusive L2 has displaced it meanwhile
            continue;
        uint32_t part =
            touched(lines[i]->number * cache->spec.line_bytes, cache->spec.line_bytes, begin, end);
        uint64_t address = lines[i]->number * cache->spec.line_bytes;
        if (part != 0 && deed == DROP) {
            obvious_drop(cache, lines[i], part);
            if (is_l2 && memory->spec.levels[WM_LEVEL_L2].inclusion == WM_INCLUSIVE &&
                !lines[i]->present)
                obvious_leaves_l2(memory, address);
        } else if (part != 0) {
            clean_line(memory, cache, is_l2, lines[i], part, deed == CLEAN);
        }
    }
    free(lines);
}

// An L1, then its victim cache.
static void each_l1_line(struct obvious_memory *memory, uint32_t l1, uint64_t begin, uint64_t end,
                         enum deed deed)
{
    each_line(memory, &memory->l1[l1], false, begin, end, deed);
    if (memory->victims != NULL)
        each_line(memory, &memory->victims[l1], false, begin, end, deed);
}

static void each_cache(struct obvious_memory *memory, uint64_t begin, uint64_t end, enum deed deed)
{
    if (begin >= end)
        return;
    for (uint32_t i = 0; i < memory->l1_count; i++)
        each_l1_line(memory, i, begin, end, deed);
    for (int kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++) // nothing of theirs is ever dirty
        for (uint32_t i = 0; i < memory->side_cache_counts[kind]; i++)
            each_line(memory, &memory->side_caches[kind][i], false, begin, end, deed);
    for (uint32_t i = 0; memory->l2 != NULL && i < memory->spec.levels[WM_LEVEL_L2].slices; i++)
        each_line(memory, &memory->l2[i], true, begin, end, deed);
}

void obvious_host_read(struct obvious_memory *memory, uint64_t address, uint64_t size_bytes)
{
    if (size_bytes != 0)
        obvious_spill_all(memory);
    each_cache(memory, address, address + size_bytes, CLEAN);
}

void obvious_drain(struct obvious_memory *memory)
{
    obvious_spill_all(memory);
    each_cache(memory, 0, UINT64_MAX, CLEAN);
}

void obvious_host_write(struct obvious_memory *memory, uint64_t address, uint64_t size_bytes)
{
    if (size_bytes == 0)
        return;
    obvious_spill_all(memory);
    obvious_trackers_flush(memory);
    uint64_t unit = OBVIOUS_SECTOR, end = address + size_bytes;
    if (memory->l1 != NULL && memory->spec.levels[WM_LEVEL_L1].cache.sector_bytes > unit)
        unit = memory->spec.levels[WM_LEVEL_L1].cache.sector_bytes;
    if (memory->l2 != NULL && memory->spec.levels[WM_LEVEL_L2].cache.sector_bytes > unit)
        unit = memory->spec.levels[WM_LEVEL_L2].cache.sector_bytes;
    each_cache(memory, address / unit * unit, address, CLEAN);
    each_cache(memory, end, (end + unit - 1) / unit * unit, CLEAN);
    each_cache(memory, address, end, DROP);
}

static void empty_l1s(struct obvious_memory *memory)
{
    obvious_trackers_flush(memory);
    for (uint32_t i = 0; i < memory->l1_count; i++)
        each_l1_line(memory, i, 0, UINT64_MAX, CLEAN_TO_REMOVE);
    for (uint32_t i = 0; i < memory->l1_count; i++) {
        obvious_empty(&memory->l1[i]);
        if (memory->victims != NULL)
            obvious_empty(&memory->victims[i]);
    }
}

void obvious_kernel_begin(struct obvious_memory *memory)
{
    obvious_trackers_flush(memory);
    if (memory->spec.levels[WM_LEVEL_L1].flush_at_kernel)
        empty_l1s(memory);
    for (int kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        for (uint32_t i = 0; i < memory->side_cache_counts[kind]; i++)
            obvious_empty(&memory->side_caches[kind][i]);
}

void obvious_resize_l1(struct obvious_memory *memory, uint64_t size_bytes, uint32_t ways)
{
    if (memory->l1 == NULL || (memory->spec.levels[WM_LEVEL_L1].cache.size_bytes == size_bytes &&
                               memory->spec.levels[WM_LEVEL_L1].cache.ways == ways))
        return;
    empty_l1s(memory);
    memory->spec.levels[WM_LEVEL_L1].cache.size_bytes = size_bytes;
    memory->spec.levels[WM_LEVEL_L1].cache.ways = ways;
    for (uint32_t i = 0; i < memory->l1_count; i++) {
        struct obvious_cache old = memory->l1[i];
        obvious_cache_init(&memory->l1[i], &memory->spec.levels[WM_LEVEL_L1].cache, old.path);
        memory->l1[i].counters = old.counters;
        memory->l1[i].hands_on = old.hands_on;
        obvious_cache_release(&old);
    }
}
