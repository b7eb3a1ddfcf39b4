// Loads of an L1 that finds lines through its index, under LRU or FIFO, as most machines' are: what
// they change is counted together, and nothing is asked that such an L1 answers alike each time.
#ifndef WM_MEM_PATHS_PATH_LOADS_H
#define WM_MEM_PATHS_PATH_LOADS_H

#include "mem/paths/path_entry.h"

// Lines that are there, and the sectors asked of them, to be counted together. Where the last thing
// that happened in L1 is a load, its line stands where another hit of it would put it.
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
static inline bool loads_are_short(const struct wm_memory *memory, const struct wm_cache *l1)
{
    return !WM_PATHS_FULL && l1->index.rows != NULL && l1->takes_last &&
           (l1->hit_moves_to_front || l1->hit_moves_nothing) && memory->l2 != NULL &&
           memory->spec.l1_allocation == WM_ALLOCATE_STREAMING &&
           l1->write_policy != WM_WRITE_BACK && memory->request_bytes <= memory->l2_line_bytes;
}

// L2 is asked for sectors of a line of L1's.
WM_CACHE_INLINE void ask_l2(struct wm_memory *memory, uint64_t address, uint32_t sectors,
                            const struct errand *errand)
{
    if (keeps_asks(memory))
        keep_ask(memory, WM_CACHE_LOAD, address, sectors, 0, errand);
    uint64_t within = address & (memory->l2_line_bytes - 1);
    struct l2_ask ask;
    l2_fill_ask(memory, &ask, WM_CACHE_LOAD, address - within,
                sectors << (within / WM_SECTOR_BYTES), 0);
    l2_wait(memory, &ask, errand);
}

// A line that L1 holds in `slot`. Returns the sectors that are to be fetched.
WM_CACHE_INLINE uint32_t load_held(struct wm_cache *l1, uint32_t slot, uint64_t line,
                                   uint32_t sectors, bool allocate, struct loads_tally *tally)
{
    uint32_t set = wm_cache_set_of(l1, line), missing = sectors & ~l1->lines[slot].valid;
    if (l1->hit_moves_to_front)
        wm_recency_ring_to_front(&l1->recency, set, slot - set * l1->stride);
    if (missing == 0)
        return 0;
    uint32_t fetch = allocate ? wm_cache_units(l1, missing) : missing;
    uint64_t lacking = wm_cache_sectors(missing), fetched = wm_cache_sectors(fetch);
    tally->missing += lacking;
    tally->sector_misses += lacking;
    tally->lines_missed++;
    tally->sectors_fetched += fetched;
    if (allocate) {
        l1->lines[slot].valid |= fetch;
        tally->filled += fetched;
    }
    return fetch;
}

// A line that takes the place of the last in its set's chain.
WM_CACHE_INLINE void take_last(struct wm_cache *l1, uint64_t line, uint32_t valid,
                               struct loads_tally *tally)
{
    uint32_t set = wm_cache_set_of(l1, line);
    uint32_t slot = set * l1->stride + wm_recency_ring_rotate(&l1->recency, set);
    uint64_t old = l1->tags[slot];
    l1->tags[slot] = line;
    l1->lines[slot] = (struct wm_cache_line){.valid = valid};
    if (__builtin_expect(old != WM_CACHE_EMPTY, 1)) {
        wm_index_remove(&l1->index, slot, old);
        tally->evicted++;
    }
    wm_index_insert(&l1->index, slot, line);
    wm_cache_expect_victim(l1, set);
    tally->taken++;
}

static void count_short(struct wm_cache *l1, const struct loads_tally *tally)
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

// Serves lines up to the first that L1 does not hold with all sectors asked for; returns how many,
// and where that one is. The others may be served as if they were all of the instruction: what was
// there before it went in this order anyway.
WM_CACHE_INLINE uint32_t short_hits(struct wm_cache *l1, const struct wm_coalesced *lines,
                                    uint32_t count, struct hits *hits, int64_t *slot)
{
    uint32_t at = 0;
    for (; at < count; at++) {
        uint64_t line = lines[at].line_address >> l1->line_shift;
        if (line != hits->last_line) {
            *slot = wm_index_find(&l1->index, l1->tags, line);
            if (*slot < 0)
                break;
            uint32_t valid = l1->lines[*slot].valid, set = wm_cache_set_of(l1, line);
            if ((lines[at].sectors & ~valid) != 0)
                break;
            if (l1->hit_moves_to_front)
                wm_recency_ring_to_front(&l1->recency, set, (uint32_t)*slot - set * l1->stride);
            hits->last_line = line;
            hits->last_valid = valid;
        } else if ((lines[at].sectors & ~hits->last_valid) != 0) {
            *slot = wm_index_find(&l1->index, l1->tags, line);
            break;
        }
        hits->sectors += wm_cache_sectors(lines[at].sectors);
    }
    hits->lines += at;
    return at;
}

// Serves lines of which the first is at `slot`, or nowhere. What is there goes first, and stays
// where it is. Counts for the cause; for L1 that is left to count_short. Returns how many lines
// were missed.
WM_CACHE_INLINE uint32_t short_loads(struct wm_memory *memory, struct wm_cache *l1,
                                     const struct wm_coalesced *lines, uint32_t count, int64_t slot,
                                     bool allocate, const struct errand *errand,
                                     struct loads_tally *tally)
{
    uint8_t absent[WM_MAX_COALESCED];
    uint64_t sectors_before = tally->sectors, missing_before = tally->missing;
    uint64_t fetched_before = tally->sectors_fetched, missed_before = tally->lines_missed;
    uint32_t behind = 0;
    for (uint32_t i = 0;;) {
        uint64_t address = lines[i].line_address, line = address >> l1->line_shift;
        tally->sectors += wm_cache_sectors(lines[i].sectors);
        absent[behind] = (uint8_t)i;
        behind += slot < 0;
        if (slot >= 0) {
            uint32_t fetch = load_held(l1, (uint32_t)slot, line, lines[i].sectors, allocate, tally);
            if (fetch != 0)
                ask_l2(memory, address, fetch, errand);
        }
        if (++i == count)
            break;
        slot = wm_index_find(&l1->index, l1->tags, lines[i].line_address >> l1->line_shift);
    }
    for (uint32_t i = 0; i < behind; i++) {
        uint64_t address = lines[absent[i]].line_address;
        uint32_t sectors = lines[absent[i]].sectors, fetch = sectors;
        tally->missing += wm_cache_sectors(sectors);
        if (allocate) {
            fetch = wm_cache_units(l1, sectors);
            take_last(l1, address >> l1->line_shift, fetch, tally);
            tally->filled += wm_cache_sectors(fetch);
        }
        tally->sectors_fetched += wm_cache_sectors(fetch);
        ask_l2(memory, address, fetch, errand);
    }
    tally->lines += count;
    tally->lines_missed += behind;
    uint64_t missing = tally->missing - missing_before;
    errand->cause->l1_hits += tally->sectors - sectors_before - missing;
    errand->cause->l1_misses += missing;
    errand->cause->bytes_l1_l2 += (tally->sectors_fetched - fetched_before) * WM_SECTOR_BYTES;
    return (uint32_t)(tally->lines_missed - missed_before);
}

#endif
