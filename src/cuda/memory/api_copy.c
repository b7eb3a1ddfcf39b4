// Copies and fills of the runtime API.
#include "cuda/memory/array_copy.h"
#include "cuda/memory/copy_request.h"
#include "cuda/runtime_prototypes.h"

#include <string.h>

WM_CUDA_PER_THREAD(cudaMemcpy_ptds, cudaMemcpy)
WM_CUDA_PER_THREAD(cudaMemcpyAsync_ptsz, cudaMemcpyAsync)
WM_CUDA_PER_THREAD(cudaMemcpy2D_ptds, cudaMemcpy2D)
WM_CUDA_PER_THREAD(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync)
WM_CUDA_PER_THREAD(cudaMemcpy3D_ptds, cudaMemcpy3D)
WM_CUDA_PER_THREAD(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync)
WM_CUDA_PER_THREAD(cudaMemset_ptds, cudaMemset)
WM_CUDA_PER_THREAD(cudaMemsetAsync_ptsz, cudaMemsetAsync)
WM_CUDA_PER_THREAD(cudaMemset2D_ptds, cudaMemset2D)
WM_CUDA_PER_THREAD(cudaMemset2DAsync_ptsz, cudaMemset2DAsync)
WM_CUDA_PER_THREAD(cudaMemset3D_ptds, cudaMemset3D)
WM_CUDA_PER_THREAD(cudaMemset3DAsync_ptsz, cudaMemset3DAsync)

static wm_cuda_status copy(const struct wm_cuda_copy_request *request)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_copy(process, request);
    return wm_cuda_leave(process, status);
}

static wm_cuda_status copy_line(void *to, const void *from, size_t bytes, int kind,
                                wm_cuda_stream_handle stream, bool asynchronous)
{
    struct wm_cuda_copy_request request = {
        .to = {.address = (uint64_t)(uintptr_t)to},
        .from = {.address = (uint64_t)(uintptr_t)from},
        .box = {.width = bytes, .height = 1, .depth = 1},
        .kind = kind,
        .stream = stream,
        .asynchronous = asynchronous,
    };
    return copy(&request);
}

WM_CUDA_API wm_cuda_status cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    return copy_line(to, from, bytes, kind, NULL, false);
}

WM_CUDA_API wm_cuda_status cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                                           wm_cuda_stream_handle stream)
{
    return copy_line(to, from, bytes, kind, stream, true);
}

static wm_cuda_status check_peers(const void *to, int to_device, const void *from, int from_device)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_check_peer(process, (uint64_t)(uintptr_t)to, to_device);
    if (status == cudaSuccess)
        status = wm_cuda_check_peer(process, (uint64_t)(uintptr_t)from, from_device);
    return wm_cuda_leave(process, status);
}

// Which devices they are the addresses say; the numbers must be right.
WM_CUDA_API wm_cuda_status cudaMemcpyPeerAsync(void *to, int to_device, const void *from,
                                               int from_device, size_t bytes,
                                               wm_cuda_stream_handle stream)
{
    wm_cuda_status status = check_peers(to, to_device, from, from_device);
    return status == cudaSuccess
               ? copy_line(to, from, bytes, WM_CUDA_DEVICE_TO_DEVICE, stream, true)
               : status;
}

WM_CUDA_API wm_cuda_status cudaMemcpyPeer(void *to, int to_device, const void *from,
                                          int from_device, size_t bytes)
{
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, NULL);
}

static wm_cuda_status copy_plane(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                 size_t width, size_t height, int kind,
                                 wm_cuda_stream_handle stream, bool asynchronous)
{
    if (width > to_pitch || width > from_pitch)
        return wm_cuda_set_last_error(cudaErrorInvalidPitchValue);
    struct wm_cuda_copy_request request = {
        .to = {.address = (uint64_t)(uintptr_t)to, .pitch = to_pitch},
        .from = {.address = (uint64_t)(uintptr_t)from, .pitch = from_pitch},
        .box = {.width = width, .height = height, .depth = 1},
        .kind = kind,
        .stream = stream,
        .asynchronous = asynchronous,
    };
    return copy(&request);
}

WM_CUDA_API wm_cuda_status cudaMemcpy2D(void *to, size_t to_pitch, const void *from,
                                        size_t from_pitch, size_t width, size_t height, int kind)
{
    return copy_plane(to, to_pitch, from, from_pitch, width, height, kind, NULL, false);
}

