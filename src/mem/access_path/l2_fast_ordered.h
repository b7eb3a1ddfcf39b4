// Requests that wait for a slice of L2 whose sets stand in order (mem/cache/ordered_set.h): most of
// them are served here, and counted together. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_L2_FAST_ORDERED_H
#define WM_MEM_ACCESS_PATH_L2_FAST_ORDERED_H

#include "mem/access_path/level_access.h"

// By client, and atomics that return apart.
enum ordered_client { ORDERED_LOAD, ORDERED_STORE, ORDERED_REDUCTION, ORDERED_ATOMIC, ORDERED };

// Served so far: requests, and in the upper half their sectors.
struct ordered_tally {
    uint64_t hits[ORDERED], misses[ORDERED];
    // Requests of lines that lacked sectors: among the hits, those sectors alone among the misses.
    uint64_t lacking, sectors_lacked;
    uint64_t evictions, write_backs, sectors_fetched, sectors_written_back;
};

enum ordered_outcome {
    ORDERED_SERVED,
    ORDERED_ABSENT, // nothing was done; a load, a store or an atomic of a line that is not there
    ORDERED_OTHER,  // nothing was done
};

// Whether a hit makes its line the first of its set and no more, without a hook to call.
static inline bool ordered_hits_are_simple(const struct wm_cache *l2)
{
    return l2->is_ordered && l2->hit_moves_to_front && l2->write_policy == WM_WRITE_BACK &&
           l2->narrow_lines != NULL;
}

// Whether besides a line that was not there comes first and the last goes.
static inline bool ordered_misses_are_simple(const struct wm_cache *l2)
{
    return l2->is_lru && l2->write_allocate;
}

WM_CACHE_INLINE void put_first(struct wm_cache *l2, uint32_t base, uint32_t stride, uint32_t from,
                               uint64_t line, struct wm_cache_line held)
{
    uint32_t through = wm_cache_through(from);
    wm_ordered_to_front(l2->tags + base, stride, through, line);
    wm_ordered_narrow_to_front(l2->narrow_lines + base, stride, through, wm_cache_narrow(held));
}

// What a request makes of a line that `held` not all of its sectors, of a slice that takes what is
// written; the others are fetched.
static __attribute__((noinline)) struct wm_cache_line fill_held(
    struct wm_memory *memory, const struct wm_cache *l2, const struct wm_l2_queue_entry *entry,
    struct wm_cache_line held, struct ordered_tally *tally)
{
    uint32_t sectors = entry->sectors, missing = sectors & ~held.valid;
    struct wm_cache_result result = {.fetch = wm_cache_fetch_units(l2, missing)};
    if (entry->client == WM_CACHE_LOAD)
        held.valid |= result.fetch;
    else
        held = wm_cache_line_after_write(l2, held, missing, sectors, entry->full_sectors, &result);
    struct access_context context = {.instruction_counters = charged_by(memory, entry)};
    if (result.fetch != 0)
        dram_access(memory, entry->line_address, result.fetch, false, &context);
    uint64_t lacked = wm_count_sectors(missing), found = wm_count_sectors(sectors) - lacked;
    tally->lacking++;
    tally->sectors_lacked += lacked;
    tally->sectors_fetched += wm_count_sectors(result.fetch);
    tally->hits[entry->client + entry->returns] += found << 32 | 1;
    tally->misses[entry->client + entry->returns] += lacked << 32;
    charged_by(memory, entry)->levels[WM_LEVEL_L2].hits += found;
    charged_by(memory, entry)->levels[WM_LEVEL_L2].misses += lacked;
    return held;
}

// Serves a request of a load, a store or an atomic whose line is there.
WM_CACHE_INLINE enum ordered_outcome serve_hit(struct wm_memory *memory, struct wm_cache *l2,
                                               uint32_t stride,
                                               const struct wm_l2_queue_entry *entry, uint64_t line,
                                               struct ordered_tally *tally)
{
    uint32_t base = entry->set * stride, sectors = entry->sectors;
    uint32_t equal = wm_cache_compare(l2->tags + base, stride, line);
    if (entry->client == WM_CACHE_WRITEBACK)
        return ORDERED_OTHER;
    if (equal == 0)
        return ORDERED_ABSENT;
    uint32_t way = (uint32_t)__builtin_ctz(equal);
    struct wm_cache_line held = wm_cache_narrow_at(l2, base + way);
    if ((sectors & ~held.valid) != 0) {
        if (!l2->write_allocate)
            return ORDERED_OTHER;
        put_first(l2, base, stride, way, line, fill_held(memory, l2, entry, held, tally));
        return ORDERED_SERVED;
    }
    held.dirty |= entry->client != WM_CACHE_LOAD ? wm_cache_fetch_units(l2, sectors) : 0;
    put_first(l2, base, stride, way, line, held);
    uint64_t count = wm_count_sectors(sectors);
    tally->hits[entry->client + entry->returns] += count << 32 | 1;
    charged_by(memory, entry)->levels[WM_LEVEL_L2].hits += count;
    return ORDERED_SERVED;
}

