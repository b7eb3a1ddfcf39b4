// What a level does with an access that is looked up in one of its caches: an L1, a side cache, a
// slice of L2. What it has none of the sectors for is requested from the level below, which does
// the same. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_LEVEL_ACCESS_H
#define WM_MEM_ACCESS_PATH_LEVEL_ACCESS_H

#include "mem/access_path/atomic_buffer_access.h"
#include "mem/access_path/prefetch_access.h"
#include "mem/access_path/victim_cache.h"
#include "mem/cache/dirty_limit.h"
#include "mem/system/coherent_memory.h"

// --- What is left to do below ---

// What `from`, a cache or its victim cache, displaced goes down: dirty sectors, or all to an
// exclusive level.
WM_CACHE_INLINE void send_down(struct wm_memory *memory, const struct wm_cache_level *level,
                               struct wm_cache *from, const struct wm_cache_victim *victim,
                               struct access_context *context)
{
    if (excludes_below(level) && victim->valid != 0)
        move_below(memory, level, from, victim, context);
    else if (victim->dirty != 0)
        write_back_below(memory, level, from, victim, context);
}

WM_CACHE_INLINE void fetch_from_below(struct wm_memory *memory, const struct wm_cache_level *level,
                                      struct wm_cache *cache, const struct line_place *place,
                                      uint32_t sectors, bool allocate,
                                      struct access_context *context)
{
    if (has_prefetcher(level)) {
        fetch_past_prefetcher(memory, level, cache, place, sectors, context);
        return;
    }
    cache->counters.bytes_from_below += bytes_of(sectors);
    if (excludes_below(level) && allocate &&
        wm_cache_find(cache, place->line, place->index_line) >= 0)
        move_from_below(memory, level, cache, place->address, sectors, context);
    else
        request_below(memory, level, WM_CACHE_LOAD, place->address, sectors, 0, context);
}

// Sectors of a write that go on below, and dirty ones that came from above with a line that the
// level did not take.
static __attribute__((noinline)) void send_on(struct wm_memory *memory,
                                              const struct wm_cache_level *level,
                                              struct wm_cache *cache, enum wm_cache_client client,
                                              const struct line_place *place, uint32_t sectors,
                                              uint32_t full_sectors, struct access_context *context)
{
    bool holds = excludes_below(level) && wm_cache_find(cache, place->line, place->index_line) >= 0;
    bool was = context->write_no_allocate;
    context->write_no_allocate = holds;
    cache->counters.bytes_to_below += bytes_of(sectors);
    enum wm_cache_client as = client == WM_CACHE_WRITEBACK ? WM_CACHE_WRITEBACK : WM_CACHE_STORE;
    request_below(memory, level, as, place->address, sectors, full_sectors & sectors, context);
    context->write_no_allocate = was;
}

// The fetch of a miss and the write-back of its victim, in the order the machine says. (A victim
// that is the line itself was lost before and is written back late: only under `opt`.)
WM_CACHE_INLINE void finish_miss(struct wm_memory *memory, const struct wm_cache_level *level,
                                 struct wm_cache *cache, const struct line_place *place,
                                 struct wm_cache_result *result, bool allocate,
                                 struct access_context *context)
{
    struct wm_cache_victim *victim = &result->victim;
    struct wm_cache *from = has_victim_cache(level)
                                ? insert_in_victim_cache(memory, level, cache, victim, context)
                                : cache;
    bool goes_down = victim->dirty != 0 || (WM_PATHS_FULL && victim->valid != 0);
    bool itself = WM_PATHS_FULL && victim->line == place->line;
    bool demand_first = goes_down && memory->spec.demand_before_writeback && !itself;
    if (goes_down && !demand_first)
        send_down(memory, level, from, victim, context);
    if (result->fetch != 0)
        fetch_from_below(memory, level, cache, place, result->fetch, allocate, context);
    if (demand_first)
        send_down(memory, level, from, victim, context);
}

// The same where there is anything to do, and what is sent on.
WM_CACHE_INLINE void finish(struct wm_memory *memory, const struct wm_cache_level *level,
                            struct wm_cache *cache, enum wm_cache_client client,
                            const struct line_place *place, struct wm_cache_result *result,
                            uint32_t full_sectors, bool allocate, struct access_context *context)
{
    if ((result->fetch | result->victim.dirty) != 0 || (WM_PATHS_FULL && result->victim.valid != 0))
        finish_miss(memory, level, cache, place, result, allocate, context);
    if (result->forward != 0)
        send_on(memory, level, cache, client, place, result->forward, full_sectors, context);
    if (has_prefetcher(level))
        request_wanted(memory, level, cache, context);
}

