// The simulated device's global memory: one range of addresses, the same on every run, whose
// device address is also the host address of the bytes (so managed and pinned memory need no
// translation). Allocation is first fit in address order with the runtime's 256-byte alignment,
// and deterministic: the same calls give the same addresses.
//
// Thread rules: allocation and release under the owner's lock; wm_device_memory_find is a pure
// read and must not run beside a change.
#ifndef WM_EXEC_DEVICE_MEMORY_H
#define WM_EXEC_DEVICE_MEMORY_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define WM_DEVICE_BASE UINT64_C(0x200000000000) // first device address
// Windows of generic addresses (PTX ISA 5.1): not backed by host memory.
#define WM_SHARED_WINDOW UINT64_C(0x100000000000) // generic = window + offset in the block's shared
#define WM_LOCAL_WINDOW UINT64_C(0x110000000000)  // generic = window + offset in the thread's local
#define WM_WINDOW_BYTES UINT64_C(0x1000000000)

enum wm_allocation_kind {
    WM_ALLOCATION_DEVICE,     // cudaMalloc
    WM_ALLOCATION_MANAGED,    // cudaMallocManaged, __managed__
    WM_ALLOCATION_HOST,       // cudaHostAlloc, cudaMallocHost: reachable from the device
    WM_ALLOCATION_REGISTERED, // host memory of the program's own, made reachable
    WM_ALLOCATION_VARIABLE,   // a module's __device__ variable
    WM_ALLOCATION_CONSTANT,   // a module's __constant__ variable
    WM_ALLOCATION_MAPPED,     // physical memory behind reserved addresses: virtual_memory.h
};

struct wm_allocation {
    uint64_t address, size_bytes;
    enum wm_allocation_kind kind;
    bool freed;     // kept for messages: "freed allocation of 4096 bytes"
    bool read_only; // kernels may not write it
    char label[64]; // "cudaMalloc #3", "variable table"
};

struct wm_device_memory;
struct wm_virtual_memory;

// Reserves address space for `capacity_bytes` (WM_NO_MEMORY when the host refuses).
enum wm_status wm_device_memory_new(uint64_t capacity_bytes, struct wm_device_memory **memory,
                                    struct wm_error *error);
void wm_device_memory_free(struct wm_device_memory *memory);

// Zero bytes is WM_INVALID; beyond capacity WM_NO_MEMORY. The bytes are zero. Device memory and
// variables take capacity; managed and pinned memory take addresses only. At least 256 unowned
// bytes follow each allocation, so that running over an end is found.
enum wm_status wm_device_memory_allocate(struct wm_device_memory *memory, uint64_t size_bytes,
                                         uint64_t alignment, enum wm_allocation_kind kind,
                                         const char *label, uint64_t *address,
                                         struct wm_error *error);
// Makes host bytes reachable from kernels at their own address.
enum wm_status wm_device_memory_register(struct wm_device_memory *memory, void *host,
                                         uint64_t size_bytes, struct wm_error *error);
// WM_INVALID when `address` is not the start of a live allocation.
enum wm_status wm_device_memory_release(struct wm_device_memory *memory, uint64_t address,
                                        struct wm_error *error);
// The live allocation that holds `address`, or NULL.
const struct wm_allocation *wm_device_memory_find(const struct wm_device_memory *memory,
                                                  uint64_t address);
// The same for a range of bytes, all of which must be allocated; mapped memory may be several
// mappings without a gap, of which it is the first. With `write`, none of it may be read-only.
const struct wm_allocation *wm_device_memory_find_range(const struct wm_device_memory *memory,
                                                        uint64_t address, uint64_t size_bytes,
                                                        bool write);
// Whether the address is one of the device's, allocated or not: no host memory can be there.
bool wm_device_memory_owns(const struct wm_device_memory *memory, uint64_t address);
// The allocation (live or freed) nearest to `address`, for messages; NULL when there is none.
const struct wm_allocation *wm_device_memory_nearest(const struct wm_device_memory *memory,
                                                     uint64_t address);
// Whether the host can write it too: managed, pinned and registered memory.
static inline bool wm_device_memory_host_writes(enum wm_allocation_kind kind)
{
    return kind == WM_ALLOCATION_MANAGED || kind == WM_ALLOCATION_HOST ||
           kind == WM_ALLOCATION_REGISTERED;
}
// How many allocations of these kinds there are.
uint64_t wm_device_memory_host_count(const struct wm_device_memory *memory);
uint64_t wm_device_memory_used(const struct wm_device_memory *memory);
uint64_t wm_device_memory_capacity(const struct wm_device_memory *memory);
// Changes with every allocation and release: whoever keeps what wm_device_memory_find said, keeps
// this beside it.
uint64_t wm_device_memory_generation(const struct wm_device_memory *memory);
// Reservations and mappings of this memory; never NULL.
struct wm_virtual_memory *wm_device_memory_virtual(const struct wm_device_memory *memory);

// For virtual memory: capacity for what can be mapped (WM_NO_MEMORY when it is not left), and
// records of what is mapped and may be accessed.
enum wm_status wm_device_memory_take(struct wm_device_memory *memory, uint64_t size_bytes,
                                     struct wm_error *error);
void wm_device_memory_return(struct wm_device_memory *memory, uint64_t size_bytes);
enum wm_status wm_device_memory_show(struct wm_device_memory *memory,
                                     const struct wm_allocation *record, struct wm_error *error);
void wm_device_memory_hide(struct wm_device_memory *memory, uint64_t address);

#endif
