#include "cuda/driver/driver_texel.h"

static const struct texel {
    int format, bits, kind;
} texels[] = {
    {0x01, 8, WM_CUDA_CHANNEL_UNSIGNED},  {0x02, 16, WM_CUDA_CHANNEL_UNSIGNED},
    {0x03, 32, WM_CUDA_CHANNEL_UNSIGNED}, {0x08, 8, WM_CUDA_CHANNEL_SIGNED},
    {0x09, 16, WM_CUDA_CHANNEL_SIGNED},   {0x0a, 32, WM_CUDA_CHANNEL_SIGNED},
    {0x10, 16, WM_CUDA_CHANNEL_FLOAT},    {0x20, 32, WM_CUDA_CHANNEL_FLOAT},
};
enum { TEXELS = sizeof texels / sizeof texels[0] };

bool wm_driver_texel_to_runtime(int format, unsigned channels, struct wm_cuda_channel_format *to)
{
    for (int i = 0; i < TEXELS; i++) {
        int bits = texels[i].bits;
        if (texels[i].format != format || (channels != 1 && channels != 2 && channels != 4))
            continue;
        *to = (struct wm_cuda_channel_format){.x = bits,
                                              .y = channels > 1 ? bits : 0,
                                              .z = channels > 2 ? bits : 0,
                                              .w = channels > 2 ? bits : 0,
                                              .kind = texels[i].kind};
        return true;
    }
    return false;
}

void wm_driver_texel_of_runtime(const struct wm_cuda_channel_format *from, int *format,
                                unsigned *channels)
{
    *channels = from->w ? 4 : from->y ? 2 : 1;
    *format = 0;
    for (int i = 0; i < TEXELS; i++)
        if (texels[i].bits == from->x && texels[i].kind == from->kind)
            *format = texels[i].format;
}
