// Virtual memory management: addresses, memory, and mappings between the two. All of it is the
// first device's; what is said of others, and of memory on the host, is refused.
#include "cuda/device/device_commands.h"
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/error/log.h"
#include "cuda/memory/allocation_table.h"
#include "cuda/memory/shared_handle.h"
#include "engine/check/check.h"
#include "exec/memory/virtual_memory.h"

#include <fcntl.h>
#include <unistd.h>

enum {
    // CUmemAllocationType, CUmemLocationType, CUmemAllocationHandleType.
    MEMORY_PINNED = 1,
    LOCATION_DEVICE = 1,
    LOCATION_HOST_FIRST = 2,
    LOCATION_HOST_LAST = 4,
    HANDLE_DESCRIPTOR = 1,
    GRANULARITY_RECOMMENDED = 1, // CUmemAllocationGranularity_flags
};

// ---- Entering ----------------------------------------------------------------------------------

// None of these functions needs a context: CUDA_ERROR_NOT_INITIALIZED is all that can be.
static wm_driver_result enter(struct wm_cuda_process **process)
{
    wm_driver_result begun = wm_driver_begin_any();
    if (begun)
        return begun;
    wm_cuda_status status = wm_cuda_enter(process);
    return status == cudaSuccess ? CUDA_SUCCESS : wm_driver_end(status);
}

static wm_driver_result leave(struct wm_cuda_process *process, wm_cuda_status status)
{
    return wm_driver_end(wm_cuda_leave(process, status));
}

static struct wm_virtual_memory *memory_of(const struct wm_cuda_process *process)
{
    return wm_device_memory_virtual(process->memory);
}

// What is wrong is said: the program sees no more than a number. Memory that runs out is nothing to
// be corrected.
static wm_cuda_status status_of(const char *function, enum wm_status status,
                                const struct wm_error *error)
{
    if (status == WM_OK)
        return cudaSuccess;
    if (status == WM_NO_MEMORY)
        return cudaErrorMemoryAllocation;
    wm_log_explain(WM_LOG_ERROR, "%s: %s\n", function, error->message);
    return cudaErrorInvalidValue;
}

static void name_label(struct wm_cuda_process *process, const char *function, char *label,
                       size_t size)
{
    snprintf(label, size, "%s #%llu", function, (unsigned long long)++process->malloc_count);
}

// ---- Addresses ---------------------------------------------------------------------------------

WM_CUDA_API wm_driver_result cuMemAddressReserve(wm_driver_pointer *pointer, size_t bytes,
                                                 size_t alignment, wm_driver_pointer hint,
                                                 unsigned long long flags)
{
    struct wm_cuda_process *process;
    wm_driver_result entered = enter(&process);
    if (entered)
        return entered;
    if (!pointer || flags != 0)
        return leave(process, cudaErrorInvalidValue);
    char label[64];
    struct wm_error error;
    uint64_t address;
    name_label(process, "cuMemAddressReserve", label, sizeof label);
    wm_cuda_queue_pause_begin(&process->queue);
    enum wm_status status =
        wm_virtual_reserve(memory_of(process), bytes, alignment, hint, label, &address, &error);
    wm_cuda_queue_pause_end(&process->queue);
    if (status == WM_OK)
        *pointer = address;
    return leave(process, status_of("cuMemAddressReserve", status, &error));
}

WM_CUDA_API wm_driver_result cuMemAddressFree(wm_driver_pointer pointer, size_t bytes)
{
    struct wm_cuda_process *process;
    struct wm_error error;
    wm_driver_result entered = enter(&process);
    if (entered)
        return entered;
    wm_cuda_queue_pause_begin(&process->queue);
    enum wm_status status = wm_virtual_unreserve(memory_of(process), pointer, bytes, &error);
    wm_cuda_queue_pause_end(&process->queue);
    return leave(process, status_of("cuMemAddressFree", status, &error));
}

