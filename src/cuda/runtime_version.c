// What differs between the runtimes of CUDA 11, 12 and 13 under one name. Compiled once for each
// library, with WM_CUDART_MAJOR.
#include "cuda/device/device_properties.h"
#include "cuda/device/launch_request.h"
#include "cuda/graph/capture.h"
#include "cuda/memory/allocation_table.h"
#include "cuda/memory/range_advice.h"
#include "cuda/process.h"
#include "cuda/runtime_prototypes.h"
#include "cuda/stream/stream_table.h"

#include <string.h>

// The newest interface of each major version whose programs were looked at.
#if WM_CUDART_MAJOR == 13
#define RUNTIME_VERSION WM_CUDA_VERSION
#elif WM_CUDART_MAJOR == 12
#define RUNTIME_VERSION 12080
#else
#define RUNTIME_VERSION 11080
#endif
#define DRIVER_VERSION WM_CUDA_VERSION

const int wm_cudart_major = WM_CUDART_MAJOR;

WM_CUDA_API wm_cuda_status cudaRuntimeGetVersion(int *version)
{
    if (!version)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    *version = RUNTIME_VERSION;
    return cudaSuccess;
}

WM_CUDA_API wm_cuda_status cudaDriverGetVersion(int *version)
{
    if (!version)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    *version = DRIVER_VERSION;
    return cudaSuccess;
}

static void describe_pointer(struct wm_cuda_process *process, const void *pointer,
                             struct wm_cuda_pointer_attributes *to)
{
    const struct wm_allocation *allocation =
        wm_device_memory_find(process->memory, (uint64_t)(uintptr_t)pointer);
    *to = (struct wm_cuda_pointer_attributes){
        .type = WM_CUDA_MEMORY_UNREGISTERED,
        .device = -2, // cudaInvalidDeviceId
        .host_pointer = (void *)(uintptr_t)pointer,
    };
    if (!allocation)
        return;
    to->device = wm_cuda_device_of(process, allocation);
    to->device_pointer = (void *)(uintptr_t)pointer;
    switch (allocation->kind) {
    case WM_ALLOCATION_DEVICE:
    case WM_ALLOCATION_CONSTANT:
    case WM_ALLOCATION_VARIABLE:
    case WM_ALLOCATION_MAPPED:
    case WM_ALLOCATION_IMPORTED:
        to->type = WM_CUDA_MEMORY_DEVICE;
        to->host_pointer = NULL;
        break;
    case WM_ALLOCATION_MANAGED: to->type = WM_CUDA_MEMORY_MANAGED; break;
    case WM_ALLOCATION_HOST:
    case WM_ALLOCATION_REGISTERED: to->type = WM_CUDA_MEMORY_HOST; break;
    }
}

// CUDA 13 added reserved words at the end: a program of CUDA 12 has no room for them.
WM_CUDA_API wm_cuda_status cudaPointerGetAttributes(struct wm_cuda_pointer_attributes *attributes,
                                                    const void *pointer)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && !attributes)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        struct wm_cuda_pointer_attributes described;
        describe_pointer(process, pointer, &described);
        size_t size = WM_CUDART_MAJOR >= 13 ? sizeof described
                                            : offsetof(struct wm_cuda_pointer_attributes, reserved);
        memcpy(attributes, &described, size);
    }
    return wm_cuda_leave(process, status);
}

// ---- Device properties -------------------------------------------------------------------------

static wm_cuda_status get_properties(int device, const void *to,
                                     struct wm_cuda_properties *properties)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    if (status == cudaSuccess && !to)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_check_device(process, device);
    if (status == cudaSuccess)
        wm_cuda_properties_fill(&process->machine, (uint32_t)device, properties);
    return wm_cuda_leave(process, status);
}

#define GET_PROPERTIES(name, version)                                                     \
    WM_CUDA_API wm_cuda_status name(struct wm_cuda_properties_##version *to, int device); \
    wm_cuda_status name(struct wm_cuda_properties_##version *to, int device)              \
    {                                                                                     \
        struct wm_cuda_properties properties;                                             \
        wm_cuda_status status = get_properties(device, to, &properties);                  \
        if (status == cudaSuccess)                                                        \
            wm_cuda_properties_to_##version(&properties, to);                             \
        return status;                                                                    \
    }

#if WM_CUDART_MAJOR == 13
GET_PROPERTIES(cudaGetDeviceProperties, 13)
#else
GET_PROPERTIES(cudaGetDeviceProperties, 11)
GET_PROPERTIES(cudaGetDeviceProperties_v2, 12)
#endif

// ---- Advice and prefetching --------------------------------------------------------------------
// Managed memory is one memory for host and device here, so advice about where to keep it changes
// nothing; that the range is managed is checked.

enum { LOCATION_DEVICE = 1, LOCATION_HOST_NUMA_CURRENT = 4, DEVICE_HOST = -1 };

static wm_cuda_status check_managed(const void *pointer, size_t bytes, int type, int id,
                                    wm_cuda_stream_handle stream, int advice)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *resolved;
    wm_cuda_status status = wm_cuda_enter_stream(&process, stream, &resolved);
    if (status == cudaSuccess && advice == WM_CUDA_PREFETCH)
        status = wm_cuda_stream_for_waiting(process, stream, &resolved); // no graph can hold it
    if (status == cudaSuccess && (type < LOCATION_DEVICE || type > LOCATION_HOST_NUMA_CURRENT))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess && type == LOCATION_DEVICE)
        status = wm_cuda_check_device(process, id);
    if (status == cudaSuccess) {
        const struct wm_allocation *allocation =
            wm_device_memory_find(process->memory, (uint64_t)(uintptr_t)pointer);
        if (advice < WM_CUDA_PREFETCH || advice > WM_CUDA_ADVICE_LAST || !allocation ||
            allocation->kind != WM_ALLOCATION_MANAGED || bytes == 0 ||
            bytes > allocation->size_bytes - ((uint64_t)(uintptr_t)pointer - allocation->address))
            status = cudaErrorInvalidValue;
    }
    if (status == cudaSuccess)
        status = wm_cuda_advise(process, (uint64_t)(uintptr_t)pointer, bytes, advice,
                                (struct wm_cuda_location){type, id});
    return wm_cuda_leave(process, status);
}

