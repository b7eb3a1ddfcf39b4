// The simulated device's global memory: one range of addresses, the same on every run, whose
// device address is also the host address of the bytes (so managed and pinned memory need no
// translation). Allocation is first fit in address order with the runtime's 256-byte alignment,
// and deterministic: the same calls give the same addresses.
//
// A machine with several GPUs has a range for each (base/access/gpu_addresses.h), and one for the
// host's memory, which is no GPU's.
//
// Thread rules: allocation and release under the owner's lock; wm_device_memory_find is a pure
// read and must not run concurrently with a change.
#ifndef WM_EXEC_MEMORY_DEVICE_MEMORY_H
#define WM_EXEC_MEMORY_DEVICE_MEMORY_H

#include "base/access/gpu_addresses.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_HOST_BASE UINT64_C(0x400000000000) // of pinned memory beside several GPUs
// Windows of generic addresses (PTX ISA 5.1): not backed by host memory.
#define WM_SHARED_WINDOW UINT64_C(0x100000000000) // generic = window + offset in the block's shared
#define WM_LOCAL_WINDOW UINT64_C(0x110000000000)  // generic = window + offset in the thread's local
#define WM_PARAMETER_WINDOW UINT64_C(0x120000000000) // of kernel parameters (cvta.param)
#define WM_WINDOW_BYTES UINT64_C(0x1000000000)

enum wm_allocation_kind {
    WM_ALLOCATION_DEVICE,     // cudaMalloc
    WM_ALLOCATION_MANAGED,    // cudaMallocManaged, __managed__
    WM_ALLOCATION_HOST,       // cudaHostAlloc, cudaMallocHost: reachable from the device
    WM_ALLOCATION_REGISTERED, // host memory of the program's own, made reachable
    WM_ALLOCATION_VARIABLE,   // a module's __device__ variable
    WM_ALLOCATION_CONSTANT,   // a module's __constant__ variable
    WM_ALLOCATION_MAPPED,     // physical memory behind reserved addresses: virtual_memory.h
    WM_ALLOCATION_IMPORTED,   // device memory of another process
};

struct wm_allocation {
    uint64_t address, size_bytes;
    enum wm_allocation_kind kind;
    bool freed;     // kept for messages: "freed allocation of 4096 bytes"
    bool read_only; // kernels may not write it
    bool shared;    // another process may have it too
    // Of several GPUs: others that may access it are these, bit by number, not those that its GPU
    // is a peer of.
    bool only_granted;
    uint32_t granted;
    char label[64]; // "cudaMalloc #3", "variable table"
};

struct wm_device_memory;
struct wm_virtual_memory;

// Reserves address space for `capacity_bytes` (WM_NO_MEMORY when the host refuses).
enum wm_status wm_device_memory_new(uint64_t capacity_bytes, struct wm_device_memory **memory,
                                    struct wm_error *error);
// The same of so many GPUs, at most WM_MOST_GPUS, with that capacity each.
enum wm_status wm_device_memory_new_of_gpus(uint64_t capacity_bytes, uint32_t gpus,
                                            struct wm_device_memory **memory,
                                            struct wm_error *error);
void wm_device_memory_free(struct wm_device_memory *memory);
uint32_t wm_device_memory_gpus(const struct wm_device_memory *memory);

// Zero bytes is WM_INVALID; beyond capacity WM_NO_MEMORY. The bytes are zero. Device memory and
// variables take capacity; managed and pinned memory take addresses only. At least 256 unowned
// bytes follow each allocation, so that running over an end is found.
enum wm_status wm_device_memory_allocate(struct wm_device_memory *memory, uint64_t size_bytes,
                                         uint64_t alignment, enum wm_allocation_kind kind,
                                         const char *label, uint64_t *address,
                                         struct wm_error *error);
// The same in a GPU's memory; the other is in the first one's. Pinned memory is no GPU's.
enum wm_status wm_device_memory_allocate_on(struct wm_device_memory *memory, uint32_t gpu,
                                            uint64_t size_bytes, uint64_t alignment,
                                            enum wm_allocation_kind kind, const char *label,
                                            uint64_t *address, struct wm_error *error);
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
// The live allocation nearest to bytes that belong to none, in memory that a driver maps together
// with it: drivers map 2 MiB at a time, and hand out parts of them. NULL where nothing would be
// mapped, in what was freed, next to memory that the program maps or registers itself, and beyond
// the 2 MiB that the first byte is in. The host can read and write such bytes.
const struct wm_allocation *wm_device_memory_mapped_with(const struct wm_device_memory *memory,
                                                         uint64_t address, uint64_t size_bytes);
