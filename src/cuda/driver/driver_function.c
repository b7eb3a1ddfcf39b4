// Kernels of the driver API as objects: attributes and occupancy. CUfunction and CUkernel are the
// runtime API's handles.
#include "cuda/device/kernel_limits.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_prototypes.h"

#include <string.h>

// CUfunction_attribute.
enum function_attribute {
    FUNCTION_MAX_THREADS = 0,
    FUNCTION_SHARED_BYTES = 1,
    FUNCTION_CONSTANT_BYTES = 2,
    FUNCTION_LOCAL_BYTES = 3,
    FUNCTION_REGISTERS = 4,
    FUNCTION_PTX_VERSION = 5,
    FUNCTION_BINARY_VERSION = 6,
    FUNCTION_CACHE_MODE_CA = 7,
    FUNCTION_MAX_DYNAMIC_SHARED = 8,
    FUNCTION_PREFERRED_CARVEOUT = 9,
    FUNCTION_CLUSTER_MUST_BE_SET = 10,
    FUNCTION_CLUSTER_WIDTH = 11,
    FUNCTION_CLUSTER_HEIGHT = 12,
    FUNCTION_CLUSTER_DEPTH = 13,
    FUNCTION_NON_PORTABLE_CLUSTER = 14,
    FUNCTION_CLUSTER_SCHEDULING = 15,
};
enum { FUNCTION_LOADED = 1 };

WM_CUDA_ALIAS(cuKernelGetName, cuFuncGetName);
WM_CUDA_ALIAS(cuKernelGetParamInfo, cuFuncGetParamInfo);

// ---- Attributes --------------------------------------------------------------------------------

// -1 for a number that is no attribute's.
static bool pick(const struct wm_cuda_function_attributes *all, int attribute, int *value)
{
    switch ((enum function_attribute)attribute) {
    case FUNCTION_MAX_THREADS: *value = all->max_threads_per_block; return true;
    case FUNCTION_SHARED_BYTES: *value = (int)all->shared_bytes; return true;
    case FUNCTION_CONSTANT_BYTES: *value = (int)all->constant_bytes; return true;
    case FUNCTION_LOCAL_BYTES: *value = (int)all->local_bytes; return true;
    case FUNCTION_REGISTERS: *value = all->registers; return true;
    case FUNCTION_PTX_VERSION: *value = all->ptx_version; return true;
    case FUNCTION_BINARY_VERSION: *value = all->binary_version; return true;
    case FUNCTION_CACHE_MODE_CA: *value = all->cache_mode_ca; return true;
    case FUNCTION_MAX_DYNAMIC_SHARED: *value = all->max_dynamic_shared_bytes; return true;
    case FUNCTION_PREFERRED_CARVEOUT: *value = all->preferred_carveout; return true;
    case FUNCTION_CLUSTER_MUST_BE_SET: *value = all->cluster_must_be_set; return true;
    case FUNCTION_CLUSTER_WIDTH: *value = all->cluster_width; return true;
    case FUNCTION_CLUSTER_HEIGHT: *value = all->cluster_height; return true;
    case FUNCTION_CLUSTER_DEPTH: *value = all->cluster_depth; return true;
    case FUNCTION_NON_PORTABLE_CLUSTER: *value = all->non_portable_cluster; return true;
    case FUNCTION_CLUSTER_SCHEDULING: *value = all->cluster_scheduling; return true;
    }
    return false;
}

static wm_cuda_status get_attribute(int *value, int attribute, wm_driver_function function)
{
    struct wm_cuda_function_attributes all;
    wm_cuda_status status = value ? cudaFuncGetAttributes(&all, function) : cudaErrorInvalidValue;
    if (status == cudaSuccess && !pick(&all, attribute, value))
        status = cudaErrorInvalidValue;
    return status;
}

WM_CUDA_API wm_driver_result cuFuncGetAttribute(int *value, int attribute,
                                                wm_driver_function function)
{
    WM_DRIVER_RETURN(get_attribute(value, attribute, function));
}

WM_CUDA_API wm_driver_result cuFuncSetAttribute(wm_driver_function function, int attribute,
                                                int value)
{
    WM_DRIVER_RETURN(cudaFuncSetAttribute(function, attribute, value));
}

WM_CUDA_API wm_driver_result cuFuncSetCacheConfig(wm_driver_function function, int config)
{
    WM_DRIVER_RETURN(cudaFuncSetCacheConfig(function, config));
}

WM_CUDA_API wm_driver_result cuFuncSetSharedMemConfig(wm_driver_function function, int config)
{
    WM_DRIVER_RETURN(cudaFuncSetSharedMemConfig(function, config));
}

WM_CUDA_API wm_driver_result cuFuncGetName(const char **name, wm_driver_function function)
{
    WM_DRIVER_RETURN(cudaFuncGetName(name, function));
}

WM_CUDA_API wm_driver_result cuFuncGetParamInfo(wm_driver_function function, size_t index,
                                                size_t *offset, size_t *bytes)
{
    WM_DRIVER_RETURN(cudaFuncGetParamInfo(function, index, offset, bytes));
}

