// Memory of the driver API: allocations, and what is known of a pointer.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/memory/allocation_table.h"
#include "exec/memory/virtual_memory.h"

#include <string.h>

enum {
    LOCATION_DEVICE = 1,
    LOCATION_HOST = 2,
    DEVICE_HOST = -1, // CU_DEVICE_CPU
    ACCESS_READ_WRITE = 3,
};

// CUpointer_attribute.
enum pointer_attribute {
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE = 2,
    POINTER_DEVICE_POINTER = 3,
    POINTER_HOST_POINTER = 4,
    POINTER_SYNC_MEMOPS = 6,
    POINTER_BUFFER_ID = 7,
    POINTER_IS_MANAGED = 8,
    POINTER_DEVICE_ORDINAL = 9,
    POINTER_IS_IPC_CAPABLE = 10,
    POINTER_RANGE_START = 11,
    POINTER_RANGE_SIZE = 12,
    POINTER_MAPPED = 13,
    POINTER_HANDLE_TYPES = 14,
    POINTER_IS_RDMA_CAPABLE = 15,
    POINTER_ACCESS_FLAGS = 16,
    POINTER_POOL = 17,
    POINTER_MAPPING_SIZE = 18,
    POINTER_MAPPING_BASE = 19,
    POINTER_BLOCK_ID = 20,
};

WM_DRIVER_PER_THREAD(cuMemAllocAsync_ptsz, cuMemAllocAsync)
WM_DRIVER_PER_THREAD(cuMemFreeAsync_ptsz, cuMemFreeAsync)
WM_DRIVER_PER_THREAD(cuMemPrefetchAsync_ptsz, cuMemPrefetchAsync)
WM_DRIVER_PER_THREAD(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2)
WM_CUDA_ALIAS(cuMemHostRegister, cuMemHostRegister_v2);

WM_CUDA_API wm_driver_result cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
    WM_DRIVER_RETURN(cudaMemGetInfo(free_bytes, total_bytes));
}

// ---- Allocations -------------------------------------------------------------------------------

WM_CUDA_API wm_driver_result cuMemAlloc_v2(wm_driver_pointer *pointer, size_t bytes)
{
    WM_DRIVER_RETURN(bytes ? cudaMalloc((void **)pointer, bytes) : cudaErrorInvalidValue);
}

WM_CUDA_API wm_driver_result cuMemAllocPitch_v2(wm_driver_pointer *pointer, size_t *pitch,
                                                size_t width, size_t height, unsigned element_bytes)
{
    bool good = (element_bytes == 4 || element_bytes == 8 || element_bytes == 16) && width > 0 &&
                height > 0;
    WM_DRIVER_RETURN(good ? cudaMallocPitch((void **)pointer, pitch, width, height)
                          : cudaErrorInvalidValue);
}

WM_CUDA_API wm_driver_result cuMemAllocManaged(wm_driver_pointer *pointer, size_t bytes,
                                               unsigned flags)
{
    WM_DRIVER_RETURN(cudaMallocManaged((void **)pointer, bytes, flags));
}

WM_CUDA_API wm_driver_result cuMemAllocAsync(wm_driver_pointer *pointer, size_t bytes,
                                             wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(cudaMallocAsync((void **)pointer, bytes, stream));
}

WM_CUDA_API wm_driver_result cuMemFree_v2(wm_driver_pointer pointer)
{
    WM_DRIVER_RETURN(cudaFree(wm_driver_address(pointer)));
}

WM_CUDA_API wm_driver_result cuMemFreeAsync(wm_driver_pointer pointer, wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(pointer ? cudaFreeAsync(wm_driver_address(pointer), stream)
                             : cudaErrorInvalidValue);
}

WM_CUDA_API wm_driver_result cuMemAllocHost_v2(void **pointer, size_t bytes)
{
    WM_DRIVER_RETURN(bytes ? cudaMallocHost(pointer, bytes) : cudaErrorInvalidValue);
}

WM_CUDA_API wm_driver_result cuMemFreeHost(void *pointer)
{
    WM_DRIVER_RETURN(pointer ? cudaFreeHost(pointer) : cudaErrorInvalidValue);
}

WM_CUDA_API wm_driver_result cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    WM_DRIVER_RETURN(bytes ? cudaHostAlloc(pointer, bytes, flags) : cudaErrorInvalidValue);
}

WM_CUDA_API wm_driver_result cuMemHostGetDevicePointer_v2(wm_driver_pointer *device, void *host,
                                                          unsigned flags)
{
    WM_DRIVER_RETURN(cudaHostGetDevicePointer((void **)device, host, flags));
}

WM_CUDA_API wm_driver_result cuMemHostGetFlags(unsigned *flags, void *host)
{
    WM_DRIVER_RETURN(cudaHostGetFlags(flags, host));
}

