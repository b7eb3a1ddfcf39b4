#include "exec/device_runtime/device_heap.h"

#include <stdlib.h>

enum {
    NONE = UINT32_MAX,
    LIVE = 0x40,
    FREE = 0x80,
    ORDER = 0x3f
}; // state: 0 where no block begins

static void put(struct wm_device_heap *heap, uint32_t unit, uint32_t order)
{
    uint32_t first = heap->free[order];
    heap->state[unit] = (uint8_t)(FREE | order);
    heap->next[unit] = first;
    heap->previous[unit] = NONE;
    if (first != NONE)
        heap->previous[first] = unit;
    heap->free[order] = unit;
}

static void take(struct wm_device_heap *heap, uint32_t unit, uint32_t order)
{
    uint32_t next = heap->next[unit], previous = heap->previous[unit];
    if (previous != NONE)
        heap->next[previous] = next;
    else
        heap->free[order] = next;
    if (next != NONE)
        heap->previous[next] = previous;
    heap->state[unit] = 0;
}

enum wm_status wm_device_heap_init(struct wm_device_heap *heap, uint64_t address, uint64_t bytes,
                                   struct wm_error *error)
{
    *heap = (struct wm_device_heap){.address = address};
    if (bytes < WM_HEAP_ALIGNMENT || bytes >> 36 != 0 || address % WM_HEAP_ALIGNMENT != 0)
        return wm_fail(error, WM_INVALID, "a heap of %llu bytes at 0x%llx",
                       (unsigned long long)bytes, (unsigned long long)address);
    heap->orders = 64 - (uint32_t)__builtin_clzll(bytes / WM_HEAP_ALIGNMENT);
    heap->units = UINT32_C(1) << (heap->orders - 1);
    heap->state = calloc(heap->units, sizeof *heap->state);
    heap->next = malloc(heap->units * sizeof *heap->next);
    heap->previous = malloc(heap->units * sizeof *heap->previous);
    if (heap->state == NULL || heap->next == NULL || heap->previous == NULL) {
        wm_device_heap_free(heap);
        return wm_fail_no_memory(error, "keeping a heap of %llu bytes", (unsigned long long)bytes);
    }
    for (uint32_t i = 0; i < WM_HEAP_ORDERS; i++)
        heap->free[i] = NONE;
    put(heap, 0, heap->orders - 1);
    return WM_OK;
}

void wm_device_heap_free(struct wm_device_heap *heap)
{
    free(heap->state);
    free(heap->next);
    free(heap->previous);
    *heap = (struct wm_device_heap){0};
}

// The least order whose blocks hold so many bytes.
static uint32_t order_of(uint64_t bytes)
{
    uint64_t units = bytes / WM_HEAP_ALIGNMENT + (bytes % WM_HEAP_ALIGNMENT != 0);
    return units <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(units - 1);
}

uint64_t wm_device_heap_allocate(struct wm_device_heap *heap, uint64_t bytes)
{
    uint32_t wanted = order_of(bytes), order = wanted;
    while (order < heap->orders && heap->free[order] == NONE)
        order++;
    if (order >= heap->orders)
        return 0;
    uint32_t unit = heap->free[order];
    take(heap, unit, order);
    while (order > wanted) {
        order--;
        put(heap, unit + (UINT32_C(1) << order), order);
    }
    heap->state[unit] = (uint8_t)(LIVE | order);
    heap->live_blocks++;
    heap->live_bytes += (uint64_t)WM_HEAP_ALIGNMENT << order;
    return heap->address + (uint64_t)unit * WM_HEAP_ALIGNMENT;
}

bool wm_device_heap_release(struct wm_device_heap *heap, uint64_t address)
{
    uint64_t offset = address - heap->address;
    if (offset % WM_HEAP_ALIGNMENT != 0 || offset / WM_HEAP_ALIGNMENT >= heap->units)
        return false;
    uint32_t unit = (uint32_t)(offset / WM_HEAP_ALIGNMENT), order = heap->state[unit] & ORDER;
    if ((heap->state[unit] & LIVE) == 0)
        return false;
    heap->state[unit] = 0;
    heap->live_blocks--;
    heap->live_bytes -= (uint64_t)WM_HEAP_ALIGNMENT << order;
    for (; order + 1 < heap->orders; order++) {
        uint32_t buddy = unit ^ UINT32_C(1) << order;
        if (heap->state[buddy] != (FREE | order))
            break;
        take(heap, buddy, order);
        unit &= ~(UINT32_C(1) << order);
    }
    put(heap, unit, order);
    return true;
}
