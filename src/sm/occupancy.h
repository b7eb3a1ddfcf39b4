// Occupancy: how many blocks of a kernel one SM holds, and which resource says so (CUDA C++
// Programming Guide, "Compute Capabilities"; vendor's occupancy calculator).
#ifndef WM_SM_OCCUPANCY_H
#define WM_SM_OCCUPANCY_H

#include "base/error.h"
#include "sm/sm_spec.h"

#include <stdint.h>

struct wm_block_needs {
    uint32_t threads, registers_per_thread;
    uint64_t shared_bytes; // static and dynamic
};

struct wm_occupancy {
    uint32_t blocks, warps; // resident on one SM
    const char *limiter;    // "threads", "warps", "registers", "shared memory", "blocks"
};

// WM_LIMIT, naming the limit and both numbers, when not even one block fits.
enum wm_status wm_occupancy_of(const struct wm_sm_spec *spec, const struct wm_block_needs *needs,
                               struct wm_occupancy *occupancy, struct wm_error *error);

#endif
