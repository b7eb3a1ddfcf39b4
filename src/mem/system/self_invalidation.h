// Levels whose caches invalidate themselves (docs/memory-system.md, R19): at an acquire of a scope
// beyond the block a unit's first level drops all its lines, as L1s of today's GPUs do (PTX ISA
// 8.5, "Memory Consistency Model"; Ren et al., "HMG", HPCA 2020, section II). They write through,
// so a release has nothing to write back.
//
// Thread rules: as the cache's. Private to mem/.
#ifndef WM_MEM_SYSTEM_SELF_INVALIDATION_H
#define WM_MEM_SYSTEM_SELF_INVALIDATION_H

#include "base/error.h"
#include "base/names/counters.h"
#include "mem/system/memory_spec.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_cache_level;

// clang-format off
#define WM_SELF_INVALIDATION_COUNTERS(X)                                                           \
    X(acquires, "acquires", "acquires beyond the scope of a block, each of which empties the cache") \
    X(lines, "lines", "lines that they dropped")                                                   \
    X(lines_in_flight, "lines", "clock: lines on their way at an acquire, which were not kept")
// clang-format on

struct wm_self_invalidation_counters {
    WM_SELF_INVALIDATION_COUNTERS(WM_COUNTER_FIELD)
};

// Gives the level, whose caches are there, counters for each, where it is scoped. WM_NO_MEMORY.
enum wm_status wm_self_invalidation_init(struct wm_cache_level *level,
                                         const struct wm_memory_spec *spec, struct wm_error *error);

#endif
