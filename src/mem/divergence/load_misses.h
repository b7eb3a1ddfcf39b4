// How many of its lines a load found in L1: B. Wang, W. Yu, X.-H. Sun and X. Wang, "DaCache: memory
// divergence-aware GPU cache management", ICS 2015, section 3.1. A warp continues when all of them
// are there, so a load that lacks one waits like a load that lacks all. Private to mem/.
#ifndef WM_MEM_DIVERGENCE_LOAD_MISSES_H
#define WM_MEM_DIVERGENCE_LOAD_MISSES_H

#include "base/names/counters.h"

#include <stdbool.h>

enum { WM_COHERENT_LINES = 2 }; // that a load has at most; others are divergent (section 2)

static inline bool wm_is_divergent(uint32_t lines)
{
    return lines > WM_COHERENT_LINES;
}

// Of loads that were looked up in L1. The paper's groups of misses per load instruction are 0, 1,
// 2, 3 to 31, and 32.
// clang-format off
#define WM_LOAD_MISS_COUNTERS(X)                                                                   \
    X(coherent_loads, "warp-instructions", "loads looked up in L1 that had one line or two")       \
    X(coherent_loads_cached, "warp-instructions", "of them, those all of whose lines were there")  \
    X(coherent_loads_missed_1, "warp-instructions", "those that missed one line")                  \
    X(coherent_loads_missed_2, "warp-instructions", "those that missed two")                       \
    X(divergent_loads, "warp-instructions", "loads looked up in L1 that had more lines")           \
    X(divergent_loads_cached, "warp-instructions", "of them, those all of whose lines were there") \
    X(divergent_loads_missed_1, "warp-instructions", "those that missed one line")                 \
    X(divergent_loads_missed_2, "warp-instructions", "those that missed two")                      \
    X(divergent_loads_missed_more, "warp-instructions", "those that missed three to 31")           \
    X(divergent_loads_missed_32, "warp-instructions", "those that missed 32 or more")
// clang-format on

struct wm_load_miss_counters {
    WM_LOAD_MISS_COUNTERS(WM_COUNTER_FIELD)
};

// A load of `lines` lines, at least one, did not find `missed` of them.
static inline void wm_load_misses_count(struct wm_load_miss_counters *counters, uint32_t lines,
                                        uint32_t missed)
{
    if (!wm_is_divergent(lines)) {
        counters->coherent_loads++;
        (&counters->coherent_loads_cached)[missed]++;
        return;
    }
    counters->divergent_loads++;
    (&counters->divergent_loads_cached)[missed < 3 ? missed : missed < 32 ? 3 : 4]++;
}

#endif