WM_CUDA_API wm_driver_result cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags)
{
    WM_DRIVER_RETURN(cudaHostRegister(pointer, bytes, flags));
}

WM_CUDA_API wm_driver_result cuMemHostUnregister(void *pointer)
{
    WM_DRIVER_RETURN(cudaHostUnregister(pointer));
}

// ---- Pointers ----------------------------------------------------------------------------------

// What holds a pointer, copied: the tables may move when the lock is left.
struct found {
    struct wm_allocation allocation; // of mapped memory, the mapping
    const struct wm_driver_context *context;
    uint32_t device;
    uint64_t range, range_bytes; // the allocation, or the reservation that it is mapped to
    uint64_t block, handle_types, access;
};

static bool find_mapped(const struct wm_virtual_memory *memory, wm_driver_pointer pointer,
                        struct found *found)
{
    const struct wm_mapping *mapping = wm_virtual_mapping_of(memory, pointer);
    const struct wm_reservation *reservation = wm_virtual_reservation_of(memory, pointer);
    if (!reservation)
        return false;
    found->range = reservation->address;
    found->range_bytes = reservation->size_bytes;
    found->allocation = (struct wm_allocation){.kind = WM_ALLOCATION_MAPPED};
    if (mapping) {
        found->allocation.address = mapping->address;
        found->allocation.size_bytes = mapping->size_bytes;
        found->block = mapping->handle;
        found->handle_types = wm_virtual_physical(memory, mapping->handle)->shareable;
        found->access = mapping->access;
    }
    return true;
}

static wm_cuda_status find_allocation(wm_driver_pointer pointer, struct found *found)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status != cudaSuccess)
        return status;
    const struct wm_allocation *allocation = wm_device_memory_find(process->memory, pointer);
    const struct wm_cuda_allocation *entry = wm_cuda_allocation_of(process, pointer);
    uint32_t device = allocation ? (uint32_t)wm_cuda_device_of(process, allocation) : 0;
    *found = (struct found){
        .context = entry && entry->context ? entry->context : wm_driver_primary(device),
        .device = device,
        .access = ACCESS_READ_WRITE,
    };
    bool known = find_mapped(wm_device_memory_virtual(process->memory), pointer, found);
    if (!known && allocation) {
        found->allocation = *allocation;
        found->range = found->block = allocation->address;
        found->range_bytes = allocation->size_bytes;
        known = true;
    }
    return wm_cuda_leave(process, known ? cudaSuccess : cudaErrorInvalidValue);
}

// An address that is reserved, with nothing behind it.
static bool is_empty(const struct found *found)
{
    return found->allocation.size_bytes == 0;
}

static wm_driver_result address_range(wm_driver_pointer *base, size_t *bytes,
                                      wm_driver_pointer pointer)
{
    struct found found;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = find_allocation(pointer, &found);
    if (status == cudaSuccess && is_empty(&found))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess && base)
        *base = found.allocation.address;
    if (status == cudaSuccess && bytes)
        *bytes = found.allocation.size_bytes;
    wm_driver_result result = wm_driver_end(status);
    return result == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_NOT_FOUND : result;
}

WM_CUDA_API wm_driver_result cuMemGetAddressRange_v2(wm_driver_pointer *base, size_t *bytes,
                                                     wm_driver_pointer pointer)
{
    return address_range(base, bytes, pointer);
}

static bool is_host(const struct wm_allocation *allocation)
{
    return allocation->kind == WM_ALLOCATION_HOST || allocation->kind == WM_ALLOCATION_REGISTERED;
}

static bool is_managed(const struct wm_allocation *allocation)
{
    return allocation->kind == WM_ALLOCATION_MANAGED;
}

static wm_cuda_status store_pointer(void *value, uint64_t pointer)
{
    memcpy(value, &pointer, sizeof pointer);
    return cudaSuccess;
}

static wm_cuda_status store_number(void *value, uint32_t number)
{
    memcpy(value, &number, sizeof number);
    return cudaSuccess;
}

static wm_cuda_status store_flag(void *value, bool yes)
{
    memcpy(value, &yes, sizeof yes);
    return cudaSuccess;
}

