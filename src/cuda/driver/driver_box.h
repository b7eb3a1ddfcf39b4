// Copies of boxes: the driver API's description of them and the runtime API's.
#ifndef WM_CUDA_DRIVER_BOX_H
#define WM_CUDA_DRIVER_BOX_H

#include "cuda/driver/driver.h"

// 1 for a side that is not given as its memory type says, or that leaves its pitch, or cuts a
// texel of an array; 400 for an array that is none.
wm_cuda_status wm_driver_box_to_runtime(const struct wm_driver_copy3d *copy,
                                        struct wm_cuda_copy3d *to);
// Positions in memory stay positions: what is given is what was set, or means the same.
void wm_driver_box_of_runtime(const struct wm_cuda_copy3d *copy, struct wm_driver_copy3d *to);

#endif
