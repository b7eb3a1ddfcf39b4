// How long loads take under the clock engine: by the level that served them, and by instruction.
// A load is a warp's, loads and atomics that write registers; its cycles are those of the SM from
// its issue until all lanes have their data. Private to engine/.
#ifndef WM_ENGINE_SESSION_LOAD_TIMES_H
#define WM_ENGINE_SESSION_LOAD_TIMES_H

#include "base/names/counters.h"

// The farthest level that any of a load's bytes came from. What waited for another's miss came from
// where that went.
enum wm_serving_level {
    WM_SERVED_SHARED, // shared memory
    WM_SERVED_L1,     // L1, or a side cache
    WM_SERVED_L2,
    WM_SERVED_DRAM,
    WM_SERVED_LEVELS,
};

// Bucket i counts loads of 2^i to 2^(i+1) - 1 cycles; the last one all longer ones too.
enum { WM_LATENCY_BUCKETS = 16 };

struct wm_load_latency {
    struct wm_latency_of_level {
        uint64_t loads, cycles; // cycles: their sum
        uint64_t buckets[WM_LATENCY_BUCKETS];
    } levels[WM_SERVED_LEVELS];
};

// "shared", "l1", "l2", "dram".
const char *wm_serving_level_name(enum wm_serving_level served);

// clang-format off
#define WM_LOAD_COUNTERS(X)                                                                        \
    X(loads, "warp-instructions", "loads that were done: times a warp got what it requested")      \
    X(load_cycles, "cycles", "sum over these of the cycles from issue until all lanes had their data") \
    X(loads_cached, "warp-instructions", "of these, those that waited for nothing below L1 and the side caches") \
    X(requests_waited, "requests", "line requests that waited for bytes from below, for another's miss too")
// clang-format on

struct wm_load_counters {
    WM_LOAD_COUNTERS(WM_COUNTER_FIELD)
};
extern const struct wm_counter_set wm_load_counter_set;

#endif
