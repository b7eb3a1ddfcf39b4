// Loads of an L1 that finds lines through its index, under LRU or FIFO, as most machines' are: what
// they change is counted together, and nothing is tested whose result is always the same for such
// an L1. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_FAST_LOADS_H
#define WM_MEM_ACCESS_PATH_FAST_LOADS_H

#include "mem/access_path/entry.h"

// Lines that are there, and the sectors requested of them, to be counted together. Where the last
// thing that happened in L1 is a load, its line stands where another hit of it would put it.
struct hits {
    uint64_t lines, sectors;
    uint64_t loads[2];  // all of whose lines were there: coherent, divergent
    uint64_t last_line; // WM_CACHE_EMPTY: something else happened last
    uint32_t last_valid;
};

// The same of the other requests of loads.
struct loads_tally {
    uint64_t lines, sectors, missing, lines_missed;
    uint64_t sectors_fetched, sector_misses, filled, taken, evicted;
};

// Whether they go that way: all lines that are there are looked for before one is displaced, L1
// has nothing to write back, and each line lies in one of L2's.
static inline bool loads_use_fast_path(const struct wm_memory *memory, const struct wm_cache *l1)
{
    return !WM_PATHS_FULL && l1->index.rows != NULL && l1->narrow_lines != NULL &&
           l1->inserts_at_front && (l1->hit_moves_to_front || l1->hit_keeps_order) &&
           memory->levels[WM_LEVEL_L2].caches != NULL &&
           memory->spec.levels[WM_LEVEL_L1].allocation == WM_ALLOCATE_STREAMING &&
           l1->write_policy != WM_WRITE_BACK && memory->request_bytes <= memory->l2_line_bytes;
}

// L1 requests sectors of one of its lines from L2.
WM_CACHE_INLINE void request_from_l2(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                                     const struct access_context *context)
{
    uint64_t within = address & (memory->l2_line_bytes - 1);
    struct l2_request request;
    fill_l2_request(memory, &request, WM_CACHE_LOAD, address - within,
                    sectors << (within / WM_SECTOR_BYTES), 0);
    enqueue_l2_request(memory, &request, context);
}

// What these loads read of an L1, by value: else it is read again behind each store of a vector.
struct fast_array {
    uint64_t *tags;
    struct wm_cache_narrow_line *lines;
    struct wm_recency_node *nodes;
    struct wm_line_index index;
    uint32_t ways, stride, line_shift;
    uint32_t set_mask; // where masks_sets: a set is these bits of its lines' numbers
    bool masks_sets, moves_to_front;
};

static inline struct fast_array fast_array_of(const struct wm_cache *l1)
{
    return (struct fast_array){
        .tags = l1->tags,
        .lines = l1->narrow_lines,
        .nodes = l1->recency.nodes,
        .index = l1->index,
        .ways = l1->ways,
        .stride = l1->stride,
        .line_shift = l1->line_shift,
        .set_mask = l1->sets - 1,
        .masks_sets = l1->set_index->is_modulo && l1->set_divider.power_of_two,
        .moves_to_front = l1->hit_moves_to_front,
    };
}

WM_CACHE_INLINE uint32_t fast_set_of(const struct wm_cache *l1, const struct fast_array *array,
                                     uint64_t line)
{
    return __builtin_expect(array->masks_sets, 1) ? (uint32_t)line & array->set_mask
                                                  : wm_cache_set_of(l1, line);
}

// A line that L1 holds in `slot`. Returns the sectors that are to be fetched.
WM_CACHE_INLINE uint32_t load_held(struct wm_cache *l1, const struct fast_array *array,
                                   uint32_t slot, uint64_t line, uint32_t sectors, bool allocate,
                                   struct loads_tally *tally)
{
    uint32_t missing = sectors & ~array->lines[slot].valid;
    if (array->moves_to_front) {
        uint32_t set = fast_set_of(l1, array, line);
        wm_recency_ring_to_front(&l1->recency, set, slot - set * array->stride);
    }
    if (missing == 0)
        return 0;
    uint32_t fetch = allocate ? wm_cache_fetch_units(l1, missing) : missing;
    uint64_t lacking = wm_count_sectors(missing), fetched = wm_count_sectors(fetch);
    tally->missing += lacking;
    tally->sector_misses += lacking;
    tally->lines_missed++;
    tally->sectors_fetched += fetched;
    if (allocate) {
        array->lines[slot].valid |= (uint8_t)fetch;
        tally->filled += fetched;
    }
    return fetch;
}

// A line that takes the place of the last in its set's chain.
WM_CACHE_INLINE void take_last(struct wm_cache *l1, const struct fast_array *array, uint64_t line,
                               uint32_t valid, struct loads_tally *tally)
{
    uint32_t set = fast_set_of(l1, array, line), base = set * array->stride;
    struct wm_recency_node *nodes = array->nodes + (uint64_t)set * (array->ways + 1);
    uint32_t way = wm_recency_nodes_rotate(nodes, array->ways);
    uint32_t slot = base + way, next = base + nodes[way].previous;
    uint32_t then = base + nodes[next - base].previous;
    __builtin_prefetch(&array->lines[next], 1); // it goes next
    __builtin_prefetch(&array->tags[then], 1);
    __builtin_prefetch(&nodes[then - base]);
    uint64_t old = array->tags[slot], after = array->tags[next];
    array->tags[slot] = line;
    array->lines[slot] = (struct wm_cache_narrow_line){.valid = (uint8_t)valid};
    if (__builtin_expect(old != WM_CACHE_EMPTY, 1)) {
        wm_index_remove(&array->index, slot, old);
        tally->evicted++;
    }
    wm_index_insert(&array->index, slot, line);
    wm_index_host_prefetch_row(&array->index, after);
    tally->taken++;
}

