// What an SM counts while a kernel runs: the work before any cache.
#ifndef WM_ENGINE_ACCESS_SM_COUNTERS_H
#define WM_ENGINE_ACCESS_SM_COUNTERS_H

#include "base/names/counters.h"

// clang-format off
#define WM_SM_COUNTERS(X)                                                                          \
    X(blocks, "blocks", "blocks that ran on this SM")                                              \
    X(warp_instructions, "warp-instructions", "instructions executed, each counted once a warp")   \
    X(thread_instructions, "thread-instructions", "the same, each counted once an active lane")    \
    X(global_accesses, "warp-instructions", "executed accesses to global memory")                  \
    X(local_accesses, "warp-instructions", "executed accesses to local memory")                    \
    X(shared_accesses, "warp-instructions", "executed accesses to shared memory")                  \
    X(constant_accesses, "warp-instructions", "executed accesses to constant memory")              \
    X(parameter_accesses, "warp-instructions", "executed accesses to kernel parameters")           \
    X(texture_accesses, "warp-instructions", "executed texture fetches")                           \
    X(requests, "requests", "line requests that the coalescer made of them")                       \
    X(sectors, "sectors", "32-byte sectors touched by those requests")                             \
    X(atomics, "warp-instructions", "executed atomics and reductions, in whatever memory")         \
    X(atomic_lanes, "lanes", "lanes that took part in them")                                       \
    X(atomic_conflicts, "lanes", "of these, lanes behind another of their warp at the same address") \
    X(atomic_rounds, "lanes", "sum over these instructions of the most lanes at one address")
// clang-format on

struct wm_sm_counters {
    WM_SM_COUNTERS(WM_COUNTER_FIELD)
};
extern const struct wm_counter_set wm_sm_counter_set;

// Counted only when misses are explained, in components "….shared".
// clang-format off
#define WM_SHARED_COUNTERS(X)                                                                      \
    X(accesses, "warp-instructions", "executed accesses to shared memory")                         \
    X(passes, "passes", "times its banks were used for them")                                      \
    X(replays, "passes", "of passes, those that bank conflicts added")
// clang-format on

struct wm_shared_counters {
    WM_SHARED_COUNTERS(WM_COUNTER_FIELD)
};
extern const struct wm_counter_set wm_shared_counter_set;

// Counted only where machine code is estimated, in components "….machine_code".
// clang-format off
#define WM_MACHINE_CODE_COUNTERS(X)                                                                \
    X(machine_instructions, "warp-instructions", "machine instructions that ptxas is estimated to make of those executed") \
    X(folded_instructions, "warp-instructions", "of the PTX instructions executed, those that take no issue slot")
// clang-format on

struct wm_machine_code_counters {
    WM_MACHINE_CODE_COUNTERS(WM_COUNTER_FIELD)
};
extern const struct wm_counter_set wm_machine_code_counter_set;

#endif