// What a request makes of a line that was not there; `*fetch`: the sectors to be read from below.
WM_CACHE_INLINE struct wm_cache_line held_of_miss(const struct wm_cache *l2,
                                                  const struct wm_l2_queue_entry *entry,
                                                  uint32_t *fetch)
{
    uint32_t sectors = entry->sectors;
    struct wm_cache_result result = {0};
    struct wm_cache_line held = {.valid = wm_cache_fetch_units(l2, sectors)};
    result.fetch = held.valid;
    if (entry->client != WM_CACHE_LOAD)
        held = wm_cache_line_after_write(l2, (struct wm_cache_line){0}, sectors, sectors,
                                         entry->full_sectors, &result);
    *fetch = result.fetch;
    return held;
}

// What lies below it, and what is counted: `fetch` is read, and line `old` has `left`.
WM_CACHE_INLINE void finish_ordered_miss(struct wm_memory *memory, const struct wm_cache *l2,
                                         const struct wm_l2_queue_entry *entry, uint32_t fetch,
                                         uint64_t old, struct wm_cache_line left,
                                         struct ordered_tally *tally)
{
    struct access_context context = {.instruction_counters = charged_by(memory, entry)};
    if (fetch != 0)
        dram_access(memory, entry->line_address, fetch, false, &context);
    if (left.dirty != 0)
        dram_access(memory, old << l2->line_shift, left.dirty, true, &context);
    tally->evictions += old != WM_CACHE_EMPTY;
    tally->write_backs += left.dirty != 0;
    tally->sectors_fetched += wm_count_sectors(fetch);
    tally->sectors_written_back += wm_count_sectors(left.dirty);
    uint64_t count = wm_count_sectors(entry->sectors);
    tally->misses[entry->client + entry->returns] += count << 32 | 1;
    charged_by(memory, entry)->levels[WM_LEVEL_L2].misses += count;
}

// Serves one whose line is not there.
WM_CACHE_INLINE void serve_miss(struct wm_memory *memory, struct wm_cache *l2, uint32_t stride,
                                const struct wm_l2_queue_entry *entry, uint64_t line,
                                struct ordered_tally *tally)
{
    uint32_t base = entry->set * stride, last = l2->ways - 1, fetch;
    struct wm_cache_line held = held_of_miss(l2, entry, &fetch);
    uint64_t old = l2->tags[base + last];
    struct wm_cache_line left = wm_cache_narrow_at(l2, base + last);
    put_first(l2, base, stride, last, line, held);
    finish_ordered_miss(memory, l2, entry, fetch, old, left, tally);
}

static void count_ordered(struct wm_cache *l2, const struct ordered_tally *tally)
{
    struct wm_cache_counters *counters = &l2->counters;
    uint64_t requests[ORDERED], hits[ORDERED], misses[ORDERED], sectors[ORDERED], missed = 0;
    for (enum ordered_client of = 0; of < ORDERED; of++) {
        hits[of] = tally->hits[of] >> 32;
        misses[of] = tally->misses[of] >> 32;
        sectors[of] = hits[of] + misses[of];
        requests[of] = (uint64_t)(uint32_t)tally->hits[of] + (uint32_t)tally->misses[of];
        missed += (uint32_t)tally->misses[of];
        counters->accesses += requests[of];
        counters->hits += hits[of];
        counters->misses += misses[of];
    }
    counters->load_accesses += requests[ORDERED_LOAD];
    counters->load_hits += hits[ORDERED_LOAD];
    counters->load_misses += misses[ORDERED_LOAD];
    counters->store_accesses += requests[ORDERED_STORE];
    counters->store_hits += hits[ORDERED_STORE];
    counters->store_misses += misses[ORDERED_STORE];
    counters->atomic_accesses += requests[ORDERED_REDUCTION] + requests[ORDERED_ATOMIC];
    counters->atomic_hits += hits[ORDERED_REDUCTION] + hits[ORDERED_ATOMIC];
    counters->atomic_misses += misses[ORDERED_REDUCTION] + misses[ORDERED_ATOMIC];
    counters->accesses_missed += missed + tally->lacking;
    counters->sector_misses += tally->sectors_lacked;
    counters->allocations += missed;
    counters->evictions += tally->evictions;
    counters->write_backs += tally->write_backs;
    counters->fills += tally->sectors_fetched;
    l2->occupied_lines += missed - tally->evictions;
    counters->bytes_to_above += (sectors[ORDERED_LOAD] + sectors[ORDERED_ATOMIC]) * WM_SECTOR_BYTES;
    counters->bytes_from_above +=
        (sectors[ORDERED_STORE] + sectors[ORDERED_REDUCTION] + sectors[ORDERED_ATOMIC]) *
        WM_SECTOR_BYTES;
    counters->bytes_from_below += tally->sectors_fetched * WM_SECTOR_BYTES;
    counters->bytes_to_below += tally->sectors_written_back * WM_SECTOR_BYTES;
}

#endif
