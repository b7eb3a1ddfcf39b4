// What is counted when misses are to be explained (docs/misses.md): why a sector was not there, and
// who had displaced its line. Declared here once for components and once for instructions.
#ifndef WM_MEM_EXPLAIN_EXPLAINED_H
#define WM_MEM_EXPLAIN_EXPLAINED_H

#include "base/counters.h"

// clang-format off
// The five classes add up to the cache's `misses`; the three evictors to at most `capacity` plus
// `conflict` (a replacement that refused a line evicted nobody).
#define WM_MISS_COUNTERS(X, level, at)                                                             \
    X(level##cold, "sectors", "misses" at " of sectors that this cache was never given to keep")   \
    X(level##coherence, "sectors", "misses" at " of sectors dropped since: overwritten elsewhere") \
    X(level##capacity, "sectors", "misses" at " that full associativity and LRU would have too")   \
    X(level##conflict, "sectors", "misses" at " that full associativity and LRU would not have")   \
    X(level##unallocated, "sectors", "misses" at " of accesses that take no line by policy")       \
    X(level##evicted_same_warp, "sectors",                                                         \
      "of capacity and conflict, those whose line the same warp had displaced last")               \
    X(level##evicted_same_block, "sectors",                                                        \
      "of capacity and conflict, those whose line another warp of the block had displaced last")   \
    X(level##evicted_other_block, "sectors",                                                       \
      "of capacity and conflict, those whose line another block had displaced last")

#define WM_EXPLAINED_CACHE_COUNTERS(X) WM_MISS_COUNTERS(X, , "")

#define WM_EXPLAINED_CAUSE_COUNTERS(X)                                                             \
    WM_MISS_COUNTERS(X, l1_, " in L1")                                                             \
    WM_MISS_COUNTERS(X, l2_, " in L2")                                                             \
    X(l1_again, "sectors", "sectors asked for in L1, found or not, whose line it had brought last") \
    X(shared_passes, "passes", "times the banks of shared memory were used for it")                \
    X(shared_replays, "passes", "of them, those that bank conflicts added")
// clang-format on

struct wm_explained_cache {
    WM_EXPLAINED_CACHE_COUNTERS(WM_COUNTER_FIELD)
};
struct wm_explained_cause {
    WM_EXPLAINED_CAUSE_COUNTERS(WM_COUNTER_FIELD)
};

// Kinds "l1_explained", "l2_explained" and "cause_explained".
extern const struct wm_counter_set wm_l1_explained_set, wm_l2_explained_set, wm_cause_explained_set;

#endif
