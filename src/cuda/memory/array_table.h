// The program's arrays: memory whose layout only the device knows (docs/textures.md). With the
// process locked.
#ifndef WM_CUDA_ARRAY_TABLE_H
#define WM_CUDA_ARRAY_TABLE_H

#include "cuda/process.h"
#include "exec/texture/texture.h"

// An array, a mipmapped array, or one level of such a one.
struct wm_cuda_array {
    struct wm_cuda_array *next;
    struct wm_cuda_array *whole; // of a level: the mipmapped array; else NULL
    uint32_t level;              // of it
    bool mipmapped;
    struct wm_cuda_channel_format given;
    struct wm_texel_format format;
    struct wm_cuda_extent extent; // in texels, 0 where there is no such dimension; depth: layers
    unsigned flags;               // enum wm_cuda_array_flag
    uint8_t dimensions;           // without layers and faces
    uint64_t address;
    uint32_t level_count;
    struct wm_texel_layout levels[WM_TEXTURE_LEVELS]; // of a level: that one, alone
};

static inline bool wm_cuda_array_layered(const struct wm_cuda_array *array)
{
    return (array->flags & WM_CUDA_ARRAY_LAYERED) != 0;
}

static inline bool wm_cuda_array_cubemap(const struct wm_cuda_array *array)
{
    return (array->flags & WM_CUDA_ARRAY_CUBEMAP) != 0;
}

// What the formats' bits mean to us: 20 for formats that do not exist, 801 for those that are not
// offered here (planar, normalized and compressed ones).
wm_cuda_status wm_cuda_texel_format(const struct wm_cuda_channel_format *given,
                                    struct wm_texel_format *format);

// A new array of `levels` levels; `mipmapped` also of a single level. 1 for what cannot be one, 2
// without memory, else as wm_cuda_texel_format.
wm_cuda_status wm_cuda_array_make(struct wm_cuda_process *process,
                                  const struct wm_cuda_channel_format *format,
                                  const struct wm_cuda_extent *extent, unsigned levels,
                                  bool mipmapped, unsigned flags, struct wm_cuda_array **array);
// The array if it is one of ours and of that sort, else NULL.
struct wm_cuda_array *wm_cuda_array_known(const struct wm_cuda_process *process,
                                          const struct wm_cuda_array *array, bool mipmapped);
// One level of a mipmapped array: the same handle each time. 1 when there is none, 2 without
// memory.
wm_cuda_status wm_cuda_array_level(struct wm_cuda_process *process, struct wm_cuda_array *whole,
                                   unsigned level, struct wm_cuda_array **array);
// Waits for the device, as cudaFreeArray does; its levels go with it.
wm_cuda_status wm_cuda_array_free(struct wm_cuda_process *process, struct wm_cuda_array *array);
// The device is reset; its memory has been dropped.
void wm_cuda_arrays_forget(struct wm_cuda_process *process);

#endif