// ---- Memory ------------------------------------------------------------------------------------

static wm_cuda_status check_location(const struct wm_cuda_process *process, const char *function,
                                     const struct wm_cuda_location *location)
{
    if (location->type >= LOCATION_HOST_FIRST && location->type <= LOCATION_HOST_LAST) {
        wm_log_explain(WM_LOG_ERROR, "%s: memory on the host is not supported\n", function);
        return cudaErrorNotSupported;
    }
    if (location->type != LOCATION_DEVICE)
        return cudaErrorInvalidValue;
    wm_cuda_status status = wm_cuda_check_device(process, location->id);
    if (status != cudaSuccess || location->id == 0)
        return status;
    wm_log_explain(WM_LOG_ERROR,
                   "%s: memory for reserved addresses is device 0's, and used there: device %d is "
                   "not supported\n",
                   function, location->id);
    return cudaErrorNotSupported;
}

static wm_cuda_status check_properties(const struct wm_cuda_process *process, const char *function,
                                       const struct wm_driver_memory_properties *properties)
{
    if (!properties || properties->type != MEMORY_PINNED)
        return cudaErrorInvalidValue;
    if ((properties->handle_types & ~HANDLE_DESCRIPTOR) != 0 || properties->usage != 0) {
        wm_log_explain(WM_LOG_ERROR, "%s: %s are not supported\n", function,
                       properties->usage ? "pools of tiles"
                                         : "handles for other processes but file descriptors");
        return cudaErrorNotSupported;
    }
    return check_location(process, function, &properties->location);
}

static wm_cuda_status create(struct wm_cuda_process *process, size_t bytes, int handle_types,
                             wm_driver_memory_handle *handle)
{
    struct wm_virtual_memory *memory = memory_of(process);
    struct wm_physical_memory *made;
    struct wm_error error;
    char label[64];
    name_label(process, "cuMemCreate", label, sizeof label);
    wm_cuda_queue_pause_begin(&process->queue);
    enum wm_status status = handle_types
                                ? wm_virtual_create_shared(memory, bytes, label, &made, &error)
                                : wm_virtual_create(memory, bytes, label, &made, &error);
    if (status == WM_OK) {
        made->shareable = (uint32_t)handle_types;
        made->call = wm_run_check_call(&process->check);
        if (process->check.checker)
            wm_checker_allocated(process->check.checker, wm_virtual_canonical_of(memory, made),
                                 bytes);
        *handle = made->handle;
    }
    wm_cuda_queue_pause_end(&process->queue);
    return status_of("cuMemCreate", status, &error);
}

WM_CUDA_API wm_driver_result cuMemCreate(wm_driver_memory_handle *handle, size_t bytes,
                                         const struct wm_driver_memory_properties *properties,
                                         unsigned long long flags)
{
    struct wm_cuda_process *process;
    wm_driver_result entered = enter(&process);
    if (entered)
        return entered;
    wm_cuda_status status = handle && flags == 0
                                ? check_properties(process, "cuMemCreate", properties)
                                : cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        status = create(process, bytes, properties->handle_types, handle);
        // What cudaFreeAsync has left may be enough.
        if (status == cudaErrorMemoryAllocation && wm_cuda_wait_all(process) == cudaSuccess)
            status = create(process, bytes, properties->handle_types, handle);
    }
    return leave(process, status);
}

// The checker need not remember what of it was written when memory has gone.
static void forget_if_gone(struct wm_cuda_process *process, uint64_t handle, uint64_t canonical,
                           uint64_t bytes)
{
    if (process->check.checker && !wm_virtual_physical(memory_of(process), handle))
        wm_checker_written(process->check.checker, canonical, bytes);
}

