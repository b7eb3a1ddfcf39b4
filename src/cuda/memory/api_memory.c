// Memory of the runtime API: device, managed and pinned allocations, and what is known of a
// pointer. Device address and host address of a byte are the same.
#include "cuda/graph/capture.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/memory/allocation_table.h"
#include "cuda/runtime_prototypes.h"
#include "cuda/stream/stream_table.h"

#include <string.h>

enum {
    PITCH_BYTES = 512,        // rows of cudaMallocPitch: texturePitchAlignment of all machines here
    MANAGED_GLOBAL = 1,       // cudaMemAttachGlobal
    MANAGED_HOST = 2,         // cudaMemAttachHost
    HOST_ALLOC_FLAGS = 7,     // cudaHostAllocPortable | Mapped | WriteCombined
    HOST_REGISTER_FLAGS = 15, // cudaHostRegisterPortable | Mapped | IoMemory | ReadOnly
    HOST_REGISTER_IO = 4,
};

WM_CUDA_PER_THREAD(cudaFreeAsync_ptsz, cudaFreeAsync)

static wm_cuda_status allocate(void **pointer, size_t size_bytes, enum wm_allocation_kind kind,
                               unsigned flags, const char *function)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && !pointer)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_capture_allows(process);
    if (status == cudaSuccess && size_bytes == 0)
        *pointer = NULL; // a success by the interface's definition
    else if (status == cudaSuccess)
        status = wm_cuda_allocate(process, size_bytes, kind, flags, function, pointer);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaMalloc(void **pointer, size_t size_bytes)
{
    return allocate(pointer, size_bytes, WM_ALLOCATION_DEVICE, 0, "cudaMalloc");
}

WM_CUDA_API wm_cuda_status cudaMallocManaged(void **pointer, size_t size_bytes, unsigned flags)
{
    if (size_bytes == 0 || (flags != MANAGED_GLOBAL && flags != MANAGED_HOST))
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    return allocate(pointer, size_bytes, WM_ALLOCATION_MANAGED, flags, "cudaMallocManaged");
}

WM_CUDA_API wm_cuda_status cudaMallocHost(void **pointer, size_t size_bytes)
{
    return allocate(pointer, size_bytes, WM_ALLOCATION_HOST, 0, "cudaMallocHost");
}

WM_CUDA_API wm_cuda_status cudaHostAlloc(void **pointer, size_t size_bytes, unsigned flags)
{
    if ((flags & ~(unsigned)HOST_ALLOC_FLAGS) != 0)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    return allocate(pointer, size_bytes, WM_ALLOCATION_HOST, flags, "cudaHostAlloc");
}

// False when rows of `width` bytes, rounded up to the pitch, do not fit in an address.
static bool pitched_bytes(size_t width, size_t rows, size_t *pitch, size_t *bytes)
{
    return !__builtin_add_overflow(width, (size_t)PITCH_BYTES - 1, pitch) &&
           (*pitch -= *pitch % PITCH_BYTES, !__builtin_mul_overflow(*pitch, rows, bytes));
}

WM_CUDA_API wm_cuda_status cudaMallocPitch(void **pointer, size_t *pitch, size_t width,
                                           size_t height)
{
    size_t bytes;
    if (!pointer || !pitch)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    if (!pitched_bytes(width, height, pitch, &bytes))
        return wm_cuda_set_last_error(cudaErrorMemoryAllocation);
    return allocate(pointer, bytes, WM_ALLOCATION_DEVICE, 0, "cudaMallocPitch");
}

WM_CUDA_API wm_cuda_status cudaMalloc3D(struct wm_cuda_pitched_pointer *pointer,
                                        struct wm_cuda_extent extent)
{
    size_t bytes, rows, pitch;
    if (!pointer)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows) ||
        !pitched_bytes(extent.width, rows, &pitch, &bytes))
        return wm_cuda_set_last_error(cudaErrorMemoryAllocation);
    void *address;
    wm_cuda_status status = allocate(&address, bytes, WM_ALLOCATION_DEVICE, 0, "cudaMalloc3D");
    if (status == cudaSuccess)
        *pointer = (struct wm_cuda_pitched_pointer){address, pitch, extent.width, extent.height};
    return status;
}

// The graph's nodes keep the memory; what a launch allocated of it is free again.
static wm_cuda_status free_of_graph(struct wm_cuda_process *process,
                                    struct wm_cuda_graph_memory *memory, bool wait)
{
    if (!wm_cuda_graph_memory_unuse(process, memory))
        return cudaErrorInvalidValue;
    return wait ? wm_cuda_wait_all(process) : cudaSuccess;
}