// Such bytes were written: what is allocated there later is cleared first.
void wm_device_memory_strayed(struct wm_device_memory *memory);
// All allocations, freed ones whose bytes have not been handed out again among them, in order of
// their addresses: until the next one is made.
const struct wm_allocation *wm_device_memory_all(const struct wm_device_memory *memory,
                                                 size_t *count);
// Where an address lies with respect to an allocation, for messages: "4 bytes past the end of
// cudaMalloc #2 (4096 bytes at 0x200000000000)".
void wm_allocation_describe(const struct wm_allocation *near, uint64_t address, char *text,
                            size_t size);
// Whether the address is one of the device's, allocated or not: no host memory can be there.
bool wm_device_memory_owns(const struct wm_device_memory *memory, uint64_t address);
// The allocation (live or freed) nearest to `address`, for messages; NULL when there is none.
const struct wm_allocation *wm_device_memory_nearest(const struct wm_device_memory *memory,
                                                     uint64_t address);
// Whether not only the device can write it: managed, pinned and registered memory, and what other
// processes share.
static inline bool wm_device_memory_host_writes(const struct wm_allocation *allocation)
{
    return allocation->kind == WM_ALLOCATION_MANAGED || allocation->kind == WM_ALLOCATION_HOST ||
           allocation->kind == WM_ALLOCATION_REGISTERED || allocation->shared;
}
// How many such allocations there are.
uint64_t wm_device_memory_host_count(const struct wm_device_memory *memory);
// The GPU whose memory an allocation is in; WM_MOST_GPUS: it is the host's.
uint32_t wm_device_memory_gpu_of(const struct wm_device_memory *memory,
                                 const struct wm_allocation *allocation);
// Whether kernels on a GPU may access it: its own and the host's memory, managed memory, and that
// of GPUs that it is a peer of (bit by number).
bool wm_device_memory_reaches(const struct wm_device_memory *memory, uint32_t gpu, uint32_t peers,
                              const struct wm_allocation *allocation);
// Kernels on these GPUs, bit by number, may access what begins at `address`, and those on others
// may not. The allocation is there.
void wm_device_memory_grant(struct wm_device_memory *memory, uint64_t address, uint32_t gpus);
// Of a GPU: in use, and in all.
uint64_t wm_device_memory_used(const struct wm_device_memory *memory, uint32_t gpu);
uint64_t wm_device_memory_capacity(const struct wm_device_memory *memory);
// Changes with every allocation and release: a caller that keeps a result of wm_device_memory_find
// keeps this with it, to see that it is still valid.
uint64_t wm_device_memory_generation(const struct wm_device_memory *memory);
// Reservations and mappings of this memory; never NULL.
struct wm_virtual_memory *wm_device_memory_virtual(const struct wm_device_memory *memory);

// ---- Memory of several processes
// Each process has a device of its own. What one shares with others is in a file in the host's
// memory (memfd), at the same offset as in its device's addresses, and others map the file's pages.
// Pages are shared whole: another process sees what else is in them, as CUDA's blocks do.
struct wm_shared_place {
    int file; // a descriptor
    uint64_t offset, size_bytes;
};
// Puts a live allocation into the file, unless it is there already: its bytes and its address stay.
// `place->file` belongs to the device memory. No kernel may run meanwhile. WM_NO_MEMORY when the
// host refuses.
enum wm_status wm_device_memory_share(struct wm_device_memory *memory, uint64_t address,
                                      struct wm_shared_place *place, struct wm_error *error);
// The file by itself, which is empty before anything is shared: -1 when the host refuses.
int wm_device_memory_shared_file(struct wm_device_memory *memory);
// Makes another process's bytes an allocation, which takes no capacity. `place->file` is borrowed.
// WM_INVALID when the file does not reach so far.
enum wm_status wm_device_memory_import(struct wm_device_memory *memory, uint32_t gpu,
                                       const struct wm_shared_place *place, const char *label,
                                       uint64_t *address, struct wm_error *error);

// For virtual memory, which is the first GPU's: capacity for what can be mapped (WM_NO_MEMORY when
// it is not left), and records of what is mapped and may be accessed.
enum wm_status wm_device_memory_charge(struct wm_device_memory *memory, uint64_t size_bytes,
                                       struct wm_error *error);
void wm_device_memory_uncharge(struct wm_device_memory *memory, uint64_t size_bytes);
enum wm_status wm_device_memory_add_record(struct wm_device_memory *memory,
                                           const struct wm_allocation *record,
                                           struct wm_error *error);
void wm_device_memory_remove_record(struct wm_device_memory *memory, uint64_t address);

#endif
