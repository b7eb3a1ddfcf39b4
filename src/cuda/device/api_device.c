// The device: there is one, number 0, and the machine file says what it is.
#include "cuda/device/device_commands.h"
#include "cuda/device/device_properties.h"
#include "cuda/device/kernel_limits.h"
#include "cuda/runtime_prototypes.h"

#include <string.h>

#define PCI_BUS_ID "0000:01:00.0"

// For functions that only check that there is a device and that arguments are right.
static wm_cuda_status answer(wm_cuda_status arguments)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    return wm_cuda_leave(process, status == cudaSuccess ? arguments : status);
}

static wm_cuda_status device_status(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

WM_CUDA_API wm_cuda_status cudaGetDeviceCount(int *count)
{
    wm_cuda_status status = answer(count ? cudaSuccess : cudaErrorInvalidValue);
    if (count)
        *count = status == cudaSuccess;
    return status;
}

WM_CUDA_API wm_cuda_status cudaGetDevice(int *device)
{
    wm_cuda_status status = answer(device ? cudaSuccess : cudaErrorInvalidValue);
    if (status == cudaSuccess)
        *device = 0;
    return status;
}

WM_CUDA_API wm_cuda_status cudaSetDevice(int device)
{
    return answer(device_status(device));
}

WM_CUDA_API wm_cuda_status cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags;
    return answer(flags > 1 ? cudaErrorInvalidValue : device_status(device));
}

WM_CUDA_API wm_cuda_status cudaSetValidDevices(int *devices, int count)
{
    if (count < 0 || (count > 0 && !devices))
        return answer(cudaErrorInvalidValue);
    for (int i = 0; i < count; i++)
        if (devices[i] != 0)
            return answer(cudaErrorInvalidDevice);
    return answer(cudaSuccess);
}

WM_CUDA_API wm_cuda_status cudaChooseDevice(int *device, const void *properties)
{
    wm_cuda_status status = answer(device && properties ? cudaSuccess : cudaErrorInvalidValue);
    if (status == cudaSuccess)
        *device = 0;
    return status;
}

// How a host thread waits is all that these flags say.
WM_CUDA_API wm_cuda_status cudaSetDeviceFlags(unsigned flags)
{
    enum { SCHEDULE_MASK = 7, MAP_HOST = 8, LMEM_RESIZE_TO_MAX = 16 };
    unsigned schedule = flags & SCHEDULE_MASK;
    bool known = (flags & ~(unsigned)(SCHEDULE_MASK | MAP_HOST | LMEM_RESIZE_TO_MAX)) == 0 &&
                 (schedule & (schedule - 1)) == 0;
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && !known)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        process->device_flags = flags;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGetDeviceFlags(unsigned *flags)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && !flags)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *flags = process->device_flags | 8; // host memory can always be mapped
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaDeviceReset(void)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    if (status == cudaSuccess)
        wm_cuda_reset(process);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    if (status == cudaSuccess)
        status = device_status(device);
    if (status == cudaSuccess &&
        (!value || !wm_cuda_device_attribute(&process->machine, attribute, value)))
        status = cudaErrorInvalidValue;
    return wm_cuda_leave(process, status);
}

// ---- Limits and preferences --------------------------------------------------------------------

// What kernels have begun to use keeps its size (CUDA C++ Programming Guide, "Formatted Output",
// "Heap Memory Allocation").
static bool limit_is_fixed(const struct wm_cuda_process *process, int limit)
{
    return (limit == WM_CUDA_LIMIT_PRINT && process->runtime.has_printed) ||
           (limit == WM_CUDA_LIMIT_HEAP && process->runtime.has_heap) ||
           (limit == WM_CUDA_LIMIT_PENDING_LAUNCHES && process->runtime.launches.has_heap);
}

// Of cudaLimitDevRuntimeSyncDepth: the deepest level of grids.
enum { MOST_SYNC_DEPTH = 24 };