static wm_cuda_status release(void *pointer, bool host)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_capture_allows(process);
    if (status == cudaSuccess && pointer) {
        struct wm_cuda_allocation *allocation =
            wm_cuda_allocation_at(process, (uint64_t)(uintptr_t)pointer);
        struct wm_cuda_graph_memory *of_graph =
            wm_cuda_graph_memory_at(process, (uint64_t)(uintptr_t)pointer);
        bool right = allocation && allocation->kind != WM_ALLOCATION_REGISTERED &&
                     allocation->opened == 0 && // cudaIpcCloseMemHandle is for those
                     (allocation->kind == WM_ALLOCATION_HOST) == host;
        if (right && of_graph)
            status = free_of_graph(process, of_graph, true);
        else
            status = right ? wm_cuda_release(process, (uint64_t)(uintptr_t)pointer)
                           : cudaErrorInvalidValue;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaFree(void *pointer)
{
    return release(pointer, false);
}

WM_CUDA_API wm_cuda_status cudaFreeHost(void *pointer)
{
    return release(pointer, true);
}

// The allocation is released when the host next waits for this point: freeing it at once would
// either stop the host or hand its addresses out again at a moment that depends on timing.
WM_CUDA_API wm_cuda_status cudaFreeAsync(void *pointer, wm_cuda_stream_handle stream)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *resolved;
    wm_cuda_status status = wm_cuda_enter_stream(&process, stream, &resolved);
    if (status == cudaSuccess)
        status = wm_cuda_stream_for_work(process, stream, &resolved);
    if (status == cudaSuccess && pointer && resolved->capture) {
        struct wm_cuda_work work;
        status = wm_cuda_work_of_free(process, (uint64_t)(uintptr_t)pointer, &work);
        if (status == cudaSuccess)
            status = wm_cuda_capture_work(process, resolved, &work);
    } else if (status == cudaSuccess && pointer) {
        struct wm_cuda_allocation *allocation =
            wm_cuda_allocation_at(process, (uint64_t)(uintptr_t)pointer);
        struct wm_cuda_graph_memory *of_graph =
            wm_cuda_graph_memory_at(process, (uint64_t)(uintptr_t)pointer);
        bool of_pool = allocation && allocation->pool;
        if (!allocation || (allocation->kind != WM_ALLOCATION_DEVICE && !of_pool))
            status = cudaErrorInvalidValue;
        else if (of_graph)
            status = free_of_graph(process, of_graph, false);
        else
            wm_cuda_free_later(process, (uint64_t)(uintptr_t)pointer);
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaHostRegister(void *pointer, size_t size_bytes, unsigned flags)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    uint64_t end;
    if (status == cudaSuccess &&
        (!pointer || size_bytes == 0 || (flags & ~(unsigned)HOST_REGISTER_FLAGS) != 0 ||
         __builtin_add_overflow((uint64_t)(uintptr_t)pointer, (uint64_t)size_bytes, &end)))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess && (flags & HOST_REGISTER_IO) != 0)
        status = cudaErrorNotSupported;
    if (status == cudaSuccess)
        status = wm_cuda_capture_allows(process);
    if (status == cudaSuccess)
        status = wm_cuda_register_host(process, pointer, size_bytes, flags);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaHostUnregister(void *pointer)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        struct wm_cuda_allocation *allocation =
            wm_cuda_allocation_at(process, (uint64_t)(uintptr_t)pointer);
        if (!pointer)
            status = cudaErrorInvalidValue;
        else if (!allocation || allocation->kind != WM_ALLOCATION_REGISTERED)
            status = cudaErrorHostMemoryNotRegistered;
        else
            status = wm_cuda_release(process, (uint64_t)(uintptr_t)pointer);
    }
    return wm_cuda_leave(process, status);
}

static bool is_host(const struct wm_cuda_allocation *allocation)
{
    return allocation &&
           (allocation->kind == WM_ALLOCATION_HOST || allocation->kind == WM_ALLOCATION_REGISTERED);
}

WM_CUDA_API wm_cuda_status cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        bool known = is_host(wm_cuda_allocation_of(process, (uint64_t)(uintptr_t)host));
        if (!device || flags != 0 || !known)
            status = cudaErrorInvalidValue;
        else
            *device = host;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaHostGetFlags(unsigned *flags, void *host)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        const struct wm_cuda_allocation *allocation =
            wm_cuda_allocation_of(process, (uint64_t)(uintptr_t)host);
        if (!flags || !is_host(allocation))
            status = cudaErrorInvalidValue;
        else
            *flags = allocation->flags | 2; // all pinned memory here is mapped
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && (!free_bytes || !total_bytes))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        *total_bytes = wm_device_memory_capacity(process->memory);
        *free_bytes =
            *total_bytes - wm_device_memory_used(process->memory, wm_cuda_thread()->device);
    }
    return wm_cuda_leave(process, status);
}