// A level that keeps so many sectors dirty at most has written a line.
WM_CACHE_INLINE void clean_beyond_limit(struct wm_memory *memory,
                                        const struct wm_cache_level *level, struct wm_cache *cache,
                                        const struct line_place *place,
                                        struct access_context *context)
{
    uint32_t dirty = wm_cache_dirty_sectors(cache, place->set);
    struct wm_cache_victim left;
    while (wm_cache_clean_last(cache, place->set, place->line, &dirty, &left))
        write_back_below(memory, level, cache, &left, context);
}

// The same of what is sent on whole.
static void finish_access(struct wm_memory *memory, const struct wm_cache_level *level,
                          struct wm_cache *cache, const struct line_place *place,
                          struct wm_cache_result *result, bool allocate,
                          struct access_context *context)
{
    finish(memory, level, cache, WM_CACHE_WRITEBACK, place, result, result->forward, allocate,
           context);
}

// --- Loads ---

// After a cache was looked up for a load: what it lacks is fetched.
WM_CACHE_INLINE void finish_load(struct wm_memory *memory, const struct wm_cache_level *level,
                                 struct wm_cache *cache, const struct line_place *place,
                                 uint32_t sectors, struct wm_cache_result *result, bool allocate,
                                 struct access_context *context)
{
    bool uncached_only =
        level->below != NULL && level->below->takes_uncached_only && !level->loads_only;
    bool tracked = has_tracker(memory, level), was = context->read_no_allocate;
    // Looked for again only where the result is used.
    bool taken = (uncached_only || tracked) && allocate && result->missing != 0 &&
                 wm_cache_find(cache, place->line, place->index_line) >= 0;
    context->read_no_allocate = uncached_only && taken;
    if (tracked) {
        int32_t from = WM_FROM_BELOW;
        if (result->missing != 0)
            from = finish_tracked_miss(memory, cache, place->address, result, taken, context);
        check_read_version(memory, cache, place->address, sectors, result->missing, result->fetch,
                           taken, from, context);
    } else if (result->missing != 0) {
        finish_access(memory, level, cache, place, result, allocate, context);
    }
    context->read_no_allocate = was;
}

// --- Stores, write-backs from above, and atomics where they are done ---

// A write that goes on below, or an access that must see the last one, has done so. A copy that it
// left in the cache has seen it.
static void track_write(struct wm_memory *memory, const struct wm_cache *cache, uint64_t address,
                        uint32_t sectors, struct access_context *context)
{
    uint64_t line = address >> cache->line_shift;
    clear_tracker_line(memory, cache, line);
    check_write_version(memory, address, sectors, wm_cache_find(cache, line, line) >= 0, context);
}

// An atomic at a slice with an atomic buffer.
static void serve_buffered(struct wm_memory *memory, const struct wm_cache_level *level,
                           struct wm_cache *cache, const struct line_place *place, uint32_t sectors,
                           struct access_context *context)
{
    uint64_t bytes = bytes_of(sectors);
    cache->counters.bytes_from_above += bytes;
    cache->counters.bytes_to_above += atomic_returns(WM_CACHE_ATOMIC, context) ? bytes : 0;
    operate_buffered(memory, (uint32_t)(cache - level->caches), place->address, sectors, context);
}

// --- Any access ---

// The access to the array itself, and to its victim cache.
WM_CACHE_INLINE struct wm_cache_result look_up(struct wm_memory *memory,
                                               const struct wm_cache_level *level,
                                               struct wm_cache *cache, enum wm_cache_client client,
                                               const struct line_place *place, uint32_t sectors,
                                               uint32_t full_sectors, bool takes,
                                               struct access_context *context)
{
    struct wm_cache_result result;
    if (has_victim_cache(level) && !wm_cache_drops(cache, client))
        swap_from_victim_cache(memory, level, cache, client, place, sectors, context);
    else if (has_victim_cache(level) &&
             invalidate_in_victim_cache(level, cache, client, place, sectors, &result))
        return result;
    return cache_access(cache, client, place, sectors, full_sectors, takes, context);
}