WM_CUDA_API wm_cuda_status cudaDeviceSetLimit(int limit, size_t value)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_check_limit(&process->machine, limit);
    if (status == cudaSuccess && (limit_is_fixed(process, limit) ||
                                  (limit == WM_CUDA_LIMIT_SYNC_DEPTH && value > MOST_SYNC_DEPTH)))
        status = cudaErrorInvalidValue;
    // A value that the device does not have room for becomes the most that it has.
    if (status == cudaSuccess && limit == WM_CUDA_LIMIT_PERSISTING_L2 &&
        value > process->machine.device.persisting_l2_bytes)
        value = process->machine.device.persisting_l2_bytes;
    if (status == cudaSuccess)
        process->limits[limit] = value;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaDeviceGetLimit(size_t *value, int limit)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = value ? wm_cuda_check_limit(&process->machine, limit) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *value = process->limits[limit];
    return wm_cuda_leave(process, status);
}

// The machine file says how shared memory and L1 are divided: a preference, taken as one.
WM_CUDA_API wm_cuda_status cudaDeviceSetCacheConfig(int config)
{
    return answer(config >= 0 && config <= 3 ? cudaSuccess : cudaErrorInvalidValue);
}

WM_CUDA_API wm_cuda_status cudaDeviceGetCacheConfig(int *config)
{
    wm_cuda_status status = answer(config ? cudaSuccess : cudaErrorInvalidValue);
    if (status == cudaSuccess)
        *config = 0; // cudaFuncCachePreferNone
    return status;
}

WM_CUDA_API wm_cuda_status cudaDeviceSetSharedMemConfig(int config)
{
    return answer(config >= 0 && config <= 2 ? cudaSuccess : cudaErrorInvalidValue);
}

WM_CUDA_API wm_cuda_status cudaDeviceGetSharedMemConfig(int *config)
{
    wm_cuda_status status = answer(config ? cudaSuccess : cudaErrorInvalidValue);
    if (status == cudaSuccess)
        *config = 1; // cudaSharedMemBankSizeFourByte
    return status;
}

// Lines in L2 are never held back here, so there is nothing to reset.
WM_CUDA_API wm_cuda_status cudaCtxResetPersistingL2Cache(void)
{
    return answer(cudaSuccess);
}

// ---- Bus and peers -----------------------------------------------------------------------------

WM_CUDA_API wm_cuda_status cudaDeviceGetPCIBusId(char *text, int size, int device)
{
    wm_cuda_status status = device_status(device);
    if (status == cudaSuccess && (!text || size < (int)sizeof PCI_BUS_ID))
        status = cudaErrorInvalidValue;
    status = answer(status);
    if (status == cudaSuccess)
        memcpy(text, PCI_BUS_ID, sizeof PCI_BUS_ID);
    return status;
}

WM_CUDA_API wm_cuda_status cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    wm_cuda_status status = device && text ? cudaSuccess : cudaErrorInvalidValue;
    if (status == cudaSuccess && strcmp(text, PCI_BUS_ID) != 0)
        status = cudaErrorInvalidDevice;
    status = answer(status);
    if (status == cudaSuccess)
        *device = 0;
    return status;
}

// A device is no peer of itself, and there is no other.
WM_CUDA_API wm_cuda_status cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    wm_cuda_status status = can ? device_status(device) : cudaErrorInvalidValue;
    status = answer(status == cudaSuccess ? device_status(peer) : status);
    if (status == cudaSuccess)
        *can = 0;
    return status;
}

WM_CUDA_API wm_cuda_status cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)peer, (void)flags;
    return answer(cudaErrorInvalidDevice);
}

WM_CUDA_API wm_cuda_status cudaDeviceDisablePeerAccess(int peer)
{
    (void)peer;
    return answer(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

// ---- Rest --------------------------------------------------------------------------------------

// A region of interest, for --profiled and for recordings; not used without them.
static wm_cuda_status mark_range(bool begins)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && !wm_cuda_push_range(process, begins))
        status = cudaErrorMemoryAllocation;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaProfilerStart(void)
{
    return mark_range(true);
}

WM_CUDA_API wm_cuda_status cudaProfilerStop(void)
{
    return mark_range(false);
}

WM_CUDA_API struct wm_cuda_channel_format cudaCreateChannelDesc(int x, int y, int z, int w,
                                                                int kind)
{
    return (struct wm_cuda_channel_format){x, y, z, w, kind};
}
