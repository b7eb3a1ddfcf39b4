// Kernels as objects: attributes, handles and occupancy.
#include "cuda/device/kernel_limits.h"
#include "cuda/error/log.h"
#include "cuda/runtime_prototypes.h"

enum {
    ATTRIBUTE_MAX_DYNAMIC_SHARED = 8,
    ATTRIBUTE_PREFERRED_CARVEOUT = 9,
    OCCUPANCY_DISABLE_CACHING_OVERRIDE = 1,
};

// Finds the function and its decoded kernel; leaves the process locked on success only.
static wm_cuda_status enter_kernel(const void *host, struct wm_cuda_process **process,
                                   struct wm_cuda_function **function)
{
    const struct wm_kernel *kernel;
    wm_cuda_status status = wm_cuda_enter(process);
    if (status != cudaSuccess)
        return status;
    *function = wm_cuda_registry_function(&(*process)->registry, host);
    return *function ? wm_cuda_function_kernel(*process, *function, &kernel)
                     : cudaErrorInvalidDeviceFunction;
}

WM_CUDA_API wm_cuda_status cudaFuncGetAttributes(struct wm_cuda_function_attributes *attributes,
                                                 const void *host)
{
    struct wm_cuda_process *process;
    struct wm_cuda_function *function;
    if (!attributes)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    wm_cuda_status status = enter_kernel(host, &process, &function);
    if (status == cudaSuccess)
        *attributes = wm_cuda_attributes_of(process, function);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaFuncSetAttribute(const void *host, int attribute, int value)
{
    struct wm_cuda_process *process;
    struct wm_cuda_function *function;
    wm_cuda_status status = enter_kernel(host, &process, &function);
    if (status == cudaSuccess && attribute == ATTRIBUTE_MAX_DYNAMIC_SHARED) {
        uint64_t most = process->machine.sm.shared_bytes_per_block;
        if (value < 0 || (uint64_t)value + function->kernel->static_shared_bytes > most)
            status = cudaErrorInvalidValue;
        else
            function->max_dynamic_shared_bytes = value;
    } else if (status == cudaSuccess && attribute == ATTRIBUTE_PREFERRED_CARVEOUT) {
        // Heeded where the machine has a unified array (sm/occupancy.h).
        if (value < -1 || value > 100)
            status = cudaErrorInvalidValue;
        else
            function->preferred_carveout = value;
    } else if (status == cudaSuccess) {
        wm_log_explain(WM_LOG_ERROR, "cudaFuncSetAttribute: attribute %d is not supported\n",
                       attribute);
        status = cudaErrorNotSupported;
    }
    return wm_cuda_leave(process, status);
}

// Checked and left: the newer preference for a carve-out is the one that is heeded.
WM_CUDA_API wm_cuda_status cudaFuncSetCacheConfig(const void *host, int config)
{
    struct wm_cuda_process *process;
    struct wm_cuda_function *function;
    if (config < 0 || config > 3)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    wm_cuda_status status = enter_kernel(host, &process, &function);
    return wm_cuda_leave(process, status);
}

// Ignored by every GPU since compute capability 5.0.
WM_CUDA_API wm_cuda_status cudaFuncSetSharedMemConfig(const void *host, int config)
{
    struct wm_cuda_process *process;
    struct wm_cuda_function *function;
    if (config < 0 || config > 2)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    wm_cuda_status status = enter_kernel(host, &process, &function);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaFuncGetName(const char **name, const void *host)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        const struct wm_cuda_function *function =
            wm_cuda_registry_function(&process->registry, host);
        if (!name)
            status = cudaErrorInvalidValue;
        else if (!function)
            status = cudaErrorInvalidDeviceFunction;
        else
            *name = function->name;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset,
                                                size_t *size)
{
    struct wm_cuda_process *process;
    struct wm_cuda_function *function;
    if (!offset)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    wm_cuda_status status = enter_kernel(host, &process, &function);
    if (status == cudaSuccess && index >= function->kernel->parameter_count)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        *offset = function->kernel->parameters[index].offset;
        if (size)
            *size = function->kernel->parameters[index].size;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGetKernel(struct wm_cuda_function **handle, const void *host)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        struct wm_cuda_function *function = wm_cuda_registry_function(&process->registry, host);
        if (!handle)
            status = cudaErrorInvalidValue;
        else if (!function)
            status = cudaErrorInvalidDeviceFunction;
        else
            *handle = function;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGetFuncBySymbol(struct wm_cuda_function **handle, const void *host)
{
    return cudaGetKernel(handle, host);
}

WM_CUDA_API wm_cuda_status cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *host, int threads, size_t dynamic_bytes, unsigned flags)
{
    struct wm_cuda_process *process;
    struct wm_cuda_function *function;
    if (!blocks || threads <= 0 || flags > OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    wm_cuda_status status = enter_kernel(host, &process, &function);
    if (status == cudaSuccess)
        *blocks = (int)wm_cuda_blocks_per_sm(process, function, (uint32_t)threads, dynamic_bytes);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                                         const void *host,
                                                                         int threads,
                                                                         size_t dynamic_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, threads,
                                                                  dynamic_bytes, 0);
}

WM_CUDA_API wm_cuda_status cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_bytes,
                                                                     const void *host, int blocks,
                                                                     int threads)
{
    struct wm_cuda_process *process;
    struct wm_cuda_function *function;
    if (!dynamic_bytes || blocks <= 0 || threads <= 0)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    wm_cuda_status status = enter_kernel(host, &process, &function);
    if (status == cudaSuccess) {
        const struct wm_sm_spec *sm = &process->machine.sm;
        uint64_t fixed = function->kernel->static_shared_bytes;
        uint64_t unit = sm->shared_allocation_unit ? sm->shared_allocation_unit : 1;
        uint64_t share = sm->shared_bytes / (uint64_t)blocks;
        share -= share % unit;
        share -= share < sm->shared_reserved_bytes ? share : sm->shared_reserved_bytes;
        if (share > sm->shared_bytes_per_block)
            share = sm->shared_bytes_per_block;
        bool fits = share >= fixed && wm_cuda_blocks_per_sm(process, function, (uint32_t)threads,
                                                            share - fixed) >= (uint32_t)blocks;
        if (fits)
            *dynamic_bytes = share - fixed;
        else
            status = cudaErrorInvalidValue;
    }
    return wm_cuda_leave(process, status);
}
