// Devices of the driver API: as many as the machine has GPUs, which are alike.
#include "cuda/device/device_properties.h"
#include "cuda/driver/driver_forward.h"
#include "cuda/driver/driver_prototypes.h"

#include <string.h>

enum {
    // Attributes that only the driver API has (CUdevice_attribute).
    ATTRIBUTE_STREAM_MEMORY_FIRST = 92,
    ATTRIBUTE_STREAM_MEMORY_LAST = 94,
    ATTRIBUTE_STREAM_MEMORY_64 = 122,
    ATTRIBUTE_STREAM_MEMORY_CLEAR = 123,
    ATTRIBUTE_VIRTUAL_MEMORY = 102,
    ATTRIBUTE_DESCRIPTOR_HANDLE = 103,
    ATTRIBUTE_SHARED_HANDLE_FIRST = 104,
    ATTRIBUTE_SHARED_HANDLE_LAST = 105,
    ATTRIBUTE_COMPRESSION = 107,
    ATTRIBUTE_MAX_PITCH = 11,
};

WM_CUDA_ALIAS(cuDeviceGetUuid_v2, cuDeviceGetUuid);

// May be called before cuInit.
WM_CUDA_API wm_driver_result cuDriverGetVersion(int *version)
{
    return version ? wm_driver_result_of(cudaDriverGetVersion(version)) : CUDA_ERROR_INVALID_VALUE;
}

WM_CUDA_API wm_driver_result cuDeviceGet(int *device, int ordinal)
{
    struct wm_cuda_process *process = wm_cuda_lock();
    wm_cuda_status status = device ? wm_cuda_check_device(process, ordinal) : cudaErrorInvalidValue;
    wm_cuda_unlock(process);
    if (device)
        *device = status == cudaSuccess ? ordinal : 0;
    WM_DRIVER_RETURN_ANY(status);
}

WM_CUDA_API wm_driver_result cuDeviceGetCount(int *count)
{
    struct wm_cuda_process *process = wm_cuda_lock();
    if (count)
        *count = (int)process->device_count;
    wm_cuda_unlock(process);
    WM_DRIVER_RETURN_ANY(count ? cudaSuccess : cudaErrorInvalidValue);
}

// Fills `properties` for functions that print a part of them.
static wm_driver_result describe(int device, bool arguments, struct wm_cuda_properties *properties)
{
    struct wm_cuda_process *process;
    wm_driver_result begun = wm_driver_begin_any();
    if (begun)
        return begun;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    if (status == cudaSuccess && !arguments)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_check_device(process, device);
    if (status == cudaSuccess)
        wm_cuda_properties_fill(&process->machine, (uint32_t)device, properties);
    return wm_driver_end(wm_cuda_leave(process, status));
}

WM_CUDA_API wm_driver_result cuDeviceGetName(char *name, int length, int device)
{
    struct wm_cuda_properties properties;
    wm_driver_result result = describe(device, name && length > 0, &properties);
    if (result == CUDA_SUCCESS)
        snprintf(name, (size_t)length, "%s", properties.name);
    return result;
}

WM_CUDA_API wm_driver_result cuDeviceGetUuid(struct wm_driver_uuid *uuid, int device)
{
    struct wm_cuda_properties properties;
    wm_driver_result result = describe(device, uuid, &properties);
    if (result == CUDA_SUCCESS)
        memcpy(uuid->bytes, properties.uuid, sizeof uuid->bytes);
    return result;
}

// Locally unique identifiers are Windows'.
WM_CUDA_API wm_driver_result cuDeviceGetLuid(char *luid, unsigned *mask, int device)
{
    struct wm_cuda_properties properties;
    wm_driver_result result = describe(device, luid && mask, &properties);
    return result ? result : CUDA_ERROR_NOT_SUPPORTED;
}

WM_CUDA_API wm_driver_result cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    struct wm_cuda_properties properties;
    wm_driver_result result = describe(device, bytes, &properties);
    if (result == CUDA_SUCCESS)
        *bytes = properties.totalGlobalMem;
    return result;
}

static bool compresses(void)
{
    struct wm_cuda_process *process = wm_cuda_lock();
    bool yes = process->machine.device.compresses;
    wm_cuda_unlock(process);
    return yes;
}

