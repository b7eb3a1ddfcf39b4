// Parts of a memory system for the rooms above: those that the clock engine drives in time, and the
// counter sets that reports print. Sets of caches are declared in mem/cache/cache.h, those that
// explain misses in mem/explain/miss_counters.h.
#ifndef WM_MEM_SYSTEM_MEMORY_COMPONENTS_H
#define WM_MEM_SYSTEM_MEMORY_COMPONENTS_H

#include "base/names/counters.h"

#include <stdint.h>

struct wm_cache;           // mem/cache/cache.h
struct wm_memory;          // mem/system/memory.h
struct wm_sharing_tracker; // mem/tracker/sharing_tracker.h

extern const struct wm_counter_set wm_dram_counter_set, wm_atomic_buffer_counter_set,
    wm_prefetcher_counter_set, wm_dirty_limit_counter_set, wm_tracker_counter_set,
    wm_l1_tlb_counter_set, wm_l2_tlb_counter_set, wm_peer_link_counter_set,
    wm_partition_counter_set, wm_coherence_counter_set, wm_directory_counter_set,
    wm_self_invalidation_counter_set;

// The L1 that an SM uses, owned by the memory system; NULL when the machine has none.
struct wm_cache *wm_memory_l1(const struct wm_memory *memory, uint32_t sm);
// How many caches a level has; 0: the machine does not have it.
uint32_t wm_memory_caches(const struct wm_memory *memory, uint32_t level);
// The number of a level's cache that a unit's access to an address finds; and the first unit whose
// accesses one of them serves.
uint32_t wm_memory_cache_of(const struct wm_memory *memory, uint32_t level, uint32_t unit,
                            uint64_t address);
uint32_t wm_memory_first_unit(const struct wm_memory *memory, uint32_t level, uint32_t cache);
// By number of a level that is there, its rank from the units down: 1, 2, …
void wm_memory_level_ranks(const struct wm_memory *memory, uint8_t *ranks);
// The lines that an L1, which is there, holds together with its victim cache.
uint32_t wm_memory_l1_lines(const struct wm_memory *memory);
// The sharing trackers, in order of their SMs; owned by the memory system.
uint32_t wm_memory_tracker_count(const struct wm_memory *memory);
struct wm_sharing_tracker *wm_memory_tracker(const struct wm_memory *memory, uint32_t index);

#endif
