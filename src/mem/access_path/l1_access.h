// What arrives at an L1: loads and stores that are looked up, those that go around it, atomics.
// Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_L1_ACCESS_H
#define WM_MEM_ACCESS_PATH_L1_ACCESS_H

#include "mem/access_path/victim_cache.h"

static inline void charge_l1(struct access_context *context, uint32_t sectors, uint32_t missing)
{
    uint64_t misses = (uint64_t)__builtin_popcount(missing);
    context->instruction_counters->l1_misses += misses;
    context->instruction_counters->l1_hits += (uint64_t)__builtin_popcount(sectors) - misses;
}

// What `from`, L1 or its victim cache, displaced goes down: dirty sectors, or all to an exclusive
// L2.
WM_CACHE_INLINE void send_down(struct wm_memory *memory, struct wm_cache *from,
                               const struct wm_cache_victim *victim, struct access_context *context)
{
    if (is_exclusive(memory) && victim->valid != 0)
        move_to_l2(memory, from, victim, context);
    else if (victim->dirty != 0)
        l2_write_back(memory, from, victim, context);
}

// The fetch of a miss and the write-back of its victim, in the order the machine says. (A victim
// that is the line itself was lost before and is written back late: only under `opt`.)
WM_CACHE_INLINE void finish_l1_miss(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                                    struct wm_cache_result *result, bool allocate,
                                    struct access_context *context)
{
    struct wm_cache_victim *victim = &result->victim;
    struct wm_cache *from =
        has_victim_cache(memory) ? insert_in_victim_cache(memory, l1, victim, context) : l1;
    bool itself = WM_PATHS_FULL && victim->line == address >> l1->line_shift;
    bool demand_first = memory->spec.demand_before_writeback && !itself;
    if (!demand_first)
        send_down(memory, from, victim, context);
    if (result->fetch != 0) {
        l1->counters.bytes_from_below += bytes_of(result->fetch);
        uint64_t line = address >> l1->line_shift;
        if (is_exclusive(memory) && allocate && wm_cache_find(l1, line, line) >= 0)
            move_from_l2(memory, l1, address, result->fetch, context);
        else
            l2_read(memory, address, result->fetch, context);
    }
    if (demand_first)
        send_down(memory, from, victim, context);
}

// An access that does not use L1: its copy is written back when dirty, so that L2 answers right,
// and dropped when the access changes the bytes or must read fresh ones.
static void flush_held_copy(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                            bool drop, struct access_context *context)
{
    uint64_t line = address >> l1->line_shift;
    bool recalled = has_victim_cache(memory) && wm_cache_find(l1, line, line) < 0;
    struct wm_cache *holder = recalled ? victim_cache_of(memory, l1) : l1;
    if (is_exclusive(memory))
        move_copy_down(memory, holder, line, context);
    uint32_t dirty = wm_cache_clean(holder, line, line, l1->all_sectors);
    if (drop)
        wm_cache_invalidate(holder, line, line, l1->all_sectors);
    if (is_explained(memory) && drop)
        wm_explain_drop(memory, l1, line);
    struct wm_cache_victim left = wm_cache_last_write_back(holder, line, dirty);
    if (dirty != 0)
        l2_write_back(memory, holder, &left, context);
}

static inline void flush_l1_copy(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                                 bool drop, struct access_context *context)
{
    uint64_t line = address >> l1->line_shift;
    if (WM_PATHS_FULL || wm_cache_find_in_set(l1, wm_cache_set_of(l1, line), line) >= 0)
        flush_held_copy(memory, l1, address, drop, context);
}

// A write, or an access that must see the last one, has gone on below. A copy that it left in L1
// has seen it.
static void track_write(struct wm_memory *memory, const struct wm_cache *l1, uint64_t address,
                        uint32_t sectors, struct access_context *context)
{
    uint64_t line = address >> l1->line_shift;
    clear_tracker_line(memory, l1, line);
    check_write_version(memory, address, sectors, wm_cache_find(l1, line, line) >= 0, context);
}

static void l1_bypass_load(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                           uint32_t sectors, struct access_context *context)
{
    flush_l1_copy(memory, l1, address, context->requester.hint == WM_HINT_VOLATILE, context);
    uint64_t bytes = bytes_of(sectors);
    l1->counters.accesses++;
    l1->counters.load_accesses++;
    l1->counters.load_accesses_bypassed++;
    l1->counters.bypasses += (uint64_t)__builtin_popcount(sectors);
    l1->counters.bytes_from_below += bytes;
    l1->counters.bytes_to_above += bytes;
    context->result.went_around = true;
    note_source(context, WM_SOURCE_BELOW_L1);
    if (is_explained(memory))
        wm_explain_passed(memory, l1, sectors, context->request);
    l2_read(memory, address, sectors, context);
    if (!has_tracker(memory))
        return;
    if (context->requester.hint == WM_HINT_VOLATILE)
        clear_tracker_line(memory, l1, address >> l1->line_shift);
    check_read_version(memory, l1, address, sectors, sectors, 0, false, WM_FROM_BELOW, context);
}

static void l1_bypass_store(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                            uint32_t sectors, uint32_t full_sectors, struct access_context *context)
{
    flush_l1_copy(memory, l1, address, true, context);
    uint64_t bytes = bytes_of(sectors);
    l1->counters.accesses++;
    l1->counters.store_accesses++;
    l1->counters.store_accesses_bypassed++;
    l1->counters.bypasses += (uint64_t)__builtin_popcount(sectors);
    l1->counters.bytes_from_above += bytes;
    l1->counters.bytes_to_below += bytes;
    l2_write(memory, WM_CACHE_STORE, address, sectors, full_sectors, context);
    if (has_tracker(memory))
        track_write(memory, l1, address, sectors, context);
}