static int known_advice(int advice)
{
    return advice == WM_CUDA_PREFETCH ? -1 : advice;
}

static wm_cuda_status advise_location(const void *pointer, size_t bytes, int advice,
                                      struct wm_cuda_location location)
{
    bool where = advice == 3 || advice == 5 || advice == 6;
    return check_managed(pointer, bytes, where ? location.type : LOCATION_DEVICE,
                         where ? location.id : 0, NULL, known_advice(advice));
}

static wm_cuda_status prefetch_location(const void *pointer, size_t bytes,
                                        struct wm_cuda_location location, unsigned flags,
                                        wm_cuda_stream_handle stream)
{
    return check_managed(pointer, bytes, location.type, location.id, stream,
                         flags == 0 ? WM_CUDA_PREFETCH : -1);
}

#if WM_CUDART_MAJOR == 13
WM_CUDA_API wm_cuda_status cudaMemAdvise(const void *pointer, size_t bytes, int advice,
                                         struct wm_cuda_location location)
{
    return advise_location(pointer, bytes, advice, location);
}

WM_CUDA_API wm_cuda_status cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                                struct wm_cuda_location location, unsigned flags,
                                                wm_cuda_stream_handle stream)
{
    return prefetch_location(pointer, bytes, location, flags, stream);
}
WM_CUDA_PER_THREAD(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync)
#else
WM_CUDA_API wm_cuda_status cudaMemAdvise_v2(const void *pointer, size_t bytes, int advice,
                                            struct wm_cuda_location location)
{
    return advise_location(pointer, bytes, advice, location);
}

WM_CUDA_API wm_cuda_status cudaMemPrefetchAsync_v2(const void *pointer, size_t bytes,
                                                   struct wm_cuda_location location, unsigned flags,
                                                   wm_cuda_stream_handle stream)
{
    return prefetch_location(pointer, bytes, location, flags, stream);
}
WM_CUDA_PER_THREAD(cudaMemPrefetchAsync_v2_ptsz, cudaMemPrefetchAsync_v2)

WM_CUDA_API wm_cuda_status cudaMemAdvise(const void *pointer, size_t bytes, int advice, int device)
{
    bool where = advice == 3 || advice == 5 || advice == 6;
    int type = where && device == DEVICE_HOST ? LOCATION_HOST_NUMA_CURRENT : LOCATION_DEVICE;
    return check_managed(pointer, bytes, type, where ? device : 0, NULL, known_advice(advice));
}

WM_CUDA_API wm_cuda_status cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                                wm_cuda_stream_handle stream)
{
    int type = device == DEVICE_HOST ? LOCATION_HOST_NUMA_CURRENT : LOCATION_DEVICE;
    return check_managed(pointer, bytes, type, device, stream, WM_CUDA_PREFETCH);
}

WM_CUDA_API wm_cuda_status cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

// Devices of before compute capability 1.3 had no doubles: on all others a double stays one.
WM_CUDA_API wm_cuda_status cudaSetDoubleForDevice(double *value)
{
    (void)value;
    return cudaSuccess;
}

WM_CUDA_API wm_cuda_status cudaSetDoubleForHost(double *value)
{
    (void)value;
    return cudaSuccess;
}

struct launch_on_device { // cudaLaunchParams
    void *function;
    struct wm_cuda_dim3 grid, block;
    void **arguments;
    size_t dynamic_shared_bytes;
    wm_cuda_stream_handle stream;
};

// One launch, in a stream of its own, as the interface requires.
WM_CUDA_API wm_cuda_status cudaLaunchCooperativeKernelMultiDevice(
    const struct launch_on_device *launches, unsigned count, unsigned flags)
{
    if (!launches || count == 0 || flags > 3)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    if (count != 1)
        return wm_cuda_set_last_error(
            wm_cuda_refuse_multi_device("cudaLaunchCooperativeKernelMultiDevice", count));
    if ((uintptr_t)launches->stream <= 2) // the default streams
        return wm_cuda_set_last_error(cudaErrorInvalidResourceHandle);
    return cudaLaunchCooperativeKernel(launches->function, launches->grid, launches->block,
                                       launches->arguments, launches->dynamic_shared_bytes,
                                       launches->stream);
}

WM_CUDA_API wm_cuda_status cudaThreadExit(void)
{
    return cudaDeviceReset();
}

WM_CUDA_PER_THREAD(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync)
#endif