static wm_cuda_status describe_pointer(void *value, int attribute, wm_driver_pointer pointer,
                                       const struct found *found)
{
    const struct wm_allocation *allocation = &found->allocation;
    if (is_empty(found) && attribute != POINTER_RANGE_START && attribute != POINTER_RANGE_SIZE &&
        attribute != POINTER_MAPPED)
        return cudaErrorInvalidValue;
    switch ((enum pointer_attribute)attribute) {
    case POINTER_CONTEXT: return store_pointer(value, (uintptr_t)found->context);
    case POINTER_MEMORY_TYPE:
        return store_number(value, is_host(allocation) ? WM_DRIVER_HOST : WM_DRIVER_DEVICE);
    case POINTER_DEVICE_POINTER: return store_pointer(value, pointer);
    case POINTER_HOST_POINTER:
        return is_host(allocation) || is_managed(allocation) ? store_pointer(value, pointer)
                                                             : cudaErrorInvalidValue;
    case POINTER_BUFFER_ID:
    case POINTER_BLOCK_ID: return store_pointer(value, found->block); // unique while it lives
    case POINTER_IS_MANAGED: return store_number(value, is_managed(allocation));
    case POINTER_DEVICE_ORDINAL: return store_number(value, found->device);
    case POINTER_RANGE_START: return store_pointer(value, found->range);
    case POINTER_RANGE_SIZE: return store_pointer(value, found->range_bytes);
    case POINTER_MAPPING_BASE: return store_pointer(value, allocation->address);
    case POINTER_MAPPING_SIZE: return store_pointer(value, allocation->size_bytes);
    case POINTER_MAPPED: return store_flag(value, !is_empty(found));
    case POINTER_SYNC_MEMOPS:
    case POINTER_IS_IPC_CAPABLE:
    case POINTER_IS_RDMA_CAPABLE: return store_flag(value, false);
    case POINTER_HANDLE_TYPES: return store_pointer(value, found->handle_types);
    case POINTER_ACCESS_FLAGS: return store_number(value, (uint32_t)found->access);
    case POINTER_POOL: return store_pointer(value, 0);
    }
    return cudaErrorInvalidValue;
}

WM_CUDA_API wm_driver_result cuPointerGetAttribute(void *value, int attribute,
                                                   wm_driver_pointer pointer)
{
    struct found found;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = value ? find_allocation(pointer, &found) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = describe_pointer(value, attribute, pointer, &found);
    return wm_driver_end(status);
}

// As for one, but that what does not apply is zero and no error.
WM_CUDA_API wm_driver_result cuPointerGetAttributes(unsigned count, const int *attributes,
                                                    void **values, wm_driver_pointer pointer)
{
    struct found found;
    if (count == 0 || !attributes || !values)
        return CUDA_ERROR_INVALID_VALUE;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = find_allocation(pointer, &found);
    bool known = status == cudaSuccess;
    for (unsigned i = 0; i < count; i++) {
        int attribute = attributes[i];
        bool wide = attribute == POINTER_CONTEXT || attribute == POINTER_DEVICE_POINTER ||
                    attribute == POINTER_HOST_POINTER;
        if (known && describe_pointer(values[i], attribute, pointer, &found) == cudaSuccess)
            continue;
        if (attribute == POINTER_DEVICE_ORDINAL)
            store_number(values[i], (uint32_t)-2);
        else if (wide)
            store_pointer(values[i], 0);
        else
            store_number(values[i], 0);
    }
    return wm_driver_end(known                             ? cudaSuccess
                         : status == cudaErrorInvalidValue ? cudaSuccess
                                                           : status);
}

// Copies are ordered as they are issued: the attribute changes nothing.
WM_CUDA_API wm_driver_result cuPointerSetAttribute(const void *value, int attribute,
                                                   wm_driver_pointer pointer)
{
    struct found found;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = value && attribute == POINTER_SYNC_MEMOPS
                                ? find_allocation(pointer, &found)
                                : cudaErrorInvalidValue;
    return wm_driver_end(status);
}

// ---- Advice and prefetching --------------------------------------------------------------------

static struct wm_cuda_location location_of(int device)
{
    return (struct wm_cuda_location){device == DEVICE_HOST ? LOCATION_HOST : LOCATION_DEVICE,
                                     device == DEVICE_HOST ? 0 : device};
}

WM_CUDA_API wm_driver_result cuMemAdvise_v2(wm_driver_pointer pointer, size_t bytes, int advice,
                                            struct wm_cuda_location location)
{
    WM_DRIVER_RETURN(cudaMemAdvise(wm_driver_address(pointer), bytes, advice, location));
}

WM_CUDA_API wm_driver_result cuMemAdvise(wm_driver_pointer pointer, size_t bytes, int advice,
                                         int device)
{
    return cuMemAdvise_v2(pointer, bytes, advice, location_of(device));
}

WM_CUDA_API wm_driver_result cuMemPrefetchAsync_v2(wm_driver_pointer pointer, size_t bytes,
                                                   struct wm_cuda_location location, unsigned flags,
                                                   wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(
        cudaMemPrefetchAsync(wm_driver_address(pointer), bytes, location, flags, stream));
}

WM_CUDA_API wm_driver_result cuMemPrefetchAsync(wm_driver_pointer pointer, size_t bytes, int device,
                                                wm_cuda_stream_handle stream)
{
    return cuMemPrefetchAsync_v2(pointer, bytes, location_of(device), 0, stream);
}
