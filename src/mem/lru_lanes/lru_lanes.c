#include "mem/lru_lanes/lru_lanes.h"

#include "base/containers/array.h"

#include "mem/cache/cache.h"
#include "mem/divergence/divergence_aware.h"
#include "mem/lru_lanes/lru_lanes_parts.h"
#include "mem/replacement/entries.h"
#include "mem/system/memory_state.h"

#include <stdlib.h>
#include <string.h>

bool wm_lru_lanes_can_be(const struct wm_memory_spec *spec)
{
    const struct wm_cache_spec *l1 = &spec->levels[WM_LEVEL_L1].cache;
    return l1->present && l1->replacement == &wm_replacement_lru &&
           l1->sector_bytes == l1->line_bytes && l1->write_policy == WM_WRITE_THROUGH_EVICT &&
           !l1->write_allocate && l1->ways <= WM_CACHE_VECTOR_WAYS &&
           spec->levels[WM_LEVEL_L1].allocation == WM_ALLOCATE_ON_MISS &&
           spec->levels[WM_LEVEL_L1].victim_lines == 0 &&
           !wm_divergence_is_enabled(&spec->levels[WM_LEVEL_L1].divergence);
}

// --- Building ---

static enum wm_status out_of_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "L1s side by side");
}

enum wm_status wm_lru_lanes_init(struct wm_lru_lanes *lanes, const struct wm_memory_spec *spec,
                                 struct wm_error *error)
{
    const struct wm_cache_spec *l1 = &spec->levels[WM_LEVEL_L1].cache;
    uint32_t sets = (uint32_t)(l1->size_bytes / l1->line_bytes / l1->ways);
    size_t paths;
    const struct wm_memory_paths *const *available = wm_memory_paths_available(&paths);
    *lanes = (struct wm_lru_lanes){
        .paths = available[wm_memory_paths_allowed() - 1],
        .caches = wm_sm_groups(spec->sm_count, spec->levels[WM_LEVEL_L1].units_each),
        .sms_each =
            spec->levels[WM_LEVEL_L1].units_each > 1 ? spec->levels[WM_LEVEL_L1].units_each : 1,
        .sets = sets,
        .ways = l1->ways,
        .line_shift = (uint32_t)__builtin_ctz(l1->line_bytes),
        .set_index = l1->set_index,
    };
    if (!l1->set_index->is_linear)
        return WM_OK;
    struct wm_set_hash hash = wm_set_hash_of(l1->set_index, l1->line_bytes, sets);
    if (!wm_set_hash_has_tables(&hash))
        return WM_OK;
    lanes->tables = malloc(sizeof *lanes->tables);
    if (lanes->tables == NULL)
        return out_of_memory(error);
    wm_set_tables_fill(lanes->tables, &hash);
    return WM_OK;
}

static void free_blocks(struct wm_lru_lanes *lanes)
{
    for (uint32_t i = 0; i < lanes->block_room; i++)
        free(lanes->blocks[i]);
    free(lanes->blocks);
    lanes->blocks = NULL;
    lanes->block_count = lanes->block_room = 0;
}

void wm_lru_lanes_release(struct wm_lru_lanes *lanes)
{
    free_blocks(lanes);
    free(lanes->tables);
    lanes->tables = NULL;
}

void wm_lru_lanes_restart(struct wm_lru_lanes *lanes, uint32_t ways)
{
    if (ways != lanes->ways)
        free_blocks(lanes);
    lanes->ways = ways;
    lanes->block_count = 0;
}

static uint64_t words_of_block(const struct wm_lru_lanes *lanes)
{
    return (uint64_t)lanes->caches * lanes->sets * lanes->ways * WM_LRU_LANES;
}

static bool make_block(struct wm_lru_lanes *lanes)
{
    if (!WM_ARRAY_RESIZE(lanes->blocks, lanes->block_room + 1))
        return false;
    size_t bytes = words_of_block(lanes) * sizeof **lanes->blocks; // a multiple of 64
    lanes->blocks[lanes->block_room] = aligned_alloc(64, bytes);
    if (lanes->blocks[lanes->block_room] == NULL)
        return false;
    lanes->block_room++;
    return true;
}

enum wm_status wm_lru_lanes_make(struct wm_lru_lanes *lanes, uint32_t count, struct wm_error *error)
{
    for (; lanes->block_count * WM_LRU_LANES < count; lanes->block_count++) {
        if (lanes->block_count == lanes->block_room && !make_block(lanes))
            return out_of_memory(error);
        _Static_assert(WM_CACHE_EMPTY == UINT64_MAX, "an empty way has all bits");
        memset(lanes->blocks[lanes->block_count], 0xff, words_of_block(lanes) * sizeof(uint64_t));
    }
    return WM_OK;
}

