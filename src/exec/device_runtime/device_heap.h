// The heap of kernels' malloc and free: one piece of device memory, divided by two (D. E. Knuth,
// "The Art of Computer Programming", volume 1, section 2.5, the buddy system). Sizes are rounded up
// to powers of two, so half of it may be lost to that; addresses depend on the order of calls
// alone. Blocks outlive the kernel that took them.
//
// Thread rules: one thread at a time.
#ifndef WM_EXEC_DEVICE_HEAP_H
#define WM_EXEC_DEVICE_HEAP_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum { WM_HEAP_ALIGNMENT = 16, WM_HEAP_ORDERS = 32 };

struct wm_device_heap {
    uint64_t address;              // 16-byte aligned; of the caller's memory
    uint32_t units;                // of 16 bytes; a power of two
    uint32_t orders;               // a block of order k has 2^k units; the whole heap is the last's
    uint8_t *state;                // owned, by unit: of the block that begins there
    uint32_t *next, *previous;     // owned, by unit: of free blocks of an order
    uint32_t free[WM_HEAP_ORDERS]; // the first of each order's
    uint64_t live_blocks, live_bytes; // as rounded
};

// Over the largest power of two of `bytes` bytes from `address` on: at least 16, at most 2^35.
// WM_INVALID, WM_NO_MEMORY.
enum wm_status wm_device_heap_init(struct wm_device_heap *heap, uint64_t address, uint64_t bytes,
                                   struct wm_error *error);
// Harmless on a zeroed one.
void wm_device_heap_free(struct wm_device_heap *heap);
// 0 when no block is left that is large enough. Zero bytes are taken as one.
uint64_t wm_device_heap_allocate(struct wm_device_heap *heap, uint64_t bytes);
// False when no live block begins at `address`.
bool wm_device_heap_release(struct wm_device_heap *heap, uint64_t address);

#endif
