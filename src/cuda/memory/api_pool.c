// Memory pools of the runtime API. Each lies on a device; other processes may import those that
// were made for it.
#include "cuda/error/log.h"
#include "cuda/graph/capture.h"
#include "cuda/memory/allocation_table.h"
#include "cuda/memory/pool.h"
#include "cuda/memory/shared_handle.h"
#include "cuda/runtime_prototypes.h"
#include "cuda/stream/stream_table.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

typedef struct wm_cuda_pool *pool_handle;

WM_CUDA_PER_THREAD(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync)
WM_CUDA_PER_THREAD(cudaMallocAsync_ptsz, cudaMallocAsync)

enum { ACCESS_NONE = 0, ACCESS_READ_WRITE = 3, ALLOCATION_PINNED = 1, HANDLE_DESCRIPTOR = 1 };

// ---- Making ------------------------------------------------------------------------------------

static wm_cuda_status check_properties(const struct wm_cuda_process *process,
                                       const struct wm_cuda_pool_properties *properties)
{
    if (!properties || properties->allocation_type != ALLOCATION_PINNED)
        return cudaErrorInvalidValue;
    if (properties->location.type == WM_CUDA_LOCATION_DEVICE &&
        wm_cuda_check_device(process, properties->location.id) != cudaSuccess)
        return cudaErrorInvalidDevice;
    if (properties->location.type != WM_CUDA_LOCATION_DEVICE ||
        (properties->handle_types & ~HANDLE_DESCRIPTOR) != 0) {
        wm_log_explain(WM_LOG_ERROR,
                       "cudaMemPoolCreate: pools in host memory, and handles for other processes "
                       "but file descriptors, are not supported\n");
        return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

WM_CUDA_API wm_cuda_status cudaMemPoolCreate(pool_handle *pool,
                                             const struct wm_cuda_pool_properties *properties)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = pool ? check_properties(process, properties) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_pool_new(process, (uint32_t)properties->location.id, properties->max_bytes,
                                  pool);
    if (status == cudaSuccess)
        (*pool)->shareable = properties->handle_types != 0;
    return wm_cuda_leave(process, status);
}

static wm_cuda_status enter_pool(struct wm_cuda_process **process, const struct wm_cuda_pool *pool)
{
    wm_cuda_status status = wm_cuda_enter(process);
    if (status == cudaSuccess && !wm_cuda_pool_known(*process, pool))
        status = cudaErrorInvalidValue;
    return status;
}

WM_CUDA_API wm_cuda_status cudaMemPoolDestroy(pool_handle pool)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_pool(&process, pool);
    if (status == cudaSuccess)
        status = wm_cuda_pool_destroy(process, pool);
    return wm_cuda_leave(process, status);
}

static wm_cuda_status get_pool(pool_handle *pool, int device, bool current)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && !pool)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_check_device(process, device);
    if (status == cudaSuccess)
        status = current ? wm_cuda_pool_current(process, (uint32_t)device, pool)
                         : wm_cuda_pool_default(process, (uint32_t)device, pool);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaDeviceGetDefaultMemPool(pool_handle *pool, int device)
{
    return get_pool(pool, device, false);
}

WM_CUDA_API wm_cuda_status cudaDeviceGetMemPool(pool_handle *pool, int device)
{
    return get_pool(pool, device, true);
}

WM_CUDA_API wm_cuda_status cudaDeviceSetMemPool(int device, pool_handle pool)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_pool(&process, pool);
    if (status == cudaSuccess)
        status = wm_cuda_check_device(process, device);
    // Nothing can be allocated from an imported one, nor for another device.
    if (status == cudaSuccess && (pool->file >= 0 || pool->device != (uint32_t)device))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        process->devices[device].current_pool = pool;
    return wm_cuda_leave(process, status);
}

// ---- Attributes --------------------------------------------------------------------------------

WM_CUDA_API wm_cuda_status cudaMemPoolTrimTo(pool_handle pool, size_t keep_bytes)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_pool(&process, pool);
    if (status == cudaSuccess)
        wm_cuda_pool_trim(pool, keep_bytes);
    return wm_cuda_leave(process, status);
}

static uint64_t *amount(struct wm_cuda_pool *pool, int attribute)
{
    switch (attribute) {
    case WM_CUDA_POOL_THRESHOLD: return &pool->threshold;
    case WM_CUDA_POOL_RESERVED: return &pool->reserved;
    case WM_CUDA_POOL_RESERVED_HIGH: return &pool->reserved_high;
    case WM_CUDA_POOL_USED: return &pool->used;
    case WM_CUDA_POOL_USED_HIGH: return &pool->used_high;
    default: return NULL;
    }
}

