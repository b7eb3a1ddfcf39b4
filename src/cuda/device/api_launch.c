// Launches: the configuration is checked at once, with CUDA's codes; the kernel runs later.
#include "cuda/device/device_commands.h"
#include "cuda/device/launch_request.h"
#include "cuda/error/log.h"
#include "cuda/graph/capture.h"
#include "cuda/runtime_prototypes.h"
#include "cuda/stream/stream_table.h"

#include <stdlib.h>

WM_CUDA_PER_THREAD(__cudaLaunchKernel_ptsz, __cudaLaunchKernel)
WM_CUDA_PER_THREAD(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel)
WM_CUDA_ALIAS(cudaLaunchKernel, __cudaLaunchKernel);
WM_CUDA_PER_THREAD(cudaLaunchKernel_ptsz, __cudaLaunchKernel)
WM_CUDA_PER_THREAD(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC)

// The stub keeps the handle for ever, so it is given even when the kernel turns out not to load:
// each launch then says why.
WM_CUDA_API wm_cuda_status __cudaGetKernel(struct wm_cuda_function **handle, const void *host)
{
    if (!handle)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    struct wm_cuda_process *process = wm_cuda_lock();
    *handle = wm_cuda_registry_function(&process->registry, host);
    wm_cuda_unlock(process);
    return *handle ? cudaSuccess : wm_cuda_set_last_error(cudaErrorInvalidDeviceFunction);
}

static wm_cuda_status launch_locked(struct wm_cuda_process *process, const void *host,
                                    const struct wm_cuda_configuration *configuration,
                                    void *const *arguments)
{
    struct wm_cuda_stream *stream;
    struct wm_launch launch;
    struct wm_cuda_function *function = wm_cuda_registry_function(&process->registry, host);
    if (!function)
        return cudaErrorInvalidDeviceFunction;
    wm_cuda_status status = wm_cuda_stream_for_work(process, configuration->stream, &stream);
    if (status == cudaSuccess && stream->device != wm_cuda_thread()->device)
        status = cudaErrorInvalidResourceHandle;
    if (status == cudaSuccess)
        status = wm_cuda_prepare_launch(process, function, configuration, &launch);
    uint8_t *block = NULL;
    if (status == cudaSuccess)
        status = wm_cuda_pack_parameters(launch.kernel, arguments, &block);
    if (status != cudaSuccess)
        return status;
    if (stream->capture) {
        struct wm_cuda_work work;
        status = wm_cuda_work_of_launch(function, (void *)(uintptr_t)host, configuration,
                                        launch.kernel, block, &work);
        return status == cudaSuccess ? wm_cuda_capture_work(process, stream, &work) : status;
    }
    launch.parameters = block;
    uint64_t sequence = wm_cuda_push_launch(process, stream, &launch);
    free(block);
    return sequence ? cudaSuccess : cudaErrorMemoryAllocation;
}

static wm_cuda_status launch(const void *function,
                             const struct wm_cuda_configuration *configuration, void **arguments)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = launch_locked(process, function, configuration, arguments);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status __cudaLaunchKernel(const void *function, struct wm_cuda_dim3 grid,
                                              struct wm_cuda_dim3 block, void **arguments,
                                              size_t dynamic_shared_bytes,
                                              wm_cuda_stream_handle stream)
{
    struct wm_cuda_configuration configuration = {
        .grid = grid,
        .block = block,
        .dynamic_shared_bytes = dynamic_shared_bytes,
        .stream = stream,
    };
    return launch(function, &configuration, arguments);
}

WM_CUDA_API wm_cuda_status cudaLaunchCooperativeKernel(const void *function,
                                                       struct wm_cuda_dim3 grid,
                                                       struct wm_cuda_dim3 block, void **arguments,
                                                       size_t dynamic_shared_bytes,
                                                       wm_cuda_stream_handle stream)
{
    struct wm_cuda_configuration configuration = {
        .grid = grid,
        .block = block,
        .dynamic_shared_bytes = dynamic_shared_bytes,
        .stream = stream,
        .cooperative = true,
    };
    return launch(function, &configuration, arguments);
}

WM_CUDA_API wm_cuda_status cudaLaunchKernelExC(const struct wm_cuda_launch_configuration *given,
                                               const void *function, void **arguments)
{
    if (!given || (given->attribute_count > 0 && !given->attributes))
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    struct wm_cuda_configuration configuration = {
        .grid = given->grid,
        .block = given->block,
        .dynamic_shared_bytes = given->dynamic_shared_bytes,
        .stream = given->stream,
    };
    for (unsigned i = 0; i < given->attribute_count; i++) {
        if (!wm_cuda_take_attribute(&given->attributes[i], &configuration)) {
            wm_log_explain(WM_LOG_ERROR,
                           "cudaLaunchKernelExC: launch attribute %d is not supported\n",
                           given->attributes[i].id);
            return wm_cuda_set_last_error(cudaErrorNotSupported);
        }
    }
    return launch(function, &configuration, arguments);
}
