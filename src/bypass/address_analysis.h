// Where the loads of a kernel lie, lane by lane, as far as its PTX says: what each register holds
// (address_values.h) is worked out of thread and block numbers, parameters and constants, over all
// the places where it is assigned, until nothing changes. What comes from memory is unknown, unless
// all lanes read it from one place; so is what only some paths assign differently.
// Private to bypass/.
#ifndef WM_BYPASS_ADDRESS_ANALYSIS_H
#define WM_BYPASS_ADDRESS_ANALYSIS_H

#include "base/error.h"
#include "bypass/address_values.h"
#include "ptx/ptx.h"

// How a kernel was launched, and which of a block's warps is looked at.
struct wm_launch_shape {
    uint32_t grid[3], block[3];
};

// cudaMalloc's alignment (CUDA C++ Programming Guide, 5.3): that of pointers that are parameters.
enum { WM_POINTER_ALIGNMENT = 256 };

// Fills `addresses`, function->statement_count of them: of each instruction with an address, where
// it lies; others are unknown. WM_NO_MEMORY. Pure otherwise.
enum wm_status wm_address_analysis(const struct wm_ptx_function *function,
                                   const struct wm_launch_shape *shape, uint32_t warp,
                                   struct wm_lane_value *addresses, struct wm_error *error);

#endif
