// What the files of the device memory share: device_memory.c (allocations) and
// device_memory_shared.c (pages that other processes see, too). For them alone.
// Private to exec/memory/.
#ifndef WM_EXEC_MEMORY_DEVICE_MEMORY_PARTS_H
#define WM_EXEC_MEMORY_DEVICE_MEMORY_PARTS_H

#include "exec/memory/device_memory.h"

struct wm_page_range {
    uint64_t begin, end;
};

// A GPU's addresses, or the host's beside several of them.
struct wm_address_range {
    uint64_t base, used_bytes;
    uint64_t accessible_bytes; // of those reserved, made readable and writable so far
};

struct wm_device_memory {
    uint64_t capacity_bytes; // of each GPU
    uint64_t generation, host_count;
    uint64_t range_bytes; // of addresses, reserved from each range's base
    uint32_t gpus, range_count;
    struct wm_address_range ranges[WM_MOST_GPUS + 1]; // by GPU; the host's behind several
    uint64_t page_bytes;
    struct wm_allocation *allocations; // owned; ordered by address, never overlapping
    size_t count, capacity;
    bool strayed;                             // bytes between allocations were written
    struct wm_virtual_memory *virtual_memory; // owned
    int shared_file;                          // of what other processes share; -1: nothing yet
    struct wm_page_range *shared; // owned; whole pages that are in the file, never overlapping
    size_t shared_count, shared_capacity;
};

static inline uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

static inline uint64_t align_down(uint64_t value, uint64_t alignment)
{
    return value & ~(alignment - 1);
}

static inline void *address_pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

// The first record whose end lies beyond `address`; the count where there is none.
size_t wm_device_memory_beyond(const struct wm_device_memory *memory, uint64_t address);
// First fit among the live records of a range; freed ones do not stand in the way. 0: no room.
uint64_t wm_device_memory_first_fit(const struct wm_device_memory *memory,
                                    const struct wm_address_range *range, uint64_t size_bytes,
                                    uint64_t alignment);
// Makes the range's addresses readable and writable up to `end`; false: the host refuses.
bool wm_device_memory_make_accessible(const struct wm_device_memory *memory,
                                      struct wm_address_range *range, uint64_t end);
// Drops the freed records that [address, address + size_bytes) takes the place of, and puts the
// new one in order. False: out of memory.
bool wm_device_memory_insert(struct wm_device_memory *memory, const struct wm_allocation *record);

// Zeroes whole pages of the shared file: they do not become zero by being handed back. False: the
// host refuses.
bool wm_device_memory_clear_shared(const struct wm_device_memory *memory, uint64_t begin,
                                   uint64_t end);
// Puts anonymous memory where another process's pages were mapped.
enum wm_status wm_device_memory_unmap_imported(const struct wm_device_memory *memory,
                                               const struct wm_allocation *record,
                                               struct wm_error *error);
void wm_device_memory_close_shared(struct wm_device_memory *memory);

#endif
