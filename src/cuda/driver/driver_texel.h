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

// Descriptions of textures. 1 for those that cannot be; samplers of a format or the view's.
wm_cuda_status wm_driver_resource_to_runtime(const struct wm_driver_resource *from,
                                             struct wm_cuda_resource *to);
enum { // CU_TRSF_…
    WM_DRIVER_SAMPLER_INTEGERS = 0x01,
    WM_DRIVER_SAMPLER_NORMALIZED = 0x02,
    WM_DRIVER_SAMPLER_FLAGS = 0x73, // that there are
};
wm_cuda_status wm_driver_sampler_to_runtime(const struct wm_driver_sampler *from,
                                            const struct wm_cuda_channel_format *format,
                                            const struct wm_cuda_resource_view *view,
                                            struct wm_cuda_sampler *to);

#endif
