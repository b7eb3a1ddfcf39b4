// Occupancy: how many blocks of a kernel one SM holds, and which resource says so (CUDA C++
// Programming Guide, "Compute Capabilities"; vendor's occupancy calculator).
#ifndef WM_SM_OCCUPANCY_H
#define WM_SM_OCCUPANCY_H

#include "base/error.h"
#include "sm/sm_spec.h"

#include <stdint.h>

struct wm_block_resources {
    uint32_t threads, registers_per_thread;
    uint64_t shared_bytes; // static and dynamic
    // Percent of the most shared memory that the program prefers, plus one; 0: no preference.
    // Only a unified array heeds it (cudaFuncAttributePreferredSharedMemoryCarveout).
    uint32_t preferred_carveout;
};

struct wm_occupancy {
    uint32_t blocks, warps; // resident on one SM
    const char *limiter;    // "threads", "warps", "registers", "shared memory", "blocks"
    // The SM's shared memory while the kernel runs: of a unified array the carve-out, which leaves
    // the rest to L1.
    uint64_t shared_bytes;
};

// WM_LIMIT, naming the limit and both numbers, when not even one block fits.
enum wm_status wm_occupancy_of(const struct wm_sm_spec *spec,
                               const struct wm_block_resources *needs,
                               struct wm_occupancy *occupancy, struct wm_error *error);

// What blocks of several launches take of one SM together.
struct wm_sm_use {
    uint64_t threads, warps, registers, shared_bytes, blocks;
};

// A block comes, or leaves.
void wm_occupancy_take(const struct wm_sm_spec *spec, const struct wm_block_resources *needs,
                       struct wm_sm_use *use);
void wm_occupancy_leave(const struct wm_sm_spec *spec, const struct wm_block_resources *needs,
                        struct wm_sm_use *use);
// How many more blocks of these needs, which wm_occupancy_of allows, fit together with those, when
// they all share `shared_bytes` of shared memory.
uint32_t wm_occupancy_free_blocks(const struct wm_sm_spec *spec,
                                  const struct wm_block_resources *needs, uint64_t shared_bytes,
                                  const struct wm_sm_use *use);

// Lowers an estimate of registers to what one block of these threads can have: the register count
// of PTX is one, and a compiler that knows the block's size stays within that and spills the rest,
// so that the estimate alone refuses no launch.
void wm_occupancy_limit_registers(const struct wm_sm_spec *spec, struct wm_block_resources *needs);

// The most registers a thread can have for one block of `threads` (at least 1) to fit: what a
// compiler that knows the block's size would stay within. 0 when none fits.
uint32_t wm_occupancy_most_registers(const struct wm_sm_spec *spec, uint32_t threads);

#endif