WM_CUDA_API wm_driver_result cuMemRelease(wm_driver_memory_handle handle)
{
    struct wm_cuda_process *process;
    struct wm_error error;
    wm_driver_result entered = enter(&process);
    if (entered)
        return entered;
    struct wm_virtual_memory *memory = memory_of(process);
    wm_cuda_queue_pause_begin(&process->queue);
    const struct wm_physical_memory *physical = wm_virtual_physical(memory, handle);
    uint64_t canonical = physical ? wm_virtual_canonical_of(memory, physical) : 0;
    uint64_t bytes = physical ? physical->size_bytes : 0;
    enum wm_status status = wm_virtual_release(memory, handle, &error);
    if (status == WM_OK)
        forget_if_gone(process, handle, canonical, bytes);
    wm_cuda_queue_pause_end(&process->queue);
    return leave(process, status_of("cuMemRelease", status, &error));
}

WM_CUDA_API wm_driver_result cuMemGetAllocationGranularity(
    size_t *granularity, const struct wm_driver_memory_properties *properties, int option)
{
    struct wm_cuda_process *process;
    wm_driver_result entered = enter(&process);
    if (entered)
        return entered;
    wm_cuda_status status = cudaErrorInvalidValue;
    if (granularity && option >= 0 && option <= GRANULARITY_RECOMMENDED)
        status = check_properties(process, "cuMemGetAllocationGranularity", properties);
    if (status == cudaSuccess)
        *granularity = WM_MAPPING_GRANULARITY;
    return leave(process, status);
}

WM_CUDA_API wm_driver_result cuMemGetAllocationPropertiesFromHandle(
    struct wm_driver_memory_properties *properties, wm_driver_memory_handle handle)
{
    struct wm_cuda_process *process;
    wm_driver_result entered = enter(&process);
    if (entered)
        return entered;
    const struct wm_physical_memory *physical = wm_virtual_physical(memory_of(process), handle);
    if (!properties || !physical)
        return leave(process, cudaErrorInvalidValue);
    *properties = (struct wm_driver_memory_properties){
        .type = MEMORY_PINNED,
        .handle_types = (int)physical->shareable,
        .location = {LOCATION_DEVICE, 0},
    };
    return leave(process, cudaSuccess);
}

WM_CUDA_API wm_driver_result cuMemRetainAllocationHandle(wm_driver_memory_handle *handle,
                                                         void *pointer)
{
    struct wm_cuda_process *process;
    wm_driver_result entered = enter(&process);
    if (entered)
        return entered;
    const struct wm_mapping *mapping =
        wm_virtual_mapping_of(memory_of(process), (uint64_t)(uintptr_t)pointer);
    if (!handle || !mapping)
        return leave(process, cudaErrorInvalidValue);
    *handle = mapping->handle;
    struct wm_error error;
    enum wm_status status = wm_virtual_retain(memory_of(process), *handle, &error);
    return leave(process, status_of("cuMemRetainAllocationHandle", status, &error));
}

// ---- Mappings ----------------------------------------------------------------------------------

WM_CUDA_API wm_driver_result cuMemMap(wm_driver_pointer pointer, size_t bytes, size_t offset,
                                      wm_driver_memory_handle handle, unsigned long long flags)
{
    struct wm_cuda_process *process;
    struct wm_error error;
    wm_driver_result entered = enter(&process);
    if (entered)
        return entered;
    if (offset != 0 || flags != 0) // CUDA reserves both
        return leave(process, cudaErrorInvalidValue);
    wm_cuda_queue_pause_begin(&process->queue);
    enum wm_status status = wm_virtual_map(memory_of(process), pointer, bytes, handle, &error);
    wm_cuda_queue_pause_end(&process->queue);
    if (status == WM_OK)
        wm_cuda_push_record(process, WM_RECORDED_ALLOCATE, pointer, bytes);
    return leave(process, status_of("cuMemMap", status, &error));
}