static wm_cuda_status module_of(wm_driver_function function, struct wm_driver_module **module)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status != cudaSuccess)
        return status;
    const struct wm_cuda_function *known = wm_cuda_registry_function(&process->registry, function);
    struct wm_driver_module *found = known ? wm_driver_module_of(known->binary) : NULL;
    if (!module)
        status = cudaErrorInvalidValue;
    else if (!found)
        status = cudaErrorInvalidResourceHandle; // the runtime's kernels are of no module
    else
        *module = found;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_driver_result cuFuncGetModule(struct wm_driver_module **module,
                                             wm_driver_function function)
{
    WM_DRIVER_RETURN(module_of(function, module));
}

// A kernel is decoded when one of its properties is first needed.
static wm_cuda_status decode(wm_driver_function function)
{
    struct wm_cuda_function_attributes all;
    return cudaFuncGetAttributes(&all, function);
}

WM_CUDA_API wm_driver_result cuFuncLoad(wm_driver_function function)
{
    WM_DRIVER_RETURN(decode(function));
}

WM_CUDA_API wm_driver_result cuFuncIsLoaded(int *state, wm_driver_function function)
{
    const char *name;
    wm_driver_result result = cuFuncGetName(&name, function);
    if (result == CUDA_SUCCESS && state)
        *state = FUNCTION_LOADED;
    return result ? result : state ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

WM_CUDA_API wm_driver_result cuKernelGetFunction(wm_driver_function *function,
                                                 wm_driver_function kernel)
{
    const char *name;
    wm_driver_result result = cuFuncGetName(&name, kernel);
    if (result == CUDA_SUCCESS && function)
        *function = kernel;
    return result ? result : function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

WM_CUDA_API wm_driver_result cuKernelGetLibrary(struct wm_driver_module **library,
                                                wm_driver_function kernel)
{
    return cuFuncGetModule(library, kernel);
}

static bool is_device(int device)
{
    struct wm_cuda_process *process = wm_cuda_lock();
    bool is = wm_cuda_check_device(process, device) == cudaSuccess;
    wm_cuda_unlock(process);
    return is;
}

WM_CUDA_API wm_driver_result cuKernelGetAttribute(int *value, int attribute,
                                                  wm_driver_function kernel, int device)
{
    return is_device(device) ? cuFuncGetAttribute(value, attribute, kernel)
                             : CUDA_ERROR_INVALID_DEVICE;
}

WM_CUDA_API wm_driver_result cuKernelSetAttribute(int attribute, int value,
                                                  wm_driver_function kernel, int device)
{
    return is_device(device) ? cuFuncSetAttribute(kernel, attribute, value)
                             : CUDA_ERROR_INVALID_DEVICE;
}

WM_CUDA_API wm_driver_result cuKernelSetCacheConfig(wm_driver_function kernel, int config,
                                                    int device)
{
    return is_device(device) ? cuFuncSetCacheConfig(kernel, config) : CUDA_ERROR_INVALID_DEVICE;
}

// ---- Occupancy ---------------------------------------------------------------------------------

WM_CUDA_API wm_driver_result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, wm_driver_function function, int threads, size_t dynamic_bytes, unsigned flags)
{
    WM_DRIVER_RETURN(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, function, threads, dynamic_bytes, flags));
}

WM_CUDA_API wm_driver_result cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, wm_driver_function function, int threads, size_t dynamic_bytes)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads,
                                                                dynamic_bytes, 0);
}

WM_CUDA_API wm_driver_result cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_bytes,
                                                                     wm_driver_function function,
                                                                     int blocks, int threads)
{
    WM_DRIVER_RETURN(
        cudaOccupancyAvailableDynamicSMemPerBlock(dynamic_bytes, function, blocks, threads));
}

// Of all block sizes that are whole warps (and the largest one), the largest that keeps the most
// threads on an SM.
static wm_cuda_status best_block(int *least_grid, int *best, wm_driver_function function,
                                 wm_driver_shared_bytes_of_block *shared_bytes,
                                 size_t dynamic_bytes, int limit, unsigned flags)
{
    struct wm_cuda_function_attributes all;
    int warp, sms, most = -1;
    wm_cuda_status status =
        least_grid && best ? cudaFuncGetAttributes(&all, function) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&warp, 10, 0); // warp size
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&sms, 16, 0); // multiprocessors
    if (status != cudaSuccess)
        return status;
    int largest = all.max_threads_per_block;
    if (limit > 0 && limit < largest)
        largest = limit;
    for (int threads = largest; threads > 0; threads = (threads - 1) / warp * warp) {
        int blocks;
        size_t bytes = shared_bytes ? shared_bytes(threads) : dynamic_bytes;
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, function, threads,
                                                                        bytes, flags);
        if (status != cudaSuccess)
            return status;
        if (blocks * threads > most) {
            most = blocks * threads;
            *best = threads;
            *least_grid = blocks * sms;
        }
    }
    return cudaSuccess;
}

WM_CUDA_API wm_driver_result cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *least_grid, int *threads, wm_driver_function function,
    wm_driver_shared_bytes_of_block *shared_bytes, size_t dynamic_bytes, int limit, unsigned flags)
{
    WM_DRIVER_RETURN(
        best_block(least_grid, threads, function, shared_bytes, dynamic_bytes, limit, flags));
}

WM_CUDA_API wm_driver_result cuOccupancyMaxPotentialBlockSize(
    int *least_grid, int *threads, wm_driver_function function,
    wm_driver_shared_bytes_of_block *shared_bytes, size_t dynamic_bytes, int limit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(least_grid, threads, function, shared_bytes,
                                                     dynamic_bytes, limit, 0);
}
