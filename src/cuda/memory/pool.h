// Memory pools: what cudaMallocAsync allocates from. The memory comes from the device's own table
// and goes back when the host waits for its free; a pool counts what is in use, and what it would
// hold on a device. With the process locked.
#ifndef WM_CUDA_POOL_H
#define WM_CUDA_POOL_H

#include "cuda/graph/graph_types.h"
#include "cuda/process.h"

// cudaMemPoolAttr
enum wm_cuda_pool_attribute {
    WM_CUDA_POOL_REUSE_EVENTS = 1,
    WM_CUDA_POOL_REUSE_OPPORTUNISTIC = 2,
    WM_CUDA_POOL_REUSE_INTERNAL = 3,
    WM_CUDA_POOL_THRESHOLD = 4,
    WM_CUDA_POOL_RESERVED = 5,
    WM_CUDA_POOL_RESERVED_HIGH = 6,
    WM_CUDA_POOL_USED = 7,
    WM_CUDA_POOL_USED_HIGH = 8,
};

struct wm_cuda_pool {
    struct wm_cuda_pool *next; // the process's
    uint32_t device;           // that it lies on
    uint32_t granted;          // other devices that may access its memory, bit by number
    uint64_t max_bytes;        // 0: the device's
    int reuse[3];              // as set; nothing is reused before the host waits
    uint64_t threshold, used, used_high, reserved, reserved_high; // bytes
    uint32_t allocations;
    bool destroyed; // it goes with its last allocation
    bool shareable; // other processes may import it
    int file;       // of an imported pool: the other process's memory; else -1
};

// Every device has one pool from the beginning. 2 without memory.
wm_cuda_status wm_cuda_pool_default(struct wm_cuda_process *process, uint32_t device,
                                    struct wm_cuda_pool **pool);
// The one that cudaMallocAsync uses.
wm_cuda_status wm_cuda_pool_current(struct wm_cuda_process *process, uint32_t device,
                                    struct wm_cuda_pool **pool);
wm_cuda_status wm_cuda_pool_new(struct wm_cuda_process *process, uint32_t device,
                                uint64_t max_bytes, struct wm_cuda_pool **pool);
// Kernels on another device may access the pool's memory, what is allocated later too; or not.
void wm_cuda_pool_grant(struct wm_cuda_process *process, struct wm_cuda_pool *pool, uint32_t device,
                        bool access);
bool wm_cuda_pool_known(const struct wm_cuda_process *process, const struct wm_cuda_pool *pool);
// 1 for the default pool. The current pool becomes the default one.
wm_cuda_status wm_cuda_pool_destroy(struct wm_cuda_process *process, struct wm_cuda_pool *pool);

// 2 when the pool may not grow so far, or the device is full.
wm_cuda_status wm_cuda_pool_allocate(struct wm_cuda_process *process, struct wm_cuda_pool *pool,
                                     uint64_t size_bytes, void **pointer);
// Another process's allocation of the pool that was imported.
wm_cuda_status wm_cuda_pool_import(struct wm_cuda_process *process, struct wm_cuda_pool *pool,
                                   const struct wm_shared_place *place, void **pointer);
// The program has freed something of it.
void wm_cuda_pool_freed(struct wm_cuda_process *process, struct wm_cuda_pool *pool,
                        uint64_t size_bytes);
// Gives back what is reserved beyond what is in use and what shall be kept.
void wm_cuda_pool_trim(struct wm_cuda_pool *pool, uint64_t keep_bytes);
// The host has waited: every pool keeps as much as its threshold says.
void wm_cuda_pools_synchronized(struct wm_cuda_process *process);
// Those of a device are gone.
void wm_cuda_reset_pools(struct wm_cuda_process *process, uint32_t device);

#endif
