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

enum deed {
    CLEAN,           // what is dirty is written back, the line stays
    CLEAN_TO_REMOVE, // the same, and the line is about to go
    DROP,
};

static void act_on(struct obvious_memory *memory, struct obvious_node *node,
                   struct obvious_cache *cache, struct obvious_line *line, uint32_t part,
                   enum deed deed)
{
    uint64_t address = line->number * cache->spec.line_bytes;
    if (deed == CLEAN_TO_REMOVE)
        obvious_leaves(memory, node, line);
    if (deed != DROP) {
        uint32_t dirty = obvious_clean(cache, line, part);
        obvious_write_back(memory, node, cache, line, dirty, deed == CLEAN, &unattributed);
        return;
    }
    obvious_drop(cache, line, part);
    if (!line->present)
        obvious_lost(memory, node, address, &unattributed);
}

// Does it to what [begin, end) touches, in order of address.
static void each_line(struct obvious_memory *memory, struct obvious_node *node,
                      struct obvious_cache *cache, uint64_t begin, uint64_t end, enum deed deed)
{
    uint64_t total = cache->sets * cache->spec.ways, found = 0;
    struct obvious_line **lines = calloc(total, sizeof(struct obvious_line *));
    for (uint64_t i = 0; i < total; i++)
        if (cache->lines[i].present)
            lines[found++] = &cache->lines[i];
    qsort(lines, found, sizeof(struct obvious_line *), by_number);
    for (uint64_t i = 0; i < found; i++) {
        if (!lines[i]->present) // an inclusive level has displaced it meanwhile
            continue;
        uint32_t part =
            touched(lines[i]->number * cache->spec.line_bytes, cache->spec.line_bytes, begin, end);
        if (part != 0)
            act_on(memory, node, cache, lines[i], part, deed);
    }
    free(lines);
}

// A level's caches one after the other, each before its victim cache.
static void each_node(struct obvious_memory *memory, struct obvious_level *level, uint64_t begin,
                      uint64_t end, enum deed deed)
{
    for (uint32_t i = 0; i < level->node_count; i++) {
        struct obvious_node *node = &level->nodes[i];
        memory->unit = node->first_unit;
        each_line(memory, node, &node->array, begin, end, deed);
        if (node->victims != NULL)
            each_line(memory, node, node->victims, begin, end, deed);
    }
}

static void each_level(struct obvious_memory *memory, uint64_t begin, uint64_t end, enum deed deed)
{
    for (uint32_t i = 0; i < memory->level_count && begin < end; i++)
        each_node(memory, memory->top_down[i], begin, end, deed);
}

void obvious_host_read(struct obvious_memory *memory, uint64_t address, uint64_t size_bytes)
{
    if (size_bytes != 0)
        obvious_spill_all(memory);
    each_level(memory, address, address + size_bytes, CLEAN);
}

void obvious_drain(struct obvious_memory *memory)
{
    obvious_spill_all(memory);
    each_level(memory, 0, UINT64_MAX, CLEAN);
}

static void drop_prefetched(struct obvious_level *level, uint64_t begin, uint64_t end)
{
    uint64_t line_bytes = level->spec->cache.line_bytes;
    for (uint32_t i = 0; i < level->node_count; i++)
        for (uint64_t at = begin / line_bytes; level->nodes[i].prefetcher != NULL; at++) {
            if (at * line_bytes >= end)
                break;
            obvious_prefetch_dropped(level->nodes[i].prefetcher, at);
        }
}

// Whole units of [begin, end) in one line stay, clean.
static void keep_line(struct obvious_memory *memory, struct obvious_level *level, uint64_t address,
                      uint32_t sectors)
{
    struct obvious_node *node = obvious_node_of(level, 0, address);
    uint64_t number = address / level->spec->cache.line_bytes;
    struct obvious_line victim = {.present = false}, *line = obvious_find(&node->array, number);
    const struct obvious_access access = {.number = number, .client = WM_CACHE_LOAD};
    if (line == NULL)
        line = obvious_take(&node->array, &access, &victim);
    for (uint32_t i = 0; line != NULL && i < OBVIOUS_SECTORS; i++)
        if ((sectors >> i & 1) != 0)
            line->held[i] = UINT32_MAX;
    if (victim.present && obvious_dirty(&victim) != 0)
        obvious_write_back(memory, node, &node->array, &victim, obvious_dirty(&victim), false,
                           &unattributed);
}

