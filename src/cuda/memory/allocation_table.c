#include "cuda/memory/allocation_table.h"

#include "base/containers/array.h"
#include "cuda/device/device_commands.h"
#include "cuda/device/device_properties.h"
#include "cuda/error/log.h"
#include "cuda/memory/pool.h"
#include "cuda/memory/range_advice.h"
#include "cuda/run/memory_names.h"
#include "engine/check/check.h"

#include <stdlib.h>

// Waiting for a pause lets other host threads in, so whatever is looked up in the table is looked
// up between the pause's begin and its end, where this thread alone holds the process.

static bool reserve_entry(struct wm_cuda_process *process)
{
    return WM_ARRAY_RESERVE(process->allocations, process->allocation_count,
                            process->allocation_capacity, 1);
}

static void add_entry(struct wm_cuda_process *process, uint64_t address, uint64_t size_bytes,
                      enum wm_allocation_kind kind, unsigned flags)
{
    wm_cuda_forget_advice(process, address, size_bytes);
    process->allocations[process->allocation_count++] = (struct wm_cuda_allocation){
        .address = address,
        .size_bytes = size_bytes,
        .kind = kind,
        .flags = flags,
        .device = wm_cuda_thread()->device,
        .context = wm_cuda_thread()->context,
    };
    wm_memory_calls_add(process, address);
}

static enum wm_status try_allocate(struct wm_cuda_process *process, uint64_t size_bytes,
                                   enum wm_allocation_kind kind, unsigned flags, const char *label,
                                   uint64_t *address)
{
    wm_cuda_queue_pause_begin(&process->queue);
    enum wm_status status = WM_NO_MEMORY;
    if (reserve_entry(process))
        status = wm_device_memory_allocate_on(process->memory, wm_cuda_thread()->device, size_bytes,
                                              WM_CUDA_ALIGNMENT_BYTES, kind, label, address, NULL);
    if (status == WM_OK) {
        add_entry(process, *address, size_bytes, kind, flags);
        wm_run_check_allocated(&process->check,
                               &process->allocations[process->allocation_count - 1]);
    }
    wm_cuda_queue_pause_end(&process->queue);
    if (status == WM_OK)
        wm_cuda_push_record(process, WM_RECORDED_ALLOCATE, *address, size_bytes);
    return status;
}

wm_cuda_status wm_cuda_allocate(struct wm_cuda_process *process, uint64_t size_bytes,
                                enum wm_allocation_kind kind, unsigned flags, const char *function,
                                void **pointer)
{
    char label[64];
    snprintf(label, sizeof label, "%s #%llu", function,
             (unsigned long long)++process->malloc_count);
    uint64_t address = 0;
    enum wm_status status = try_allocate(process, size_bytes, kind, flags, label, &address);
    if (status == WM_NO_MEMORY) {
        wm_cuda_status sticky = wm_cuda_wait_all(process);
        if (sticky != cudaSuccess)
            return sticky;
        status = try_allocate(process, size_bytes, kind, flags, label, &address);
    }
    if (status != WM_OK)
        return status == WM_NO_MEMORY ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    *pointer = (void *)(uintptr_t)address;
    return cudaSuccess;
}

static wm_cuda_status register_paused(struct wm_cuda_process *process, void *host,
                                      uint64_t size_bytes, unsigned flags)
{
    uint64_t address = (uint64_t)(uintptr_t)host;
    for (uint32_t i = 0; i < process->allocation_count; i++) {
        const struct wm_cuda_allocation *other = &process->allocations[i];
        if (address < other->address + other->size_bytes && other->address < address + size_bytes)
            return cudaErrorHostMemoryAlreadyRegistered;
    }
    if (!reserve_entry(process))
        return cudaErrorMemoryAllocation;
    enum wm_status status = wm_device_memory_register(process->memory, host, size_bytes, NULL);
    if (status != WM_OK)
        return status == WM_NO_MEMORY ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    add_entry(process, address, size_bytes, WM_ALLOCATION_REGISTERED, flags);
    return cudaSuccess;
}

wm_cuda_status wm_cuda_register_host(struct wm_cuda_process *process, void *host,
                                     uint64_t size_bytes, unsigned flags)
{
    wm_cuda_queue_pause_begin(&process->queue);
    wm_cuda_status status = register_paused(process, host, size_bytes, flags);
    wm_cuda_queue_pause_end(&process->queue);
    return status;
}

struct wm_cuda_allocation *wm_cuda_allocation_at(struct wm_cuda_process *process, uint64_t address)
{
    // Programs mostly free what they allocated last.
    for (uint32_t i = process->allocation_count; i-- > 0;) {
        struct wm_cuda_allocation *allocation = &process->allocations[i];
        if (allocation->address == address && !allocation->freed_after)
            return allocation;
    }
    return NULL;
}

struct wm_cuda_allocation *wm_cuda_allocation_of(struct wm_cuda_process *process, uint64_t address)
{
    for (uint32_t i = process->allocation_count; i-- > 0;) {
        struct wm_cuda_allocation *allocation = &process->allocations[i];
        if (address >= allocation->address &&
            address - allocation->address < allocation->size_bytes)
            return allocation;
    }
    return NULL;
}

