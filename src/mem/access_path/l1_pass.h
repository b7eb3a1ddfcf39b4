// Accesses that pass an L1 without a look-up: those that go around it, and atomics, which are done
// below. Private to mem/access_path/.
#ifndef WM_MEM_ACCESS_PATH_L1_PASS_H
#define WM_MEM_ACCESS_PATH_L1_PASS_H

#include "mem/access_path/l2_queue.h"

// An access that does not use L1: its copy is written back when dirty, so that L2 answers right,
// and dropped when the access changes the bytes or must read fresh ones.
static void flush_held_copy(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                            bool drop, struct access_context *context)
{
    uint64_t line = address >> l1->line_shift;
    bool recalled =
        has_victim_cache(&memory->levels[WM_LEVEL_L1]) && wm_cache_find(l1, line, line) < 0;
    struct wm_cache *holder = recalled ? victim_cache_of(&memory->levels[WM_LEVEL_L1], l1) : l1;
    if (excludes_below(&memory->levels[WM_LEVEL_L1]))
        move_copy_below(memory, &memory->levels[WM_LEVEL_L1], holder, line, context);
    uint32_t dirty = wm_cache_clean(holder, line, line, l1->all_sectors);
    if (drop)
        wm_cache_invalidate(holder, line, line, l1->all_sectors);
    if (is_explained(memory) && drop)
        wm_explain_drop(memory, l1, line);
    struct wm_cache_victim left = wm_cache_last_write_back(holder, line, dirty);
    if (dirty != 0)
        write_back_below(memory, &memory->levels[WM_LEVEL_L1], holder, &left, context);
}

static inline void flush_l1_copy(struct wm_memory *memory, struct wm_cache *l1, uint64_t address,
                                 bool drop, struct access_context *context)
{
    uint64_t line = address >> l1->line_shift;
    if (WM_PATHS_FULL || wm_cache_find_in_set(l1, wm_cache_set_of(l1, line), line) >= 0)
        flush_held_copy(memory, l1, address, drop, context);
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
    if (!has_tracker(memory, &memory->levels[WM_LEVEL_L1]))
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
    if (has_tracker(memory, &memory->levels[WM_LEVEL_L1]))
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
    if (has_tracker(memory, &memory->levels[WM_LEVEL_L1]))
        track_write(memory, l1, address, sectors, context);
}

#endif