static void keep(struct obvious_memory *memory, struct obvious_level *level, uint64_t begin,
                 uint64_t end)
{
    const struct wm_cache_spec *cache = &level->spec->cache;
    uint64_t unit = cache->sector_bytes, line_bytes = cache->line_bytes;
    begin = (begin + unit - 1) / unit * unit;
    end = end / unit * unit;
    if (begin < end && end - begin > cache->size_bytes)
        begin = (end - cache->size_bytes) / line_bytes * line_bytes;
    for (uint64_t at = begin / line_bytes * line_bytes; at < end; at += line_bytes) {
        uint32_t sectors = 0;
        for (uint32_t i = 0; i < line_bytes / OBVIOUS_SECTOR; i++) {
            uint64_t sector = at + (uint64_t)i * OBVIOUS_SECTOR;
            if (sector >= begin && sector < end)
                sectors |= UINT32_C(1) << i;
        }
        keep_line(memory, level, at, sectors);
    }
}

void obvious_host_write(struct obvious_memory *memory, uint64_t address, uint64_t size_bytes)
{
    if (size_bytes == 0)
        return;
    obvious_spill_all(memory);
    obvious_trackers_flush(memory);
    uint64_t unit = OBVIOUS_SECTOR, end = address + size_bytes;
    for (uint32_t i = 0; i < memory->level_count; i++)
        if (!obvious_loads_only(memory->top_down[i]) &&
            memory->top_down[i]->spec->cache.sector_bytes > unit)
            unit = memory->top_down[i]->spec->cache.sector_bytes;
    each_level(memory, address / unit * unit, address, CLEAN);
    each_level(memory, end, (end + unit - 1) / unit * unit, CLEAN);
    each_level(memory, address, end, DROP);
    for (uint32_t i = 0; i < memory->level_count; i++)
        drop_prefetched(memory->top_down[i], address, end);
    for (uint32_t i = 0; i < memory->level_count; i++)
        if (memory->top_down[i]->spec->host_write_allocate)
            keep(memory, memory->top_down[i], address, end);
}

static void empty(struct obvious_memory *memory, struct obvious_level *level)
{
    each_node(memory, level, 0, UINT64_MAX, CLEAN_TO_REMOVE);
    for (uint32_t i = 0; i < level->node_count; i++) {
        obvious_empty(&level->nodes[i].array);
        if (level->nodes[i].victims != NULL)
            obvious_empty(level->nodes[i].victims);
        if (level->nodes[i].prefetcher != NULL)
            obvious_prefetch_flush(level->nodes[i].prefetcher);
    }
}

void obvious_kernel_begin(struct obvious_memory *memory)
{
    obvious_trackers_flush(memory);
    for (uint32_t i = 0; i < memory->level_count; i++) {
        struct obvious_level *level = memory->top_down[i];
        if (level->spec->flush_at_kernel || obvious_loads_only(level))
            empty(memory, level);
    }
}

void obvious_resize_l1(struct obvious_memory *memory, uint64_t size_bytes, uint32_t ways)
{
    struct wm_cache_spec *spec = &memory->spec.levels[WM_LEVEL_L1].cache;
    struct obvious_level *l1 = &memory->levels[WM_LEVEL_L1];
    if (l1->node_count == 0 || (spec->size_bytes == size_bytes && spec->ways == ways))
        return;
    obvious_trackers_flush(memory);
    empty(memory, l1);
    spec->size_bytes = size_bytes;
    spec->ways = ways;
    for (uint32_t i = 0; i < l1->node_count; i++) {
        struct obvious_cache old = l1->nodes[i].array;
        obvious_node_init_array(&l1->nodes[i], old.path);
        l1->nodes[i].array.counters = old.counters;
        obvious_cache_release(&old);
    }
}
