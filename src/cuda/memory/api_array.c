// Arrays of the runtime API: memory that textures and surfaces are made of.
#include "cuda/memory/array_table.h"
#include "cuda/runtime_prototypes.h"

static wm_cuda_status make(struct wm_cuda_array **array,
                           const struct wm_cuda_channel_format *format,
                           const struct wm_cuda_extent *extent, unsigned levels, bool mipmapped,
                           unsigned flags)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && (!array || !format))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_array_make(process, format, extent, levels, mipmapped, flags, array);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaMallocArray(struct wm_cuda_array **array,
                                           const struct wm_cuda_channel_format *format,
                                           size_t width, size_t height, unsigned flags)
{
    const struct wm_cuda_extent extent = {.width = width, .height = height};
    // Layers and faces take an extent.
    if ((flags & (WM_CUDA_ARRAY_LAYERED | WM_CUDA_ARRAY_CUBEMAP)) != 0)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    return make(array, format, &extent, 1, false, flags);
}

WM_CUDA_API wm_cuda_status cudaMalloc3DArray(struct wm_cuda_array **array,
                                             const struct wm_cuda_channel_format *format,
                                             struct wm_cuda_extent extent, unsigned flags)
{
    return make(array, format, &extent, 1, false, flags);
}

WM_CUDA_API wm_cuda_status cudaMallocMipmappedArray(struct wm_cuda_array **array,
                                                    const struct wm_cuda_channel_format *format,
                                                    struct wm_cuda_extent extent, unsigned levels,
                                                    unsigned flags)
{
    return make(array, format, &extent, levels, true, flags);
}

WM_CUDA_API wm_cuda_status cudaGetMipmappedArrayLevel(struct wm_cuda_array **array,
                                                      const struct wm_cuda_array *mipmapped,
                                                      unsigned level)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        struct wm_cuda_array *known = wm_cuda_array_known(process, mipmapped, true);
        if (!array)
            status = cudaErrorInvalidValue;
        else
            status = known ? wm_cuda_array_level(process, known, level, array)
                           : cudaErrorInvalidResourceHandle;
    }
    return wm_cuda_leave(process, status);
}

// A level is freed with its mipmapped array, not alone.
static wm_cuda_status release(struct wm_cuda_array *array, bool mipmapped)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && array) {
        struct wm_cuda_array *known = wm_cuda_array_known(process, array, mipmapped);
        status =
            known && !known->whole ? wm_cuda_array_free(process, known) : cudaErrorInvalidValue;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaFreeArray(struct wm_cuda_array *array)
{
    return release(array, false);
}

WM_CUDA_API wm_cuda_status cudaFreeMipmappedArray(struct wm_cuda_array *array)
{
    return release(array, true);
}

// Any of the three may be missing.
WM_CUDA_API wm_cuda_status cudaArrayGetInfo(struct wm_cuda_channel_format *format,
                                            struct wm_cuda_extent *extent, unsigned *flags,
                                            struct wm_cuda_array *array)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        const struct wm_cuda_array *known = wm_cuda_array_known(process, array, false);
        if (!known)
            status = cudaErrorInvalidResourceHandle;
        if (known && format)
            *format = known->given;
        if (known && extent)
            *extent = known->extent;
        if (known && flags)
            *flags = known->flags;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGetChannelDesc(struct wm_cuda_channel_format *format,
                                              const struct wm_cuda_array *array)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        const struct wm_cuda_array *known = wm_cuda_array_known(process, array, false);
        if (!known || !format)
            status = format ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
        else
            *format = known->given;
    }
    return wm_cuda_leave(process, status);
}

// ---- What only other arrays have ---------------------------------------------------------------
// Arrays whose memory is mapped later, that are sparse, or of several planes, cannot be made here:
// functions that return their properties give CUDA's code for an array that has none.

static wm_cuda_status has_none(const void *to, const struct wm_cuda_array *array, bool mipmapped,
                               int device)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && !wm_cuda_array_known(process, array, mipmapped))
        status = cudaErrorInvalidResourceHandle;
    if (status == cudaSuccess && to)
        status = wm_cuda_check_device(process, device);
    if (status == cudaSuccess)
        status = cudaErrorInvalidValue;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaArrayGetMemoryRequirements(void *to,
                                                          const struct wm_cuda_array *array,
                                                          int device)
{
    return has_none(to, array, false, device);
}

WM_CUDA_API wm_cuda_status
cudaMipmappedArrayGetMemoryRequirements(void *to, const struct wm_cuda_array *array, int device)
{
    return has_none(to, array, true, device);
}

WM_CUDA_API wm_cuda_status cudaArrayGetSparseProperties(void *to, const struct wm_cuda_array *array)
{
    return has_none(to, array, false, 0);
}

WM_CUDA_API wm_cuda_status cudaMipmappedArrayGetSparseProperties(void *to,
                                                                 const struct wm_cuda_array *array)
{
    return has_none(to, array, true, 0);
}

WM_CUDA_API wm_cuda_status cudaArrayGetPlane(struct wm_cuda_array **plane,
                                             const struct wm_cuda_array *array, unsigned index)
{
    (void)index;
    return has_none(plane, array, false, 0);
}
