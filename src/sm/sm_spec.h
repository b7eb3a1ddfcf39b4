// The description of the streaming multiprocessors: filled from a machine file. Plain data.
#ifndef WM_SM_SM_SPEC_H
#define WM_SM_SM_SPEC_H

#include "sm/issue/issue.h"

#include <stdbool.h>
#include <stdint.h>

// Which loads of global memory a scalar cache serves, of those whose lanes read the same bytes.
enum wm_scalar_loads { WM_SCALAR_UNIFORM, WM_SCALAR_READ_ONLY };

// Which warps' loads wait when warps lose their lines in L1 (sm/lost_locality.h).
enum wm_load_throttle { WM_THROTTLE_NONE, WM_THROTTLE_LOST_LOCALITY };

enum wm_machine_code { WM_MACHINE_CODE_PTX, WM_MACHINE_CODE_ESTIMATED };

struct wm_load_throttle_spec {
    enum wm_load_throttle kind;
    uint32_t tags, tag_ways; // of each warp's victim tags; ways divide them
    uint32_t base_score, factor;
};

enum { WM_MAX_CARVEOUTS = 16 };

// Sizes that the shared memory of an SM may be given out of a unified array.
struct wm_carveouts {
    uint64_t count;
    uint64_t bytes[WM_MAX_CARVEOUTS]; // rising; 0 past the count
};

struct wm_sm_spec {
    uint32_t count;                              // SMs of the GPU
    uint32_t warp_width;                         // 32 or 64; 1: a CPU core
    uint32_t max_warps, max_threads, max_blocks; // resident on one SM
    uint32_t max_threads_per_block;
    uint32_t registers; // 32-bit registers of one SM
    uint32_t max_registers_per_thread;
    uint32_t register_allocation_unit; // registers a warp are rounded up to this
    uint64_t shared_bytes;             // shared memory of one SM
    uint64_t shared_bytes_per_block;   // most that one block may take (opt-in limit)
    uint64_t shared_allocation_unit;   // bytes a block are rounded up to this
    uint64_t shared_reserved_bytes;    // of each block's, taken by the system
    uint64_t unified_bytes;            // L1 and shared memory together; 0: each has its own
    struct wm_carveouts carveouts;     // unless unified_bytes is 0: the last is shared_bytes
    uint64_t default_carveout_bytes;   // one of them; 0: what the resident blocks need
    uint32_t coalescer_line_bytes;     // granularity of requests to L1: its line
    bool global_around_l1; // accesses to global memory go to L2, but for read-only loads
    enum wm_scalar_loads scalar_loads;
    uint32_t instruction_bytes;                         // of code, for instruction caches
    const struct wm_warp_scheduler_ops *warp_scheduler; // sm/warp_scheduler/warp_scheduler.h
    uint32_t active_warps;      // at least 1, of one scheduler: for the warp scheduler two-level
    uint32_t turn_instructions; // of one SM before the next has its turn (walk)
    bool turn_ends_at_memory;   // a turn ends with the first access that leaves the SM, too
    const struct wm_block_dispatch_ops *block_dispatch; // sm/block_dispatch/block_dispatch.h
    struct wm_load_throttle_spec load_throttle;
    uint32_t schedulers; // warp schedulers of one SM (for the clock engine and reports)
    // For the clock engine; latencies in cycles of the SM.
    uint32_t block_latency;  // cycles from a block's coming to an SM until its warps may issue
    uint32_t launch_latency; // of each launch, before its first block begins
    uint32_t issue_width;    // warp instructions that one scheduler may issue in a cycle
    enum wm_machine_code machine_code;   // what these instructions are
    struct wm_unit_spec units[WM_UNITS]; // by enum wm_unit
    uint32_t memory_queue;               // memory instructions that may wait in the load/store unit
    uint32_t shared_latency;             // of an access to shared memory without bank conflicts
    uint32_t shared_atomic_interval; // from an atomic on a bank to its warp's next there; 0 is 1
    uint32_t barrier_latency;        // from the last arrival until the block's warps may go on
};

#endif
