// Devices: as many as the machine has GPUs, which are alike, numbered from 0.
#include "cuda/device/device_commands.h"
#include "cuda/device/device_properties.h"
#include "cuda/device/kernel_limits.h"
#include "cuda/device/profiler_range.h"
#include "cuda/runtime_prototypes.h"

#include <stdio.h>
#include <string.h>

enum { PCI_BUS_ID_BYTES = 13 }; // "0000:01:00.0", numbered as the properties have it

// For functions that only check that there is a device and that arguments are right.
static wm_cuda_status answer(wm_cuda_status arguments)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    return wm_cuda_leave(process, status == cudaSuccess ? arguments : status);
}

// The same for a list of devices' numbers, too, which are looked at last.
static wm_cuda_status answer_devices(wm_cuda_status arguments, const int *devices, int count)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    if (status == cudaSuccess)
        status = arguments;
    for (int i = 0; i < count && status == cudaSuccess; i++)
        status = wm_cuda_check_device(process, devices[i]);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGetDeviceCount(int *count)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    if (status == cudaSuccess && !count)
        status = cudaErrorInvalidValue;
    if (count)
        *count = status == cudaSuccess ? (int)process->device_count : 0;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGetDevice(int *device)
{
    wm_cuda_status status = answer(device ? cudaSuccess : cudaErrorInvalidValue);
    if (status == cudaSuccess)
        *device = (int)wm_cuda_thread()->device;
    return status;
}

// The device's primary context is current from now on; a context of the driver API on the device
// that is current already stays.
WM_CUDA_API wm_cuda_status cudaSetDevice(int device)
{
    wm_cuda_status status = answer_devices(cudaSuccess, &device, 1);
    struct wm_cuda_thread *thread = wm_cuda_thread();
    if (status != cudaSuccess || thread->device == (uint32_t)device)
        return status;
    thread->device = (uint32_t)device;
    thread->device_set = true;
    thread->context = NULL;
    return status;
}

WM_CUDA_API wm_cuda_status cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags;
    return answer_devices(flags > 1 ? cudaErrorInvalidValue : cudaSuccess, &device, 1);
}

WM_CUDA_API wm_cuda_status cudaSetValidDevices(int *devices, int count)
{
    if (count < 0 || (count > 0 && !devices))
        return answer(cudaErrorInvalidValue);
    return answer_devices(cudaSuccess, devices, count);
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
        wm_cuda_current(process)->flags = flags;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGetDeviceFlags(unsigned *flags)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && !flags)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *flags = wm_cuda_current(process)->flags | 8; // host memory can always be mapped
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
        status = wm_cuda_check_device(process, device);
    if (status == cudaSuccess &&
        (!value ||
         !wm_cuda_device_attribute(&process->machine, (uint32_t)device, attribute, value)))
        status = cudaErrorInvalidValue;
    return wm_cuda_leave(process, status);
}

// ---- Limits and preferences --------------------------------------------------------------------

// What kernels have begun to use keeps its size (CUDA C++ Programming Guide, "Formatted Output",
// "Heap Memory Allocation").
static bool limit_is_fixed(const struct wm_cuda_device_runtime *runtime, int limit)
{
    return (limit == WM_CUDA_LIMIT_PRINT && runtime->has_printed) ||
           (limit == WM_CUDA_LIMIT_HEAP && runtime->has_heap) ||
           (limit == WM_CUDA_LIMIT_PENDING_LAUNCHES && runtime->launches.has_heap);
}

// Of cudaLimitDevRuntimeSyncDepth: the deepest level of grids.
enum { MOST_SYNC_DEPTH = 24 };

WM_CUDA_API wm_cuda_status cudaDeviceSetLimit(int limit, size_t value)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_check_limit(&process->machine, limit);
    if (status == cudaSuccess && (limit_is_fixed(&wm_cuda_current(process)->runtime, limit) ||
                                  (limit == WM_CUDA_LIMIT_SYNC_DEPTH && value > MOST_SYNC_DEPTH)))
        status = cudaErrorInvalidValue;
    // A value that the device does not have room for becomes the most that it has.
    if (status == cudaSuccess && limit == WM_CUDA_LIMIT_PERSISTING_L2 &&
        value > process->machine.device.persisting_l2_bytes)
        value = process->machine.device.persisting_l2_bytes;
    if (status == cudaSuccess)
        wm_cuda_current(process)->limits[limit] = value;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaDeviceGetLimit(size_t *value, int limit)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = value ? wm_cuda_check_limit(&process->machine, limit) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *value = wm_cuda_current(process)->limits[limit];
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
    bool good = text && size >= PCI_BUS_ID_BYTES;
    wm_cuda_status status = answer_devices(cudaSuccess, &device, 1);
    if (status == cudaSuccess)
        status = answer(good ? cudaSuccess : cudaErrorInvalidValue);
    if (status == cudaSuccess)
        snprintf(text, PCI_BUS_ID_BYTES, "0000:%02x:00.0", 1 + (unsigned)device % WM_MOST_GPUS);
    return status;
}

WM_CUDA_API wm_cuda_status cudaDeviceGetByPCIBusId(int *device, const char *text)
{
    int found = -1;
    for (int one = 0; text && one < WM_MOST_GPUS; one++) {
        char name[PCI_BUS_ID_BYTES];
        snprintf(name, sizeof name, "0000:%02x:00.0", 1 + (unsigned)one);
        if (strcmp(text, name) == 0)
            found = one;
    }
    wm_cuda_status status =
        answer_devices(device && text ? cudaSuccess : cudaErrorInvalidValue, &found, 1);
    if (status == cudaSuccess)
        *device = found;
    return status;
}

// A device is no peer of itself; each two others of a machine are.
WM_CUDA_API wm_cuda_status cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    wm_cuda_status status =
        answer_devices(can ? cudaSuccess : cudaErrorInvalidValue, (const int[]){device, peer}, 2);
    if (status == cudaSuccess)
        *can = device != peer;
    return status;
}

static wm_cuda_status enter_peer(struct wm_cuda_process **process, int peer)
{
    wm_cuda_status status = wm_cuda_enter_even_faulted(process);
    if (status == cudaSuccess)
        status = wm_cuda_check_device(*process, peer);
    return status;
}

WM_CUDA_API wm_cuda_status cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_peer(&process, peer);
    if (status == cudaSuccess && (uint32_t)peer == wm_cuda_thread()->device)
        status = cudaErrorInvalidDevice;
    if (status == cudaSuccess && flags != 0)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess && (wm_cuda_current(process)->peers >> peer & 1) != 0)
        status = cudaErrorPeerAccessAlreadyEnabled;
    if (status == cudaSuccess)
        wm_cuda_current(process)->peers |= UINT32_C(1) << peer;
    return wm_cuda_leave(process, status);
}

// Kernels that were launched before keep the access that they had.
WM_CUDA_API wm_cuda_status cudaDeviceDisablePeerAccess(int peer)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_peer(&process, peer);
    if (status == cudaSuccess && (wm_cuda_current(process)->peers >> peer & 1) == 0)
        status = cudaErrorPeerAccessNotEnabled;
    if (status == cudaSuccess)
        wm_cuda_current(process)->peers &= ~(UINT32_C(1) << peer);
    return wm_cuda_leave(process, status);
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