static void count_fast(struct wm_cache *l1, const struct loads_tally *tally)
{
    struct wm_cache_counters *counters = &l1->counters;
    uint64_t hits = tally->sectors - tally->missing;
    counters->accesses += tally->lines;
    counters->load_accesses += tally->lines;
    counters->accesses_missed += tally->lines_missed;
    counters->hits += hits;
    counters->load_hits += hits;
    counters->misses += tally->missing;
    counters->load_misses += tally->missing;
    counters->sector_misses += tally->sector_misses;
    counters->fills += tally->filled;
    counters->allocations += tally->taken;
    counters->evictions += tally->evicted;
    l1->occupied_lines += tally->taken - tally->evicted;
    counters->bytes_to_above += tally->sectors * WM_SECTOR_BYTES;
    counters->bytes_from_below += tally->sectors_fetched * WM_SECTOR_BYTES;
}

// Serves lines up to the first that L1 does not hold with all sectors requested; returns how many.
// The others may be served as if they were all of the instruction: what was there before it went in
// this order anyway.
WM_CACHE_INLINE uint32_t fast_hits(struct wm_cache *l1, const struct wm_line_request *lines,
                                   uint32_t count, struct hits *hits)
{
    uint32_t at = 0;
    for (; at < count; at++) {
        uint64_t line = lines[at].line_address >> l1->line_shift;
        if (line != hits->last_line) {
            int64_t slot = wm_index_find(&l1->index, l1->tags, line);
            if (slot < 0)
                break;
            uint32_t valid = l1->narrow_lines[slot].valid, set = wm_cache_set_of(l1, line);
            if ((lines[at].sectors & ~valid) != 0)
                break;
            if (l1->hit_moves_to_front)
                wm_recency_ring_to_front(&l1->recency, set, (uint32_t)slot - set * l1->stride);
            hits->last_line = line;
            hits->last_valid = valid;
        } else if ((lines[at].sectors & ~hits->last_valid) != 0) {
            break;
        }
        hits->sectors += wm_count_sectors(lines[at].sectors);
    }
    hits->lines += at;
    return at;
}

// Which of an instruction's lines are there, and where; which are not. By number among them, in
// their order.
struct fast_finds {
    uint32_t slots[WM_MAX_LINE_REQUESTS];
    uint8_t present[WM_MAX_LINE_REQUESTS], absent[WM_MAX_LINE_REQUESTS];
    uint32_t present_count, absent_count;
};

// No branch depends on what is found, which no processor foresees.
WM_CACHE_INLINE void fast_find(const struct fast_array *array, const struct wm_line_request *lines,
                               uint32_t count, struct fast_finds *finds)
{
    uint32_t present = 0, absent = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t line = lines[i].line_address >> array->line_shift;
        uint32_t slot;
        bool there = wm_index_find_flat(&array->index, array->tags, line, &slot);
        finds->slots[present] = slot;
        finds->present[present] = finds->absent[absent] = (uint8_t)i;
        present += there;
        absent += !there;
    }
    finds->present_count = present;
    finds->absent_count = absent;
}

// Serves a load's lines. What is there goes first, and stays where it is. Counts for the cause; for
// L1 that is left to count_fast. Returns how many lines were missed.
WM_CACHE_INLINE uint32_t fast_loads(struct wm_memory *memory, struct wm_cache *l1,
                                    const struct wm_line_request *lines, uint32_t count,
                                    bool allocate, const struct access_context *context,
                                    struct loads_tally *tally)
{
    struct fast_finds finds;
    const struct fast_array array = fast_array_of(l1);
    uint64_t sectors_before = tally->sectors, missing_before = tally->missing;
    uint64_t fetched_before = tally->sectors_fetched, missed_before = tally->lines_missed;
    fast_find(&array, lines, count, &finds);
    for (uint32_t i = 0; i < finds.present_count; i++) {
        const struct wm_line_request *at = &lines[finds.present[i]];
        uint64_t line = at->line_address >> array.line_shift;
        tally->sectors += wm_count_sectors(at->sectors);
        uint32_t fetch = load_held(l1, &array, finds.slots[i], line, at->sectors, allocate, tally);
        if (fetch != 0)
            request_from_l2(memory, at->line_address, fetch, context);
    }
    for (uint32_t i = 0; i < finds.absent_count; i++) {
        const struct wm_line_request *at = &lines[finds.absent[i]];
        uint32_t sectors = at->sectors, fetch = sectors;
        uint64_t below_requests = wm_count_sectors(sectors);
        tally->sectors += below_requests;
        tally->missing += below_requests;
        if (allocate) {
            fetch = wm_cache_fetch_units(l1, sectors);
            take_last(l1, &array, at->line_address >> array.line_shift, fetch, tally);
            tally->filled += wm_count_sectors(fetch);
        }
        tally->sectors_fetched += wm_count_sectors(fetch);
        request_from_l2(memory, at->line_address, fetch, context);
    }
    tally->lines += count;
    tally->lines_missed += finds.absent_count;
    uint64_t missing = tally->missing - missing_before;
    context->instruction_counters->levels[WM_LEVEL_L1].hits +=
        tally->sectors - sectors_before - missing;
    context->instruction_counters->levels[WM_LEVEL_L1].misses += missing;
    context->instruction_counters->levels[WM_LEVEL_L2].bytes +=
        (tally->sectors_fetched - fetched_before) * WM_SECTOR_BYTES;
    return (uint32_t)(tally->lines_missed - missed_before);
}

#endif