static int *permission(struct wm_cuda_pool *pool, int attribute)
{
    bool reuse = attribute >= WM_CUDA_POOL_REUSE_EVENTS && attribute <= WM_CUDA_POOL_REUSE_INTERNAL;
    return reuse ? &pool->reuse[attribute - 1] : NULL;
}

WM_CUDA_API wm_cuda_status cudaMemPoolGetAttribute(pool_handle pool, int attribute, void *value)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_pool(&process, pool);
    if (status == cudaSuccess) {
        const uint64_t *bytes = amount(pool, attribute);
        const int *reuse = permission(pool, attribute);
        if (value && bytes)
            memcpy(value, bytes, sizeof *bytes);
        else if (value && reuse)
            memcpy(value, reuse, sizeof *reuse);
        else
            status = cudaErrorInvalidValue;
    }
    return wm_cuda_leave(process, status);
}

// High marks may be set to 0 only, which sets them to what is there now.
static wm_cuda_status set_amount(struct wm_cuda_pool *pool, int attribute, uint64_t value)
{
    if (attribute == WM_CUDA_POOL_THRESHOLD)
        pool->threshold = value;
    else if (attribute == WM_CUDA_POOL_USED_HIGH && value == 0)
        pool->used_high = pool->used;
    else if (attribute == WM_CUDA_POOL_RESERVED_HIGH && value == 0)
        pool->reserved_high = pool->reserved;
    else
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

WM_CUDA_API wm_cuda_status cudaMemPoolSetAttribute(pool_handle pool, int attribute, void *value)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_pool(&process, pool);
    if (status == cudaSuccess) {
        int *reuse = permission(pool, attribute);
        uint64_t bytes = 0;
        if (!value || (!reuse && !amount(pool, attribute))) {
            status = cudaErrorInvalidValue;
        } else if (reuse) {
            memcpy(reuse, value, sizeof *reuse);
            *reuse = *reuse != 0;
        } else {
            memcpy(&bytes, value, sizeof bytes);
            status = set_amount(pool, attribute, bytes);
        }
    }
    return wm_cuda_leave(process, status);
}

// ---- Access ------------------------------------------------------------------------------------

// A pool's own device always has access, which cannot be taken away.
WM_CUDA_API wm_cuda_status cudaMemPoolSetAccess(pool_handle pool,
                                                const struct wm_cuda_access *accesses, size_t count)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_pool(&process, pool);
    if (status == cudaSuccess && count > 0 && !accesses)
        status = cudaErrorInvalidValue;
    for (size_t i = 0; i < count && status == cudaSuccess; i++) {
        const struct wm_cuda_location *location = &accesses[i].location;
        bool own = location->id == (int)pool->device;
        if (location->type == WM_CUDA_LOCATION_DEVICE)
            status = wm_cuda_check_device(process, location->id);
        if (status == cudaSuccess &&
            (location->type != WM_CUDA_LOCATION_DEVICE ||
             (accesses[i].flags != ACCESS_READ_WRITE && (own || accesses[i].flags != ACCESS_NONE))))
            status = cudaErrorInvalidValue;
        if (status == cudaSuccess)
            wm_cuda_pool_grant(process, pool, (uint32_t)location->id,
                               accesses[i].flags == ACCESS_READ_WRITE);
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaMemPoolGetAccess(int *flags, pool_handle pool,
                                                const struct wm_cuda_location *location)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_pool(&process, pool);
    if (status == cudaSuccess && (!flags || !location || location->type < WM_CUDA_LOCATION_DEVICE ||
                                  location->type > WM_CUDA_LOCATION_HOST_NUMA_CURRENT))
        status = cudaErrorInvalidValue;
    bool device = status == cudaSuccess && location->type == WM_CUDA_LOCATION_DEVICE;
    if (device)
        status = wm_cuda_check_device(process, location->id);
    if (status == cudaSuccess) {
        bool has = device &&
                   (location->id == (int)pool->device || (pool->granted >> location->id & 1) != 0);
        *flags = has ? ACCESS_READ_WRITE : ACCESS_NONE;
    }
    return wm_cuda_leave(process, status);
}

// ---- Other processes ---------------------------------------------------------------------------

// The handle of a pool is a descriptor of the file that all shared memory of the process is in;
// which bytes of it an allocation is, its own data say.
WM_CUDA_API wm_cuda_status cudaMemPoolExportToShareableHandle(void *handle, pool_handle pool,
                                                              int type, unsigned flags)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_pool(&process, pool);
    if (status == cudaSuccess &&
        (!handle || type != HANDLE_DESCRIPTOR || flags != 0 || !pool->shareable))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        int file = wm_device_memory_shared_file(process->memory);
        int made = file >= 0 ? fcntl(file, F_DUPFD_CLOEXEC, 0) : -1;
        if (made < 0)
            status = cudaErrorOperatingSystem;
        else
            memcpy(handle, &made, sizeof made);
    }
    return wm_cuda_leave(process, status);
}