int wm_cuda_device_of(struct wm_cuda_process *process, const struct wm_allocation *allocation)
{
    uint32_t device = wm_device_memory_gpu_of(process->memory, allocation);
    if (device < WM_MOST_GPUS)
        return (int)device;
    const struct wm_cuda_allocation *entry = wm_cuda_allocation_of(process, allocation->address);
    return entry ? (int)entry->device : 0;
}

// ---- Memory of several processes ---------------------------------------------------------------

static wm_cuda_status status_of(enum wm_status status, const struct wm_error *error)
{
    if (status == WM_OK)
        return cudaSuccess;
    wm_log_explain(WM_LOG_ERROR, "%s\n", error->message);
    return status == WM_NO_MEMORY ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
}

void wm_cuda_expect_writes(struct wm_cuda_process *process, uint64_t address, uint64_t size_bytes)
{
    if (process->check.checker)
        wm_checker_written(process->check.checker, address, size_bytes);
}

wm_cuda_status wm_cuda_share(struct wm_cuda_process *process, uint64_t address,
                             struct wm_shared_place *place)
{
    struct wm_error error;
    wm_cuda_queue_pause_begin(&process->queue);
    wm_cuda_status status = cudaErrorInvalidValue;
    if (wm_device_memory_find(process->memory, address)) {
        status = status_of(wm_device_memory_share(process->memory, address, place, &error), &error);
        if (status == cudaSuccess)
            wm_cuda_expect_writes(process, address, place->size_bytes);
    }
    wm_cuda_queue_pause_end(&process->queue);
    return status;
}

static wm_cuda_status import_paused(struct wm_cuda_process *process,
                                    const struct wm_shared_place *place, const char *label)
{
    struct wm_error error;
    uint64_t address;
    if (!reserve_entry(process))
        return cudaErrorMemoryAllocation;
    enum wm_status status = wm_device_memory_import(process->memory, wm_cuda_thread()->device,
                                                    place, label, &address, &error);
    if (status != WM_OK)
        return status_of(status, &error);
    add_entry(process, address, place->size_bytes, WM_ALLOCATION_IMPORTED, 0);
    wm_run_check_allocated(&process->check, &process->allocations[process->allocation_count - 1]);
    return cudaSuccess;
}

wm_cuda_status wm_cuda_import(struct wm_cuda_process *process, const struct wm_shared_place *place,
                              const char *function, struct wm_cuda_allocation **imported)
{
    char label[64];
    snprintf(label, sizeof label, "%s #%llu", function,
             (unsigned long long)++process->malloc_count);
    wm_cuda_queue_pause_begin(&process->queue);
    wm_cuda_status status = import_paused(process, place, label);
    if (status == cudaSuccess)
        *imported = &process->allocations[process->allocation_count - 1];
    wm_cuda_queue_pause_end(&process->queue);
    if (status == cudaSuccess)
        wm_cuda_push_record(process, WM_RECORDED_ALLOCATE, (*imported)->address,
                            (*imported)->size_bytes);
    return status;
}

// ---- Freeing -----------------------------------------------------------------------------------

static void leave_pool(struct wm_cuda_process *process, struct wm_cuda_allocation *allocation)
{
    if (allocation->pool)
        wm_cuda_pool_freed(process, allocation->pool, allocation->size_bytes);
    allocation->pool = NULL;
}

void wm_cuda_free_later(struct wm_cuda_process *process, uint64_t address)
{
    struct wm_cuda_allocation *allocation = wm_cuda_allocation_at(process, address);
    if (!allocation)
        return;
    leave_pool(process, allocation);
    allocation->freed_after = process->queue.issued ? process->queue.issued : 1;
}

static wm_cuda_status release_paused(struct wm_cuda_process *process, uint64_t address)
{
    struct wm_cuda_allocation *allocation = wm_cuda_allocation_at(process, address);
    // Gone when another host thread was faster.
    if (!allocation || wm_device_memory_release(process->memory, address, NULL) != WM_OK)
        return cudaErrorInvalidValue;
    wm_cuda_push_record(process, WM_RECORDED_FREE, address, 0);
    leave_pool(process, allocation);
    // The rest stays in order, so that walks over the table do not depend on what was freed.
    uint32_t index = (uint32_t)(allocation - process->allocations);
    for (uint32_t i = index + 1; i < process->allocation_count; i++)
        process->allocations[i - 1] = process->allocations[i];
    process->allocation_count--;
    return cudaSuccess;
}

wm_cuda_status wm_cuda_release(struct wm_cuda_process *process, uint64_t address)
{
    wm_cuda_status status = wm_cuda_wait_all(process);
    if (status != cudaSuccess)
        return status;
    wm_cuda_queue_pause_begin(&process->queue);
    status = release_paused(process, address);
    wm_cuda_queue_pause_end(&process->queue);
    return status;
}
