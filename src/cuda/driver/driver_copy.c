// Copies and fills of the driver API.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_box.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/memory/copy_request.h"
#include "cuda/stream/stream_table.h"

WM_DRIVER_PER_THREAD(cuMemcpy3DPeer_ptds, cuMemcpy3DPeer)
WM_DRIVER_PER_THREAD(cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DPeerAsync)
WM_DRIVER_PER_THREAD(cuMemcpy_ptds, cuMemcpy)
WM_DRIVER_PER_THREAD(cuMemcpyAsync_ptsz, cuMemcpyAsync)
WM_DRIVER_PER_THREAD(cuMemcpyHtoD_v2_ptds, cuMemcpyHtoD_v2)
WM_DRIVER_PER_THREAD(cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2)
WM_DRIVER_PER_THREAD(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH_v2)
WM_DRIVER_PER_THREAD(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync_v2)
WM_DRIVER_PER_THREAD(cuMemcpyDtoD_v2_ptds, cuMemcpyDtoD_v2)
WM_DRIVER_PER_THREAD(cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoDAsync_v2)
WM_DRIVER_PER_THREAD(cuMemcpyPeer_ptds, cuMemcpyPeer)
WM_DRIVER_PER_THREAD(cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync)
WM_DRIVER_PER_THREAD(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2)
WM_CUDA_ALIAS(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
WM_DRIVER_PER_THREAD(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2)
WM_DRIVER_PER_THREAD(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2)
WM_DRIVER_PER_THREAD(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2)
WM_DRIVER_PER_THREAD(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2)

// ---- Lines of bytes ----------------------------------------------------------------------------

WM_CUDA_API wm_driver_result cuMemcpy(wm_driver_pointer to, wm_driver_pointer from, size_t bytes)
{
    WM_DRIVER_RETURN(
        cudaMemcpy(wm_driver_address(to), wm_driver_address(from), bytes, WM_CUDA_COPY_DEFAULT));
}

WM_CUDA_API wm_driver_result cuMemcpyAsync(wm_driver_pointer to, wm_driver_pointer from,
                                           size_t bytes, wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(cudaMemcpyAsync(wm_driver_address(to), wm_driver_address(from), bytes,
                                     WM_CUDA_COPY_DEFAULT, stream));
}

WM_CUDA_API wm_driver_result cuMemcpyHtoD_v2(wm_driver_pointer to, const void *from, size_t bytes)
{
    WM_DRIVER_RETURN(cudaMemcpy(wm_driver_address(to), from, bytes, WM_CUDA_HOST_TO_DEVICE));
}

WM_CUDA_API wm_driver_result cuMemcpyHtoDAsync_v2(wm_driver_pointer to, const void *from,
                                                  size_t bytes, wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(
        cudaMemcpyAsync(wm_driver_address(to), from, bytes, WM_CUDA_HOST_TO_DEVICE, stream));
}

WM_CUDA_API wm_driver_result cuMemcpyDtoH_v2(void *to, wm_driver_pointer from, size_t bytes)
{
    WM_DRIVER_RETURN(cudaMemcpy(to, wm_driver_address(from), bytes, WM_CUDA_DEVICE_TO_HOST));
}

WM_CUDA_API wm_driver_result cuMemcpyDtoHAsync_v2(void *to, wm_driver_pointer from, size_t bytes,
                                                  wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(
        cudaMemcpyAsync(to, wm_driver_address(from), bytes, WM_CUDA_DEVICE_TO_HOST, stream));
}

WM_CUDA_API wm_driver_result cuMemcpyDtoD_v2(wm_driver_pointer to, wm_driver_pointer from,
                                             size_t bytes)
{
    WM_DRIVER_RETURN(cudaMemcpy(wm_driver_address(to), wm_driver_address(from), bytes,
                                WM_CUDA_DEVICE_TO_DEVICE));
}

WM_CUDA_API wm_driver_result cuMemcpyDtoDAsync_v2(wm_driver_pointer to, wm_driver_pointer from,
                                                  size_t bytes, wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(cudaMemcpyAsync(wm_driver_address(to), wm_driver_address(from), bytes,
                                     WM_CUDA_DEVICE_TO_DEVICE, stream));
}

static wm_driver_result check_contexts(struct wm_driver_context *to, struct wm_driver_context *from)
{
    wm_driver_result result = wm_driver_check_context(to);
    return result ? result : wm_driver_check_context(from);
}

// Contexts of a device share its addresses.
WM_CUDA_API wm_driver_result cuMemcpyPeer(wm_driver_pointer to, struct wm_driver_context *to_in,
                                          wm_driver_pointer from, struct wm_driver_context *from_in,
                                          size_t bytes)
{
    wm_driver_result result = check_contexts(to_in, from_in);
    if (result != CUDA_SUCCESS)
        return result;
    WM_DRIVER_RETURN(cudaMemcpyPeer(wm_driver_address(to), (int)to_in->device,
                                    wm_driver_address(from), (int)from_in->device, bytes));
}

WM_CUDA_API wm_driver_result cuMemcpyPeerAsync(wm_driver_pointer to,
                                               struct wm_driver_context *to_in,
                                               wm_driver_pointer from,
                                               struct wm_driver_context *from_in, size_t bytes,
                                               wm_cuda_stream_handle stream)
{
    wm_driver_result result = check_contexts(to_in, from_in);
    if (result != CUDA_SUCCESS)
        return result;
    WM_DRIVER_RETURN(cudaMemcpyPeerAsync(wm_driver_address(to), (int)to_in->device,
                                         wm_driver_address(from), (int)from_in->device, bytes,
                                         stream));
}

// ---- Boxes -------------------------------------------------------------------------------------

static wm_cuda_status copy_box(const struct wm_driver_copy3d *copy, wm_cuda_stream_handle stream,
                               bool asynchronous)
{
    struct wm_cuda_copy3d parameters;
    wm_cuda_status status = wm_driver_box_to_runtime(copy, &parameters);
    if (status != cudaSuccess)
        return status;
    return asynchronous ? cudaMemcpy3DAsync(&parameters, stream) : cudaMemcpy3D(&parameters);
}

static struct wm_driver_copy_side3d side_of(const struct wm_driver_copy_side *side)
{
    return (struct wm_driver_copy_side3d){
        .x_bytes = side->x_bytes,
        .y = side->y,
        .memory_type = side->memory_type,
        .host = side->host,
        .device = side->device,
        .array = side->array,
        .pitch = side->pitch,
    };
}

static struct wm_driver_copy3d flat(const struct wm_driver_copy2d *copy)
{
    return (struct wm_driver_copy3d){side_of(&copy->from), side_of(&copy->to), copy->width_bytes,
                                     copy->height, 1};
}

WM_CUDA_API wm_driver_result cuMemcpy2D_v2(const struct wm_driver_copy2d *copy)
{
    struct wm_driver_copy3d box;
    if (copy)
        box = flat(copy);
    WM_DRIVER_RETURN(copy_box(copy ? &box : NULL, NULL, false));
}

WM_CUDA_API wm_driver_result cuMemcpy2DAsync_v2(const struct wm_driver_copy2d *copy,
                                                wm_cuda_stream_handle stream)
{
    struct wm_driver_copy3d box;
    if (copy)
        box = flat(copy);
    WM_DRIVER_RETURN(copy_box(copy ? &box : NULL, stream, true));
}

WM_CUDA_API wm_driver_result cuMemcpy3D_v2(const struct wm_driver_copy3d *copy)
{
    WM_DRIVER_RETURN(copy_box(copy, NULL, false));
}

WM_CUDA_API wm_driver_result cuMemcpy3DAsync_v2(const struct wm_driver_copy3d *copy,
                                                wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(copy_box(copy, stream, true));
}

static bool has_contexts(const struct wm_driver_copy3d *copy)
{
    return !copy || (copy->from.context && copy->to.context);
}

WM_CUDA_API wm_driver_result cuMemcpy3DPeer(const struct wm_driver_copy3d *copy)
{
    return has_contexts(copy) ? cuMemcpy3D_v2(copy) : CUDA_ERROR_INVALID_CONTEXT;
}

WM_CUDA_API wm_driver_result cuMemcpy3DPeerAsync(const struct wm_driver_copy3d *copy,
                                                 wm_cuda_stream_handle stream)
{
    return has_contexts(copy) ? cuMemcpy3DAsync_v2(copy, stream) : CUDA_ERROR_INVALID_CONTEXT;
}
