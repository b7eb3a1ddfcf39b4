#include "cuda/memory/pool.h"

#include "cuda/memory/allocation_table.h"

#include <stdlib.h>
#include <unistd.h>

wm_cuda_status wm_cuda_pool_new(struct wm_cuda_process *process, uint32_t device,
                                uint64_t max_bytes, struct wm_cuda_pool **pool)
{
    struct wm_cuda_pool *made = calloc(1, sizeof *made);
    if (!made || !wm_cuda_handle_add(&process->handles, made, WM_CUDA_HANDLE_POOL)) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    *made = (struct wm_cuda_pool){.next = process->pools,
                                  .device = device,
                                  .max_bytes = max_bytes,
                                  .reuse = {1, 1, 1},
                                  .file = -1};
    process->pools = made;
    *pool = made;
    return cudaSuccess;
}

wm_cuda_status wm_cuda_pool_default(struct wm_cuda_process *process, uint32_t device,
                                    struct wm_cuda_pool **pool)
{
    struct wm_cuda_pool **own = &process->devices[device].default_pool;
    if (!*own) {
        wm_cuda_status status = wm_cuda_pool_new(process, device, 0, own);
        if (status != cudaSuccess)
            return status;
    }
    *pool = *own;
    return cudaSuccess;
}

wm_cuda_status wm_cuda_pool_current(struct wm_cuda_process *process, uint32_t device,
                                    struct wm_cuda_pool **pool)
{
    if (!process->devices[device].current_pool)
        return wm_cuda_pool_default(process, device, pool);
    *pool = process->devices[device].current_pool;
    return cudaSuccess;
}

bool wm_cuda_pool_known(const struct wm_cuda_process *process, const struct wm_cuda_pool *pool)
{
    return wm_cuda_handle_known(&process->handles, pool, WM_CUDA_HANDLE_POOL);
}

static void free_pool(struct wm_cuda_pool *pool)
{
    if (pool->file >= 0)
        close(pool->file);
    free(pool);
}

static void remove_pool(struct wm_cuda_process *process, struct wm_cuda_pool *pool)
{
    struct wm_cuda_pool **link = &process->pools;
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    free_pool(pool);
}

wm_cuda_status wm_cuda_pool_destroy(struct wm_cuda_process *process, struct wm_cuda_pool *pool)
{
    struct wm_cuda_device *device = &process->devices[pool->device];
    if (pool == device->default_pool)
        return cudaErrorInvalidValue;
    wm_cuda_handle_remove(&process->handles, pool);
    if (device->current_pool == pool)
        device->current_pool = NULL;
    pool->destroyed = true;
    if (pool->allocations == 0)
        remove_pool(process, pool);
    return cudaSuccess;
}

static void raise_to(uint64_t *high, uint64_t value)
{
    if (*high < value)
        *high = value;
}

static void count_allocation(struct wm_cuda_pool *pool, struct wm_cuda_allocation *allocation)
{
    allocation->pool = pool;
    pool->used += allocation->size_bytes;
    raise_to(&pool->used_high, pool->used);
    raise_to(&pool->reserved, pool->used);
    raise_to(&pool->reserved_high, pool->reserved);
}

// The allocation table changes while no command looks at memory.
static void grant(struct wm_cuda_process *process, uint64_t address, uint32_t devices)
{
    wm_cuda_queue_pause_begin(&process->queue);
    wm_device_memory_grant(process->memory, address, devices);
    wm_cuda_queue_pause_end(&process->queue);
}

void wm_cuda_pool_grant(struct wm_cuda_process *process, struct wm_cuda_pool *pool, uint32_t device,
                        bool access)
{
    uint32_t bit = UINT32_C(1) << device;
    if (device == pool->device)
        return;
    pool->granted = access ? pool->granted | bit : pool->granted & ~bit;
    for (uint32_t i = 0; i < process->allocation_count; i++)
        if (process->allocations[i].pool == pool)
            grant(process, process->allocations[i].address, pool->granted);
}

wm_cuda_status wm_cuda_pool_allocate(struct wm_cuda_process *process, struct wm_cuda_pool *pool,
                                     uint64_t size_bytes, void **pointer)
{
    if (pool->max_bytes &&
        (size_bytes > pool->max_bytes || pool->used > pool->max_bytes - size_bytes))
        return cudaErrorMemoryAllocation;
    pool->allocations++; // it must not go while other host threads are let in
    uint32_t before = wm_cuda_use_device(pool->device);
    wm_cuda_status status =
        wm_cuda_allocate(process, size_bytes, WM_ALLOCATION_DEVICE, 0, "cudaMallocAsync", pointer);
    (void)wm_cuda_use_device(before);
    if (status != cudaSuccess) {
        wm_cuda_pool_freed(process, pool, 0);
        return status;
    }
    uint64_t address = (uint64_t)(uintptr_t)*pointer;
    count_allocation(pool, wm_cuda_allocation_at(process, address));
    if (process->device_count > 1)
        grant(process, address, pool->granted);
    return cudaSuccess;
}

wm_cuda_status wm_cuda_pool_import(struct wm_cuda_process *process, struct wm_cuda_pool *pool,
                                   const struct wm_shared_place *place, void **pointer)
{
    struct wm_cuda_allocation *imported;
    pool->allocations++;
    wm_cuda_status status = wm_cuda_import(process, place, "cudaMemPoolImportPointer", &imported);
    if (status != cudaSuccess) {
        wm_cuda_pool_freed(process, pool, 0);
        return status;
    }
    count_allocation(pool, imported);
    *pointer = (void *)(uintptr_t)imported->address;
    return cudaSuccess;
}

void wm_cuda_pool_freed(struct wm_cuda_process *process, struct wm_cuda_pool *pool,
                        uint64_t size_bytes)
{
    pool->used -= size_bytes;
    pool->allocations--;
    if (pool->destroyed && pool->allocations == 0)
        remove_pool(process, pool);
}

void wm_cuda_pool_trim(struct wm_cuda_pool *pool, uint64_t keep_bytes)
{
    uint64_t least = keep_bytes > pool->used ? keep_bytes : pool->used;
    if (pool->reserved > least)
        pool->reserved = least;
}

void wm_cuda_pools_synchronized(struct wm_cuda_process *process)
{
    for (struct wm_cuda_pool *pool = process->pools; pool; pool = pool->next)
        wm_cuda_pool_trim(pool, pool->threshold);
}

void wm_cuda_reset_pools(struct wm_cuda_process *process, uint32_t device)
{
    for (struct wm_cuda_pool **link = &process->pools; *link;) {
        struct wm_cuda_pool *pool = *link;
        if (pool->device != device) {
            link = &pool->next;
            continue;
        }
        *link = pool->next;
        wm_cuda_handle_remove(&process->handles, pool);
        free_pool(pool);
    }
}
