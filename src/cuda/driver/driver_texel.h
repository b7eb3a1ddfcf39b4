// Formats of texels: the driver API's description of them and the runtime API's.
#ifndef WM_CUDA_DRIVER_TEXEL_H
#define WM_CUDA_DRIVER_TEXEL_H

#include "cuda/driver/driver_types.h"

#include <stdbool.h>

// False for formats (CUarray_format) and numbers of channels that do not exist, or are not offered
// here: planar, normalized and compressed ones.
bool wm_driver_texel_to_runtime(int format, unsigned channels, struct wm_cuda_channel_format *to);
void wm_driver_texel_of_runtime(const struct wm_cuda_channel_format *from, int *format,
                                unsigned *channels);

#endif