void wm_lru_lanes_copy(struct wm_lru_lanes *lanes, uint32_t from, uint32_t to)
{
    const uint64_t *source = lanes->blocks[from / WM_LRU_LANES] + from % WM_LRU_LANES;
    uint64_t *copy = lanes->blocks[to / WM_LRU_LANES] + to % WM_LRU_LANES;
    uint64_t words = words_of_block(lanes);
    for (uint64_t at = 0; at < words; at += WM_LRU_LANES)
        copy[at] = source[at];
}

// --- Requests ---

static uint32_t set_of(const struct wm_lru_lanes *lanes, uint64_t line)
{
    if (lanes->tables != NULL)
        return wm_set_looked_up(lanes->tables, line);
    return lanes->set_index->index(line, UINT32_C(1) << lanes->line_shift, lanes->sets);
}

static void find_lines(const struct wm_lru_lanes *lanes, uint32_t sm,
                       const struct wm_line_request *lines, uint32_t count,
                       struct wm_lane_lines *found)
{
    uint32_t first = sm / lanes->sms_each * lanes->sets;
    found->count = count;
    found->line_bytes = UINT32_C(1) << lanes->line_shift;
    for (uint32_t i = 0; i < count; i++) {
        found->lines[i] = lines[i].line_address >> lanes->line_shift;
        found->sets[i] = first + set_of(lanes, found->lines[i]);
        found->sectors[i] = wm_count_sectors(lines[i].sectors);
    }
}

// Whether the lane holds the line; `tags` are those of the set, from the lane on.
static bool holds(const uint64_t *tags, uint32_t ways, uint64_t line)
{
    for (uint32_t way = 0; way < ways; way++)
        if (tags[(uint64_t)way * WM_LRU_LANES] == line)
            return true;
    return false;
}

// Loads that take no line are rare: each line by itself, in the lanes that hold it.
static void look_for(struct wm_lru_lanes *lanes, const struct wm_lane_lines *lines,
                     struct wm_lane_share *share)
{
    uint64_t *block = lanes->blocks[share->block];
    for (uint32_t i = 0; i < lines->count; i++) {
        const uint64_t *tags = block + (uint64_t)lines->sets[i] * lanes->ways * WM_LRU_LANES;
        struct wm_lane_lines one = {.count = 1, .line_bytes = lines->line_bytes};
        one.sets[0] = lines->sets[i];
        one.lines[0] = lines->lines[i];
        one.sectors[0] = lines->sectors[i];
        uint8_t lanes_asked = share->lanes;
        share->lanes = 0;
        for (uint32_t lane = 0; lane < WM_LRU_LANES; lane++) {
            if ((lanes_asked >> lane & 1) == 0)
                continue;
            if (holds(tags + lane, lanes->ways, lines->lines[i]))
                share->lanes |= (uint8_t)(1 << lane);
            else
                share->fetched[lane] += lines->sectors[i] * WM_SECTOR_BYTES;
        }
        lanes->paths->lanes_load(block, lanes->ways, &one, share);
        share->lanes = lanes_asked;
    }
}

void wm_lru_lanes_load(struct wm_lru_lanes *lanes, uint32_t sm, const struct wm_line_request *lines,
                       uint32_t count, bool allocate, struct wm_lane_share *shares,
                       uint32_t share_count)
{
    struct wm_lane_lines found;
    find_lines(lanes, sm, lines, count, &found);
    for (uint32_t i = 0; i < share_count; i++) {
        if (allocate)
            lanes->paths->lanes_load(lanes->blocks[shares[i].block], lanes->ways, &found,
                                     &shares[i]);
        else
            look_for(lanes, &found, &shares[i]);
    }
}

static void drop(uint64_t *tags, uint32_t ways, uint64_t line)
{
    uint32_t way = 0;
    while (tags[(uint64_t)way * WM_LRU_LANES] != line)
        way++;
    for (; way + 1 < ways; way++)
        tags[(uint64_t)way * WM_LRU_LANES] = tags[(way + UINT64_C(1)) * WM_LRU_LANES];
    tags[(uint64_t)way * WM_LRU_LANES] = WM_CACHE_EMPTY;
}

void wm_lru_lanes_drop(struct wm_lru_lanes *lanes, uint32_t sm, const struct wm_line_request *lines,
                       uint32_t count)
{
    struct wm_lane_lines found;
    find_lines(lanes, sm, lines, count, &found);
    for (uint32_t block = 0; block < lanes->block_count; block++)
        for (uint32_t i = 0; i < count; i++) {
            uint64_t *tags =
                lanes->blocks[block] + (uint64_t)found.sets[i] * lanes->ways * WM_LRU_LANES;
            uint64_t equal = 0; // with any lane's: nearly no line that is stored to is there
            for (uint32_t word = 0; word < lanes->ways * WM_LRU_LANES; word++)
                equal |= tags[word] == found.lines[i];
            for (uint32_t lane = 0; lane < WM_LRU_LANES && equal != 0; lane++)
                if (holds(tags + lane, lanes->ways, found.lines[i]))
                    drop(tags + lane, lanes->ways, found.lines[i]);
        }
}