static wm_cuda_status import_pool(struct wm_cuda_process *process, int descriptor,
                                  pool_handle *pool)
{
    if (!wm_shared_file_is(descriptor, "memory"))
        return cudaErrorInvalidValue;
    if (wm_shared_file_node(descriptor) ==
        wm_shared_file_node(wm_device_memory_shared_file(process->memory))) {
        wm_log_explain(WM_LOG_ERROR, "a pool is imported by the process that made it, which is "
                                     "not supported\n");
        return cudaErrorNotSupported;
    }
    int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return cudaErrorOperatingSystem;
    wm_cuda_status status = wm_cuda_pool_new(process, wm_cuda_thread()->device, 0, pool);
    if (status == cudaSuccess)
        (*pool)->file = own;
    else
        close(own);
    return status;
}

// `handle` is the descriptor itself.
WM_CUDA_API wm_cuda_status cudaMemPoolImportFromShareableHandle(pool_handle *pool, void *handle,
                                                                int type, unsigned flags)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = pool && type == HANDLE_DESCRIPTOR && flags == 0
                     ? import_pool(process, (int)(intptr_t)handle, pool)
                     : cudaErrorInvalidValue;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaMemPoolExportPointer(struct wm_shared_handle *data, void *pointer)
{
    struct wm_cuda_process *process;
    struct wm_shared_place place;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        const struct wm_cuda_allocation *allocation =
            wm_cuda_allocation_at(process, (uint64_t)(uintptr_t)pointer);
        bool good = data && allocation && allocation->pool && allocation->pool->shareable;
        status = good ? wm_cuda_share(process, allocation->address, &place) : cudaErrorInvalidValue;
    }
    if (status == cudaSuccess && !wm_shared_handle_fill(data, &place))
        status = cudaErrorOperatingSystem;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaMemPoolImportPointer(void **pointer, pool_handle pool,
                                                    struct wm_shared_handle *data)
{
    struct wm_cuda_process *process;
    struct wm_shared_object object;
    wm_cuda_status status = enter_pool(&process, pool);
    if (status == cudaSuccess &&
        (!pointer || !data || pool->file < 0 || !wm_shared_handle_read(data, &object) ||
         object.node != wm_shared_file_node(pool->file)))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        struct wm_shared_place place = {pool->file, object.offset, object.size_bytes};
        status = wm_cuda_pool_import(process, pool, &place, pointer);
    }
    return wm_cuda_leave(process, status);
}

// ---- Allocating --------------------------------------------------------------------------------

// In a capture the graph gets a node that allocates.
static wm_cuda_status capture_allocation(struct wm_cuda_process *process,
                                         struct wm_cuda_stream *stream, size_t size_bytes,
                                         void **pointer)
{
    struct wm_cuda_work work;
    int device = (int)stream->device;
    struct wm_cuda_allocation_parameters parameters = {
        .pool = {.allocation_type = ALLOCATION_PINNED,
                 .location = {WM_CUDA_LOCATION_DEVICE, device}},
        .size_bytes = size_bytes,
    };
    wm_cuda_status status = wm_cuda_work_of_allocation(process, &parameters, &work);
    if (status == cudaSuccess)
        status = wm_cuda_capture_work(process, stream, &work);
    if (status == cudaSuccess)
        *pointer = parameters.pointer;
    return status;
}

// Allocates at once, which is no later than the stream's order requires. No pool: the current one.
static wm_cuda_status allocate(void **pointer, size_t size_bytes, pool_handle pool, bool current,
                               wm_cuda_stream_handle handle)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_stream_for_work(process, handle, &stream);
    if (status == cudaSuccess && (!pointer || size_bytes == 0))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess && current)
        status = wm_cuda_pool_current(process, stream->device, &pool);
    else if (status == cudaSuccess && (!wm_cuda_pool_known(process, pool) || pool->file >= 0))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = stream->capture ? capture_allocation(process, stream, size_bytes, pointer)
                                 : wm_cuda_pool_allocate(process, pool, size_bytes, pointer);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaMallocFromPoolAsync(void **pointer, size_t size_bytes,
                                                   pool_handle pool, wm_cuda_stream_handle stream)
{
    return allocate(pointer, size_bytes, pool, false, stream);
}

WM_CUDA_API wm_cuda_status cudaMallocAsync(void **pointer, size_t size_bytes,
                                           wm_cuda_stream_handle stream)
{
    return allocate(pointer, size_bytes, NULL, true, stream);
}