// What atomics of `requests` lines bring and take.
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

static void l1_atomic(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                      uint32_t sectors, struct access_context *context)
{
    flush_l1_copy(memory, l1, address, true, context);
    note_source(context, WM_SOURCE_BELOW_L1);
    count_atomics(&l1->counters, 1, wm_count_sectors(sectors),
                  context->requester.kind == WM_ACCESS_ATOMIC);
    l2_write(memory, WM_CACHE_ATOMIC, address, sectors, 0, context);
    if (has_tracker(memory))
        track_write(memory, l1, address, sectors, context);
}

// After L1 was looked up for a load: what it lacks is fetched.
WM_CACHE_INLINE void finish_load(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                                 uint32_t sectors, struct wm_cache_result *result, bool allocate,
                                 struct access_context *context)
{
    bool uncached_only = memory->spec.l2_load_allocation == WM_L2_TAKES_UNCACHED;
    uint64_t line = address >> l1->line_shift;
    // Looked for again only where the result is used.
    bool taken = (uncached_only || has_tracker(memory)) && allocate && result->missing != 0 &&
                 wm_cache_find(l1, line, line) >= 0;
    context->read_no_allocate = uncached_only && taken;
    if (has_tracker(memory)) {
        int32_t from = WM_FROM_BELOW;
        if (result->missing != 0)
            from = finish_tracked_miss(memory, l1, address, result, taken, context);
        check_read_version(memory, l1, address, sectors, result->missing, result->fetch, taken,
                           from, context);
    } else if (result->missing != 0) {
        note_source(context, WM_SOURCE_BELOW_L1);
        finish_l1_miss(memory, l1, address, result, allocate, context);
    }
    context->read_no_allocate = false;
}

// Returns the sectors that were not there.
WM_CACHE_INLINE uint32_t l1_load(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                                 uint32_t sectors, bool allocate, struct access_context *context)
{
    uint64_t line = address >> l1->line_shift;
    if (has_victim_cache(memory))
        swap_from_victim_cache(memory, l1, WM_CACHE_LOAD, line, sectors, context);
    struct wm_cache_result result =
        cache_read(l1, wm_cache_set_of(l1, line), line, line, sectors, allocate, context);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = l1,
                                          .client = WM_CACHE_LOAD,
                                          .line = line,
                                          .sectors = sectors,
                                          .allocate = allocate,
                                          .moves_victim = has_victim_cache(memory)},
                &result, context);
    l1->counters.bytes_to_above += bytes_of(sectors);
    charge_l1(context, sectors, result.missing);
    if (result.missing != 0)
        context->result.lines_missed++;
    if (WM_PATHS_FULL) {
        finish_load(memory, l1, address, sectors, &result, allocate, context);
    } else if (result.missing != 0) {
        note_source(context, WM_SOURCE_BELOW_L1);
        finish_l1_miss(memory, l1, address, &result, allocate, context);
    }
    return result.missing;
}

WM_CACHE_INLINE struct wm_cache_result l1_write(struct wm_memory *memory, struct wm_cache *l1,
                                                uint64_t line, uint32_t sectors,
                                                uint32_t full_sectors, bool takes,
                                                struct access_context *context)
{
    struct wm_cache_result result;
    if (has_victim_cache(memory) && l1->write_policy != WM_WRITE_THROUGH_EVICT)
        swap_from_victim_cache(memory, l1, WM_CACHE_STORE, line, sectors, context);
    else if (has_victim_cache(memory) &&
             invalidate_in_victim_cache(memory, l1, line, sectors, &result))
        return result;
    return cache_write(l1, WM_CACHE_STORE, wm_cache_set_of(l1, line), line, line, sectors,
                       full_sectors, takes, context);
}

// Returns the sectors that were not there.
WM_CACHE_INLINE uint32_t l1_store(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                                  uint32_t sectors, uint32_t full_sectors, bool allocate,
                                  struct access_context *context)
{
    uint64_t line = address >> l1->line_shift;
    bool takes = allocate && l1->write_allocate;
    struct wm_cache_result result =
        l1_write(memory, l1, line, sectors, full_sectors, takes, context);
    if (is_explained(memory))
        explain(memory,
                (struct wm_explain_event){.cache = l1,
                                          .client = WM_CACHE_STORE,
                                          .line = line,
                                          .sectors = sectors,
                                          .allocate = takes,
                                          .moves_victim = has_victim_cache(memory)},
                &result, context);
    l1->counters.bytes_from_above += bytes_of(sectors);
    charge_l1(context, sectors, result.missing);
    bool holds = is_exclusive(memory) && wm_cache_find(l1, line, line) >= 0;
    if (holds && takes)
        invalidate_in_l2(memory, address, wm_cache_fetch_units(l1, result.missing) & ~result.fetch);
    if ((result.fetch | result.victim.dirty) != 0 || (WM_PATHS_FULL && result.victim.valid != 0))
        finish_l1_miss(memory, l1, address, &result, takes, context);
    if (result.forward != 0) {
        context->write_no_allocate = holds;
        l1->counters.bytes_to_below += bytes_of(result.forward);
        l2_write(memory, WM_CACHE_STORE, address, result.forward, full_sectors & result.forward,
                 context);
        context->write_no_allocate = false;
    }
    if (is_inclusive(memory))
        allocate_in_inclusive_l2(memory, l1, line, context);
    if (has_tracker(memory))
        track_write(memory, l1, address, sectors, context);
    return result.missing;
}

#endif
