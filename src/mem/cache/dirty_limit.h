// A cache that keeps so many sectors dirty at most, as last-level caches of GPUs do
// (docs/memory-system.md, R15): the line that has been dirty for the longest time is written back,
// and stays, clean, when a write leaves more. Which that is, is a queue of lines, in the order in
// which they became dirty.
//
// What is queued is a line and not its way, so that sets may stand in LRU order
// (mem/cache/ordered_set.h), and nothing is done to the queue when a line leaves or becomes clean
// otherwise: its entry is stale from then on, and dropped when it comes first or there is no room.
// A line that becomes dirty again is queued again. Its last entry is the one that counts: entries
// of a set whose lines have the same hash are chained, each to the one before it, so that a later
// one is found. How many lines are dirty says whether any entry is stale; mostly none is.
//
// Such a cache is not under `opt`, nor has byte masks. Private to mem/.
#ifndef WM_MEM_CACHE_DIRTY_LIMIT_H
#define WM_MEM_CACHE_DIRTY_LIMIT_H

#include "mem/cache/cache.h"

// clang-format off
#define WM_DIRTY_LIMIT_COUNTERS(X)                                                               \
    X(cleaned, "lines", "lines written back, and kept, as the cache had too many dirty sectors") \
    X(cleaned_sectors, "sectors", "dirty sectors of these")
// clang-format on

struct wm_dirty_limit_counters {
    WM_DIRTY_LIMIT_COUNTERS(WM_COUNTER_FIELD)
};

struct wm_dirty_entry {
    uint64_t line;
    uint32_t set;
    uint32_t earlier; // number of the entry before it in its chain
};

struct wm_dirty_limit {
    uint64_t most, sectors; // that may be dirty, and are
    uint32_t lines;         // that are dirty
    // The queue, by numbers that go on from entry to entry: its first, and that of the next to
    // come. Those of 2^32 entries ago are the same again, which wm_dirty_limit_has_later knows.
    uint32_t first, end;
    uint32_t mask;    // over a number: where its entry is
    uint32_t *latest; // by set, and in it by hash: number of a chain's last entry
    uint32_t row;     // chains of a set; a power of two
    struct wm_dirty_limit_counters counters;
    _Alignas(64) struct wm_dirty_entry entries[];
};

// NULL without memory; of a cache whose geometry is known. The owner frees it.
struct wm_dirty_limit *wm_dirty_limit_new(const struct wm_cache *cache, uint64_t most_sectors);
// No line is dirty.
void wm_dirty_limit_clear(struct wm_dirty_limit *limit);
// clean_oldest.c. Drops what is stale of a full queue: some is, as it has room for more lines than
// the cache.
void wm_dirty_limit_compact(struct wm_cache *cache);

static inline uint32_t *wm_dirty_limit_row(const struct wm_dirty_limit *limit, uint32_t set)
{
    return limit->latest + (size_t)set * limit->row;
}

static inline uint32_t *wm_dirty_limit_latest(const struct wm_dirty_limit *limit, uint32_t set,
                                              uint64_t line)
{
    uint32_t hash = (uint32_t)(wm_index_hash(line) >> 40);
    return &wm_dirty_limit_row(limit, set)[hash & (limit->row - 1)];
}

static inline void wm_dirty_limit_append(struct wm_dirty_limit *limit, uint32_t set, uint64_t line)
{
    enum { AHEAD = 8 };
    uint32_t *latest = wm_dirty_limit_latest(limit, set, line);
    __builtin_prefetch(&limit->entries[(limit->end + AHEAD) & limit->mask], 1);
    limit->entries[limit->end & limit->mask] =
        (struct wm_dirty_entry){.line = line, .set = set, .earlier = *latest};
    *latest = limit->end++;
}

// A line that was displaced or cleaned had the dirty sectors `was`.
static inline void wm_dirty_limit_leave(struct wm_dirty_limit *limit, uint32_t was)
{
    limit->sectors -= wm_count_sectors(was);
    limit->lines -= was != 0;
}

// `line` of `set` had the dirty sectors `was`, and has `now` from now on.
static inline void wm_dirty_limit_change(struct wm_cache *cache, uint32_t set, uint64_t line,
                                         uint32_t was, uint32_t now)
{
    struct wm_dirty_limit *limit = cache->dirty_limit;
    wm_dirty_limit_leave(limit, was);
    limit->sectors += wm_count_sectors(now);
    limit->lines += now != 0;
    if (was != 0 || now == 0)
        return;
    if (__builtin_expect(limit->end - limit->first > limit->mask, 0))
        wm_dirty_limit_compact(cache);
    wm_dirty_limit_append(limit, set, line);
}

// Whether the cache may have too many dirty sectors when so many more are written.
static inline bool wm_cache_may_exceed_limit(const struct wm_cache *cache, uint32_t sectors)
{
    const struct wm_dirty_limit *limit = cache->dirty_limit;
    return limit != NULL &&
           limit->sectors + wm_count_sectors(wm_cache_fetch_units(cache, sectors)) > limit->most;
}

#endif
