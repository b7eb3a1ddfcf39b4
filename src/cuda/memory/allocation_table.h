// The program's allocations, as the API made them; device memory has a table of its own, with
// addresses and kinds alone. With the process locked.
#ifndef WM_CUDA_ALLOCATION_TABLE_H
#define WM_CUDA_ALLOCATION_TABLE_H

#include "cuda/process.h"

// Allocates on the current device while a running kernel is paused between two turns. 2 when memory
// is exhausted, after waiting for what cudaFreeAsync has left.
wm_cuda_status wm_cuda_allocate(struct wm_cuda_process *process, uint64_t size_bytes,
                                enum wm_allocation_kind kind, unsigned flags, const char *function,
                                void **pointer);
wm_cuda_status wm_cuda_register_host(struct wm_cuda_process *process, void *host,
                                     uint64_t size_bytes, unsigned flags);
// The allocation that starts at `address` and has not been freed, or NULL.
struct wm_cuda_allocation *wm_cuda_allocation_at(struct wm_cuda_process *process, uint64_t address);
// The allocation that holds `address`, or NULL.
struct wm_cuda_allocation *wm_cuda_allocation_of(struct wm_cuda_process *process, uint64_t address);
// The device that an allocation of device memory is on: that of its memory, of the host's memory
// the one that was current.
int wm_cuda_device_of(struct wm_cuda_process *process, const struct wm_allocation *allocation);
// What other processes write is not seen: all of it counts as written. In a pause, as the checker
// is the worker's while commands run; harmless without a checker.
void wm_cuda_expect_writes(struct wm_cuda_process *process, uint64_t address, uint64_t size_bytes);
// Where another process finds the bytes of an allocation, and another process's bytes as an
// allocation of this one: device_memory.h. 2 when the host refuses; 1 for what is not there.
wm_cuda_status wm_cuda_share(struct wm_cuda_process *process, uint64_t address,
                             struct wm_shared_place *place);
wm_cuda_status wm_cuda_import(struct wm_cuda_process *process, const struct wm_shared_place *place,
                              const char *function, struct wm_cuda_allocation **imported);
// What starts at `address` is released when the host next waits for what has been issued by now.
void wm_cuda_free_later(struct wm_cuda_process *process, uint64_t address);
// Waits for the device, as cudaFree does, and releases what starts at `address`.
wm_cuda_status wm_cuda_release(struct wm_cuda_process *process, uint64_t address);

#endif