// Returns the sectors that were not there. `allocate`: where the level takes lines for such.
WM_CACHE_INLINE uint32_t level_access(struct wm_memory *memory, const struct wm_cache_level *level,
                                      struct wm_cache *cache, enum wm_cache_client client,
                                      const struct line_place *place, uint32_t sectors,
                                      uint32_t full_sectors, bool allocate,
                                      struct access_context *context)
{
    bool writes = client != WM_CACHE_LOAD;
    if (has_atomic_buffers(memory, level)) {
        if (client == WM_CACHE_ATOMIC) {
            serve_buffered(memory, level, cache, place, sectors, context);
            return 0;
        }
        spill_line(memory, (uint32_t)(cache - level->caches), place->address, sectors, context);
    }
    bool takes = allocate & (cache->write_allocate | !writes);
    struct wm_cache_result result =
        look_up(memory, level, cache, client, place, sectors, full_sectors, takes, context);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = cache,
                                          .client = client,
                                          .line = place->line,
                                          .sectors = sectors,
                                          .allocate = takes,
                                          .moves_victim = has_victim_cache(level)},
                &result, context);
    uint64_t bytes = WM_PATHS_FULL && context->crossed ? 0 : bytes_of(sectors);
    cache->counters.bytes_from_above += writes ? bytes : 0;
    cache->counters.bytes_to_above += !writes || atomic_returns(client, context) ? bytes : 0;
    if (client != WM_CACHE_WRITEBACK)
        charge(level, context->instruction_counters, sectors, result.missing);
    if (is_inclusive(level))
        full_sectors |=
            enforce_inclusion(memory, level, cache, place->address, writes, &result, context);
    if (WM_PATHS_FULL && !writes) {
        finish_load(memory, level, cache, place, sectors, &result, allocate, context);
        return result.missing;
    }
    if (excludes_below(level) && takes && wm_cache_find(cache, place->line, place->index_line) >= 0)
        invalidate_below(memory, level->below, place->address,
                         wm_taken_unfetched(cache, result.missing, result.fetch), context);
    finish(memory, level, cache, client, place, &result, full_sectors, takes, context);
    if (__builtin_expect(cache->dirty_limit != NULL, 0) && writes)
        clean_beyond_limit(memory, level, cache, place, context);
    allocate_in_inclusive_below(memory, level, cache, place, context);
    if (has_prefetcher(level)) // where it has not been handed on, it is stale
        wm_prefetchers_dropped(level, cache, place->line);
    if (has_tracker(memory, level))
        track_write(memory, cache, place->address, sectors, context);
    return result.missing;
}

// --- Requests from above, as they come ---

// What atomics of `requests` lines bring and take where they pass.
static inline void count_atomics(struct wm_cache_counters *counters, uint64_t requests,
                                 uint64_t sectors, bool returns)
{
    uint64_t bytes = sectors * WM_SECTOR_BYTES;
    counters->accesses += requests;
    counters->atomic_accesses += requests;
    counters->bypasses += sectors;
    counters->bytes_from_above += bytes;
    counters->bytes_to_below += bytes;
    counters->bytes_from_below += returns ? bytes : 0;
    counters->bytes_to_above += returns ? bytes : 0;
}

// An access that does not use the cache: its copy is written back when dirty, so that the level
// below answers right, and dropped when the access changes the bytes or must read fresh ones.
static void flush_held_copy(struct wm_memory *memory, const struct wm_cache_level *level,
                            struct wm_cache *cache, const struct line_place *place, bool drop,
                            struct access_context *context)
{
    uint64_t line = place->line, index_line = place->index_line;
    bool recalled = has_victim_cache(level) && wm_cache_find(cache, line, index_line) < 0;
    struct wm_cache *holder = recalled ? victim_cache_of(level, cache) : cache;
    uint32_t above = 0;
    if (drop && is_inclusive(level) && wm_cache_find(holder, line, index_line) >= 0)
        above = back_invalidate(memory, level, cache, place->address, context);
    if (excludes_below(level))
        move_copy_below(memory, level, holder, place, above, context);
    uint32_t dirty = wm_cache_clean(holder, line, index_line, cache->all_sectors);
    if (!excludes_below(level))
        wm_merge_dirty(cache, &dirty, above);
    if (drop && has_prefetcher(level))
        wm_prefetchers_dropped(level, cache, line);
    if (drop)
        wm_cache_invalidate(holder, line, index_line, cache->all_sectors);
    if (is_explained(memory) && drop)
        wm_explain_drop(memory, cache, line);
    struct wm_cache_victim left = wm_cache_last_write_back(holder, line, dirty);
    if (dirty != 0)
        write_back_below(memory, level, holder, &left, context);
}

// An atomic goes on to where it is done.
static void pass_atomic(struct wm_memory *memory, const struct wm_cache_level *level,
                        struct wm_cache *cache, const struct line_place *place, uint32_t sectors,
                        struct access_context *context)
{
    flush_held_copy(memory, level, cache, place, true, context);
    count_atomics(&cache->counters, 1, wm_count_sectors(sectors),
                  context->requester.kind == WM_ACCESS_ATOMIC);
    request_below(memory, level, WM_CACHE_ATOMIC, place->address, sectors, 0, context);
}

// --- A level in partitions (docs/memory-system.md, R16) ---

// An access to a slice; `crossed`: the slice that it came to first has counted what passes the
// upper side of the level.
static __attribute__((noinline)) void access_slice(
    struct wm_memory *memory, const struct wm_cache_level *level, struct wm_cache *slice,
    bool crossed, enum wm_cache_client client, const struct line_place *place, uint32_t sectors,
    uint32_t full_sectors, bool allocate, struct access_context *context)
{
    context->crossed = crossed;
    level_access(memory, level, slice, client, place, sectors, full_sectors, allocate, context);
    context->crossed = false;
}

