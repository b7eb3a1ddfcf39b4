// What a context of the driver API says and keeps: its device and number, flags, limits,
// preferences, and what it may access.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_prototypes.h"

WM_CUDA_API wm_driver_result cuCtxGetDevice(int *device)
{
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    if (device)
        *device = (int)wm_driver_current()->device;
    return wm_driver_end(device ? cudaSuccess : cudaErrorInvalidValue);
}

static wm_driver_result get_setting(enum wm_driver_setting setting, int *value)
{
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    struct wm_cuda_process *process = wm_cuda_lock();
    if (value)
        *value = wm_driver_current()->settings[setting];
    wm_cuda_unlock(process);
    return wm_driver_end(value ? cudaSuccess : cudaErrorInvalidValue);
}

static wm_driver_result set_setting(enum wm_driver_setting setting, int value, bool good)
{
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    struct wm_cuda_process *process = wm_cuda_lock();
    if (good)
        wm_driver_current()->settings[setting] = value;
    wm_cuda_unlock(process);
    return wm_driver_end(good ? cudaSuccess : cudaErrorInvalidValue);
}

WM_CUDA_API wm_driver_result cuCtxGetFlags(unsigned *flags)
{
    return get_setting(WM_DRIVER_FLAGS, (int *)flags);
}

WM_CUDA_API wm_driver_result cuCtxSetFlags(unsigned flags)
{
    return set_setting(WM_DRIVER_FLAGS, (int)flags,
                       (flags & ~(unsigned)WM_DRIVER_CONTEXT_FLAGS) == 0);
}

static wm_driver_result chosen(struct wm_driver_context **context)
{
    if (*context)
        return wm_driver_check_context(*context);
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    *context = wm_driver_current();
    return wm_driver_end(cudaSuccess);
}

WM_CUDA_API wm_driver_result cuCtxGetDevice_v2(int *device, wm_driver_context_handle context)
{
    wm_driver_result result = chosen(&context);
    if (result == CUDA_SUCCESS && device)
        *device = (int)context->device;
    return result ? result : device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

WM_CUDA_API wm_driver_result cuCtxGetId(wm_driver_context_handle context, unsigned long long *id)
{
    wm_driver_result result = chosen(&context);
    if (result == CUDA_SUCCESS && id)
        *id = context->id;
    return result ? result : id ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

WM_CUDA_API wm_driver_result cuCtxGetApiVersion(wm_driver_context_handle context, unsigned *version)
{
    wm_driver_result result = chosen(&context);
    if (result == CUDA_SUCCESS && version)
        *version = context->api_version;
    return result ? result : version ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

WM_CUDA_API wm_driver_result cuCtxSynchronize(void)
{
    WM_DRIVER_RETURN(cudaDeviceSynchronize());
}

WM_CUDA_API wm_driver_result cuCtxSynchronize_v2(wm_driver_context_handle context)
{
    wm_driver_result result = chosen(&context);
    wm_driver_result begun = result ? result : wm_driver_begin_any();
    if (begun)
        return begun;
    uint32_t before = wm_cuda_use_device(context->device);
    wm_cuda_status status = cudaDeviceSynchronize();
    (void)wm_cuda_use_device(before);
    return wm_driver_end(status);
}

WM_CUDA_API wm_driver_result cuCtxGetLimit(size_t *value, int limit)
{
    WM_DRIVER_RETURN(cudaDeviceGetLimit(value, limit));
}

WM_CUDA_API wm_driver_result cuCtxSetLimit(int limit, size_t value)
{
    WM_DRIVER_RETURN(cudaDeviceSetLimit(limit, value));
}

WM_CUDA_API wm_driver_result cuCtxGetCacheConfig(int *config)
{
    return get_setting(WM_DRIVER_CACHE, config);
}

WM_CUDA_API wm_driver_result cuCtxSetCacheConfig(int config)
{
    return set_setting(WM_DRIVER_CACHE, config, config >= 0 && config <= 3);
}

WM_CUDA_API wm_driver_result cuCtxGetSharedMemConfig(int *config)
{
    return get_setting(WM_DRIVER_BANKS, config);
}

WM_CUDA_API wm_driver_result cuCtxSetSharedMemConfig(int config)
{
    return set_setting(WM_DRIVER_BANKS, config, config >= 0 && config <= 2);
}

WM_CUDA_API wm_driver_result cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    WM_DRIVER_RETURN(cudaDeviceGetStreamPriorityRange(least, greatest));
}

WM_CUDA_API wm_driver_result cuCtxResetPersistingL2Cache(void)
{
    WM_DRIVER_RETURN(cudaCtxResetPersistingL2Cache());
}

// Access is of devices: what a context may access, all of its device may.
WM_CUDA_API wm_driver_result cuCtxEnablePeerAccess(wm_driver_context_handle peer, unsigned flags)
{
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    wm_driver_result result = wm_driver_check_context(peer);
    if (result != CUDA_SUCCESS)
        return result;
    WM_DRIVER_RETURN(cudaDeviceEnablePeerAccess((int)peer->device, flags));
}

WM_CUDA_API wm_driver_result cuCtxDisablePeerAccess(wm_driver_context_handle peer)
{
    wm_driver_result result = wm_driver_check_context(peer);
    if (result != CUDA_SUCCESS)
        return result;
    WM_DRIVER_RETURN(cudaDeviceDisablePeerAccess((int)peer->device));
}