WM_CUDA_API wm_cuda_status cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                             size_t from_pitch, size_t width, size_t height,
                                             int kind, wm_cuda_stream_handle stream)
{
    return copy_plane(to, to_pitch, from, from_pitch, width, height, kind, stream, true);
}

static wm_cuda_status copy_volume_of_arrays(const struct wm_cuda_copy3d *parameters,
                                            wm_cuda_stream_handle stream, bool asynchronous)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_copy_arrays_3d(process, parameters, stream, asynchronous);
    return wm_cuda_leave(process, status);
}

static wm_cuda_status copy_volume(const struct wm_cuda_copy3d *parameters,
                                  wm_cuda_stream_handle stream, bool asynchronous)
{
    if (!parameters)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    if (parameters->source_array || parameters->destination_array)
        return copy_volume_of_arrays(parameters, stream, asynchronous);
    struct wm_cuda_copy_request request;
    wm_cuda_status status = wm_cuda_copy3d_request(parameters, &request);
    if (status != cudaSuccess)
        return wm_cuda_set_last_error(status);
    request.stream = stream;
    request.asynchronous = asynchronous;
    return copy(&request);
}

WM_CUDA_API wm_cuda_status cudaMemcpy3D(const struct wm_cuda_copy3d *parameters)
{
    return copy_volume(parameters, NULL, false);
}

WM_CUDA_API wm_cuda_status cudaMemcpy3DAsync(const struct wm_cuda_copy3d *parameters,
                                             wm_cuda_stream_handle stream)
{
    return copy_volume(parameters, stream, true);
}

static wm_cuda_status fill(const struct wm_cuda_pitched_address *to, const struct wm_cuda_box *box,
                           int value, wm_cuda_stream_handle stream, bool asynchronous)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_fill(process, to, box, (struct wm_cuda_element){(uint32_t)value, 1},
                              stream, asynchronous);
    return wm_cuda_leave(process, status);
}

static wm_cuda_status fill_line(void *to, int value, size_t bytes, wm_cuda_stream_handle stream,
                                bool asynchronous)
{
    struct wm_cuda_pitched_address place = {.address = (uint64_t)(uintptr_t)to};
    struct wm_cuda_box box = {bytes, 1, 1};
    return fill(&place, &box, value, stream, asynchronous);
}

WM_CUDA_API wm_cuda_status cudaMemset(void *to, int value, size_t bytes)
{
    return fill_line(to, value, bytes, NULL, false);
}

WM_CUDA_API wm_cuda_status cudaMemsetAsync(void *to, int value, size_t bytes,
                                           wm_cuda_stream_handle stream)
{
    return fill_line(to, value, bytes, stream, true);
}

static wm_cuda_status fill_volume(const struct wm_cuda_pitched_pointer *to, int value,
                                  const struct wm_cuda_extent *extent, wm_cuda_stream_handle stream,
                                  bool asynchronous)
{
    static const struct wm_cuda_position origin;
    struct wm_cuda_box box = {extent->width, extent->height, extent->depth};
    struct wm_cuda_pitched_address place;
    if (!wm_cuda_place_of(to, &origin, &place) || (box.height > 1 && box.width > to->pitch))
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    return fill(&place, &box, value, stream, asynchronous);
}

WM_CUDA_API wm_cuda_status cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                                             size_t height, wm_cuda_stream_handle stream)
{
    struct wm_cuda_pitched_pointer pointer = {to, pitch, width, height};
    struct wm_cuda_extent extent = {width, height, 1};
    return fill_volume(&pointer, value, &extent, stream, true);
}

WM_CUDA_API wm_cuda_status cudaMemset2D(void *to, size_t pitch, int value, size_t width,
                                        size_t height)
{
    struct wm_cuda_pitched_pointer pointer = {to, pitch, width, height};
    struct wm_cuda_extent extent = {width, height, 1};
    return fill_volume(&pointer, value, &extent, NULL, false);
}

WM_CUDA_API wm_cuda_status cudaMemset3D(struct wm_cuda_pitched_pointer to, int value,
                                        struct wm_cuda_extent extent)
{
    return fill_volume(&to, value, &extent, NULL, false);
}

WM_CUDA_API wm_cuda_status cudaMemset3DAsync(struct wm_cuda_pitched_pointer to, int value,
                                             struct wm_cuda_extent extent,
                                             wm_cuda_stream_handle stream)
{
    return fill_volume(&to, value, &extent, stream, true);
}