// A load at a slice of its unit's partition, where copies are kept of lines of `home`.
static void load_copy(struct wm_memory *memory, const struct wm_cache_level *level, uint32_t near,
                      struct wm_cache *home, const struct line_place *place, uint32_t sectors,
                      bool allocate, struct access_context *context)
{
    struct wm_cache *cache = &level->caches[near];
    struct wm_partition_counters *crossings = &level->crossings[near];
    struct wm_cache_result result =
        cache_access(cache, WM_CACHE_LOAD, place, sectors, 0, allocate, context);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = cache,
                                          .client = WM_CACHE_LOAD,
                                          .line = place->line,
                                          .sectors = sectors,
                                          .allocate = allocate},
                &result, context);
    cache->counters.bytes_to_above += bytes_of(sectors);
    charge(level, context->instruction_counters, sectors, result.missing);
    crossings->loads++;
    crossings->load_sectors += wm_count_sectors(sectors);
    crossings->load_hits += wm_count_sectors(sectors & ~result.missing);
    bool demand_first = memory->spec.demand_before_writeback;
    if (result.victim.dirty != 0 && !demand_first)
        write_back_below(memory, level, cache, &result.victim, context);
    if (result.fetch != 0) {
        crossings->reads++;
        crossings->bytes_read += bytes_of(result.fetch);
        access_slice(memory, level, home, true, WM_CACHE_LOAD, place, result.fetch, 0, allocate,
                     context);
    }
    if (result.victim.dirty != 0 && demand_first)
        write_back_below(memory, level, cache, &result.victim, context);
}

// What changes bytes passes the slice of its unit's partition, and is done at home.
static void write_past_copies(struct wm_memory *memory, struct wm_cache_level *level, uint32_t near,
                              uint32_t slice, enum wm_cache_client client,
                              const struct line_place *place, uint32_t sectors,
                              uint32_t full_sectors, bool allocate, struct access_context *context)
{
    struct wm_cache *cache = &level->caches[near];
    uint64_t bytes = bytes_of(sectors);
    if (near != slice) {
        level->crossings[near].writes++;
        level->crossings[near].bytes_written += bytes;
        cache->counters.bytes_from_above += bytes;
        cache->counters.bytes_to_above += atomic_returns(client, context) ? bytes : 0;
    }
    access_slice(memory, level, &level->caches[slice], near != slice, client, place, sectors,
                 full_sectors, allocate, context);
    wm_drop_copies(memory, level, slice, place->line, place->index_line, sectors);
}

static void serve_in_partitions(struct wm_memory *memory, struct wm_cache_level *level,
                                enum wm_cache_client client, struct wm_cache *home,
                                const struct line_place *place, uint32_t sectors,
                                uint32_t full_sectors, bool allocate,
                                struct access_context *context)
{
    uint32_t slice = (uint32_t)(home - level->caches),
             near = wm_slice_near(&memory->spec, level, context->unit, slice);
    if (client != WM_CACHE_LOAD)
        write_past_copies(memory, level, near, slice, client, place, sectors, full_sectors,
                          allocate, context);
    else if (near != slice)
        load_copy(memory, level, near, home, place, sectors, allocate, context);
    else
        access_slice(memory, level, home, false, client, place, sectors, full_sectors, allocate,
                     context);
}

static void serve_request(struct wm_memory *memory, const struct wm_cache_level *level,
                          enum wm_cache_client client, uint64_t line_address, uint32_t sectors,
                          uint32_t full_sectors, struct access_context *context)
{
    if (WM_PATHS_FULL && level->is_coherent) {
        wm_coherent_request(memory, level, client, line_address, sectors, WM_BYPASS_NO, context);
        return;
    }
    struct line_place place;
    struct wm_cache *cache = place_at(memory, level, context->unit, line_address, &place);
    bool reads = context->read_no_allocate, writes = context->write_no_allocate;
    bool allocate = !(WM_PATHS_FULL && (client == WM_CACHE_LOAD ? reads : writes));
    context->read_no_allocate = context->write_no_allocate = false; // they are said of one level
    if (WM_PATHS_FULL && client == WM_CACHE_ATOMIC && level->passes_atomics)
        pass_atomic(memory, level, cache, &place, sectors, context);
    else if (WM_PATHS_FULL && level->partitions > 1)
        serve_in_partitions(memory, &memory->levels[level->number], client, cache, &place, sectors,
                            full_sectors, allocate, context);
    else
        level_access(memory, level, cache, client, &place, sectors, full_sectors, allocate,
                     context);
    context->read_no_allocate = reads;
    context->write_no_allocate = writes;
}

#endif