// One mapping after the other, as the recording knows them.
static void unmap_each(struct wm_cuda_process *process, uint64_t address, uint64_t end)
{
    struct wm_virtual_memory *memory = memory_of(process);
    while (address < end) {
        struct wm_mapping mapping = *wm_virtual_mapping_of(memory, address);
        const struct wm_physical_memory *physical = wm_virtual_physical(memory, mapping.handle);
        uint64_t canonical = wm_virtual_canonical_of(memory, physical);
        uint64_t bytes = physical->size_bytes;
        (void)wm_virtual_unmap(memory, address, mapping.size_bytes, NULL);
        forget_if_gone(process, mapping.handle, canonical, bytes);
        wm_cuda_push_record(process, WM_RECORDED_FREE, address, 0);
        address += mapping.size_bytes;
    }
}

WM_CUDA_API wm_driver_result cuMemUnmap(wm_driver_pointer pointer, size_t bytes)
{
    struct wm_cuda_process *process;
    struct wm_error error;
    wm_driver_result entered = enter(&process);
    if (entered)
        return entered;
    wm_cuda_status status = wm_cuda_wait_all(process);
    if (status != cudaSuccess)
        return leave(process, status);
    wm_cuda_queue_pause_begin(&process->queue);
    if (wm_virtual_is_whole(memory_of(process), pointer, bytes))
        unmap_each(process, pointer, pointer + bytes);
    else
        status = status_of("cuMemUnmap",
                           wm_virtual_unmap(memory_of(process), pointer, bytes, &error), &error);
    wm_cuda_queue_pause_end(&process->queue);
    return leave(process, status);
}

static wm_cuda_status set_access(struct wm_cuda_process *process, uint64_t address, uint64_t bytes,
                                 const struct wm_driver_access *access)
{
    int flags = access->flags;
    wm_cuda_status status = check_location(process, "cuMemSetAccess", &access->location);
    if (status == cudaSuccess && flags != WM_MAPPING_NO_ACCESS && flags != WM_MAPPING_READ &&
        flags != WM_MAPPING_READ_WRITE)
        status = cudaErrorInvalidValue;
    // A kernel may run on while more becomes accessible; what is issued keeps the access it had.
    if (status == cudaSuccess && flags != WM_MAPPING_READ_WRITE)
        status = wm_cuda_wait_all(process);
    if (status != cudaSuccess)
        return status;
    struct wm_error error;
    wm_cuda_queue_pause_begin(&process->queue);
    enum wm_status set = wm_virtual_set_access(memory_of(process), address, bytes,
                                               (enum wm_mapping_access)flags, &error);
    wm_cuda_queue_pause_end(&process->queue);
    return status_of("cuMemSetAccess", set, &error);
}

WM_CUDA_API wm_driver_result cuMemSetAccess(wm_driver_pointer pointer, size_t bytes,
                                            const struct wm_driver_access *accesses, size_t count)
{
    struct wm_cuda_process *process;
    wm_driver_result entered = enter(&process);
    if (entered)
        return entered;
    wm_cuda_status status = accesses && count > 0 ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; i < count && status == cudaSuccess; i++)
        status = set_access(process, pointer, bytes, &accesses[i]);
    return leave(process, status);
}

WM_CUDA_API wm_driver_result cuMemGetAccess(unsigned long long *flags,
                                            const struct wm_cuda_location *location,
                                            wm_driver_pointer pointer)
{
    struct wm_cuda_process *process;
    wm_driver_result entered = enter(&process);
    if (entered)
        return entered;
    const struct wm_mapping *mapping = wm_virtual_mapping_of(memory_of(process), pointer);
    if (!flags || !location || !mapping || location->type < LOCATION_DEVICE ||
        location->type > LOCATION_HOST_LAST)
        return leave(process, cudaErrorInvalidValue);
    if (location->type == LOCATION_DEVICE &&
        wm_cuda_check_device(process, location->id) != cudaSuccess)
        return leave(process, cudaErrorInvalidDevice);
    *flags = location->type == LOCATION_DEVICE && location->id == 0 ? mapping->access
                                                                    : WM_MAPPING_NO_ACCESS;
    return leave(process, cudaSuccess);
}