// The numbers are the runtime API's, but for what that API does not have.
WM_CUDA_API wm_driver_result cuDeviceGetAttribute(int *value, int attribute, int device)
{
    bool absent =
        (attribute >= ATTRIBUTE_SHARED_HANDLE_FIRST && attribute <= ATTRIBUTE_SHARED_HANDLE_LAST) ||
        attribute == ATTRIBUTE_COMPRESSION;
    bool present =
        attribute == ATTRIBUTE_VIRTUAL_MEMORY || attribute == ATTRIBUTE_DESCRIPTOR_HANDLE ||
        (attribute >= ATTRIBUTE_STREAM_MEMORY_FIRST && attribute <= ATTRIBUTE_STREAM_MEMORY_LAST) ||
        attribute == ATTRIBUTE_STREAM_MEMORY_64 || attribute == ATTRIBUTE_STREAM_MEMORY_CLEAR;
    if (!absent && !present)
        WM_DRIVER_RETURN_ANY(cudaDeviceGetAttribute(value, attribute, device));
    struct wm_cuda_properties properties;
    wm_driver_result result = describe(device, value, &properties);
    if (result == CUDA_SUCCESS)
        *value = attribute == ATTRIBUTE_COMPRESSION ? compresses() : present;
    return result;
}

WM_CUDA_API wm_driver_result cuDeviceComputeCapability(int *major, int *minor, int device)
{
    struct wm_cuda_properties properties;
    wm_driver_result result = describe(device, major && minor, &properties);
    if (result == CUDA_SUCCESS) {
        *major = properties.major;
        *minor = properties.minor;
    }
    return result;
}

WM_CUDA_API wm_driver_result cuDeviceGetProperties(struct wm_driver_device_properties *to,
                                                   int device)
{
    struct wm_cuda_properties properties;
    wm_driver_result result = describe(device, to, &properties);
    if (result != CUDA_SUCCESS)
        return result;
    *to = (struct wm_driver_device_properties){
        .max_threads_per_block = properties.maxThreadsPerBlock,
        .shared_bytes_per_block = (int)properties.sharedMemPerBlock,
        .constant_bytes = (int)properties.totalConstMem,
        .warp_width = properties.warpSize,
        .max_pitch = (int)properties.memPitch,
        .registers_per_block = properties.regsPerBlock,
        .clock_khz = properties.clockRate,
        .texture_alignment = (int)properties.textureAlignment,
    };
    memcpy(to->max_block, properties.maxThreadsDim, sizeof to->max_block);
    memcpy(to->max_grid, properties.maxGridSize, sizeof to->max_grid);
    return CUDA_SUCCESS;
}

WM_CUDA_API wm_driver_result cuDeviceGetPCIBusId(char *text, int length, int device)
{
    WM_DRIVER_RETURN_ANY(cudaDeviceGetPCIBusId(text, length, device));
}

WM_CUDA_API wm_driver_result cuDeviceGetByPCIBusId(int *device, const char *text)
{
    WM_DRIVER_RETURN_ANY(cudaDeviceGetByPCIBusId(device, text));
}

WM_CUDA_API wm_driver_result cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    WM_DRIVER_RETURN_ANY(cudaDeviceCanAccessPeer(can, device, peer));
}

// Contexts on a part of the SMs: none.
WM_CUDA_API wm_driver_result cuDeviceGetExecAffinitySupport(int *supported, int type, int device)
{
    (void)type;
    struct wm_cuda_properties properties;
    wm_driver_result result = describe(device, supported, &properties);
    if (result == CUDA_SUCCESS)
        *supported = 0;
    return result;
}

// ---- The runtime API's -------------------------------------------------------------------------

WM_DRIVER_FORWARD_ANY(cuDeviceGetHostAtomicCapabilities, cudaDeviceGetHostAtomicCapabilities)
WM_DRIVER_FORWARD_ANY(cuDeviceRegisterAsyncNotification, cudaDeviceRegisterAsyncNotification)
WM_DRIVER_FORWARD_ANY(cuDeviceUnregisterAsyncNotification, cudaDeviceUnregisterAsyncNotification)
