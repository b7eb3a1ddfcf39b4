// How long loads take under the clock engine: by the component that served them, and by
// instruction. A load is a warp's, loads and atomics that write registers; its cycles are those of
// the SM from its issue until all lanes have their data. Where misses are explained CPU cores' are
// among them: loads and locked operations, in cycles of the core from their dispatch. Private to
// engine/.
#ifndef WM_ENGINE_SESSION_LOAD_TIMES_H
#define WM_ENGINE_SESSION_LOAD_TIMES_H

#include "base/names/counters.h"
#include "mem/system/instruction_counters.h"

// The farthest component that any of a load's bytes came from: shared memory, a level by its
// number, or memory; of larger numbers the last. What waited for another's miss came from where
// that went.
enum wm_server {
    WM_SERVED_SHARED,
    WM_SERVED_LEVEL, // and on, by number
    WM_SERVED_L1 = WM_SERVED_LEVEL + WM_LEVEL_L1,
    WM_SERVED_SIDE = WM_SERVED_LEVEL + WM_LEVEL_SIDE, // and on, by enum wm_side_cache_kind
    WM_SERVED_L2 = WM_SERVED_LEVEL + WM_LEVEL_L2,
    WM_SERVED_MEMORY = WM_SERVED_LEVEL + WM_MOST_LEVELS,
    WM_SERVERS,
};

// Bucket i counts loads of 2^i to 2^(i+1) - 1 cycles; the last one all longer ones too.
enum { WM_LATENCY_BUCKETS = 16 };

struct wm_load_latency {
    struct wm_served_loads {
        uint64_t loads, cycles; // cycles: their sum
        uint64_t buckets[WM_LATENCY_BUCKETS];
    } by[WM_SERVERS];
};

// Those that a machine with these levels has, nearest first: shared memory, its levels from the
// units down, memory. Returns how many, at most WM_SERVERS.
uint32_t wm_servers_of(const struct wm_level_list *levels, enum wm_server servers[WM_SERVERS]);

// clang-format off
#define WM_LOAD_COUNTERS(X)                                                                        \
    X(loads, "warp-instructions", "loads that were done: times a warp got what it requested")      \
    X(load_cycles, "cycles", "sum over these of the cycles from issue until all lanes had their data") \
    X(loads_cached, "warp-instructions", "of these, those that waited for nothing below L1 and the side caches") \
    X(requests_waited, "requests", "line requests that waited for bytes from below, for another's miss too")
// clang-format on

// Of an instruction, where misses are explained: its loads by enum wm_server.
struct wm_load_servers {
    uint64_t loads[WM_SERVERS];
};

struct wm_load_counters {
    WM_LOAD_COUNTERS(WM_COUNTER_FIELD)
};
extern const struct wm_counter_set wm_load_counter_set;

#endif