// ---- For other processes -----------------------------------------------------------------------

static void expect_writes(struct wm_cuda_process *process,
                          const struct wm_physical_memory *physical)
{
    wm_cuda_expect_writes(process, wm_virtual_canonical_of(memory_of(process), physical),
                          physical->size_bytes);
}

// A descriptor of the program's own, which keeps the memory as long as it is open. In a pause, as
// the checker is the worker's while commands run.
static wm_cuda_status export_descriptor(struct wm_cuda_process *process,
                                        wm_driver_memory_handle handle, int *descriptor)
{
    const struct wm_physical_memory *physical = wm_virtual_physical(memory_of(process), handle);
    if (!physical || (physical->shareable & HANDLE_DESCRIPTOR) == 0)
        return cudaErrorInvalidValue;
    int made = fcntl(physical->file, F_DUPFD_CLOEXEC, 0);
    if (made < 0)
        return cudaErrorOperatingSystem;
    expect_writes(process, physical);
    *descriptor = made;
    return cudaSuccess;
}

WM_CUDA_API wm_driver_result cuMemExportToShareableHandle(void *shareable,
                                                          wm_driver_memory_handle handle, int type,
                                                          unsigned long long flags)
{
    struct wm_cuda_process *process;
    wm_driver_result entered = enter(&process);
    if (entered)
        return entered;
    if (!shareable || flags != 0 || type != HANDLE_DESCRIPTOR)
        return leave(process, cudaErrorInvalidValue);
    wm_cuda_queue_pause_begin(&process->queue);
    wm_cuda_status status = export_descriptor(process, handle, shareable);
    wm_cuda_queue_pause_end(&process->queue);
    return leave(process, status);
}

// Memory that this process has already is the same memory once more.
static const struct wm_physical_memory *find_file(const struct wm_virtual_memory *memory,
                                                  uint64_t node)
{
    uint32_t count;
    const struct wm_physical_memory *all = wm_virtual_physicals(memory, &count);
    for (uint32_t i = 0; i < count; i++)
        if (all[i].file >= 0 && wm_shared_file_node(all[i].file) == node)
            return &all[i];
    return NULL;
}

static wm_cuda_status import_descriptor(struct wm_cuda_process *process, int descriptor,
                                        wm_driver_memory_handle *handle)
{
    static const char function[] = "cuMemImportFromShareableHandle";
    if (!wm_shared_file_is(descriptor, "physical"))
        return cudaErrorInvalidValue;
    struct wm_virtual_memory *memory = memory_of(process);
    struct wm_error error;
    char label[64];
    name_label(process, function, label, sizeof label);
    wm_cuda_queue_pause_begin(&process->queue);
    const struct wm_physical_memory *known = find_file(memory, wm_shared_file_node(descriptor));
    struct wm_physical_memory *imported = NULL;
    enum wm_status status = known ? wm_virtual_retain(memory, known->handle, &error)
                                  : wm_virtual_import(memory, descriptor, label, &imported, &error);
    if (imported) {
        imported->shareable = HANDLE_DESCRIPTOR;
        imported->call = wm_run_check_call(&process->check);
        expect_writes(process, imported);
    }
    if (status == WM_OK)
        *handle = known ? known->handle : imported->handle;
    wm_cuda_queue_pause_end(&process->queue);
    return status_of(function, status, &error);
}

// `shareable` is the descriptor itself.
WM_CUDA_API wm_driver_result cuMemImportFromShareableHandle(wm_driver_memory_handle *handle,
                                                            void *shareable, int type)
{
    struct wm_cuda_process *process;
    wm_driver_result entered = enter(&process);
    if (entered)
        return entered;
    wm_cuda_status status = handle && type == HANDLE_DESCRIPTOR
                                ? import_descriptor(process, (int)(intptr_t)shareable, handle)
                                : cudaErrorInvalidValue;
    return leave(process, status);
}
