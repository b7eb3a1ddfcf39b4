// Queues in arrays whose length is a power of two: places are counted on without end, and an index
// is a count under the mask, length - 1.
//
// Most queues have few things waiting most of the time, whatever they may have at most: an array
// begins with few places and becomes twice as long when they are full, so that those in use stay in
// the host's caches, and what belongs to other queues lies close by.
#ifndef WM_BASE_RING_H
#define WM_BASE_RING_H

#include <stddef.h>
#include <stdint.h>

enum { WM_RING_FIRST_LENGTH = 8, WM_RING_FIRST_MASK = WM_RING_FIRST_LENGTH - 1 };

// The least power of two that is at least `room` and 2. `room` is at most 2^31.
static inline uint32_t wm_ring_length(uint32_t room)
{
    return room <= 2 ? 2 : UINT32_C(1) << (32 - __builtin_clz(room - 1));
}

// An array of WM_RING_FIRST_LENGTH places, which begins with a line of the host's caches; NULL when
// out of memory. free() releases it.
void *wm_ring_new(size_t item_bytes);
// Makes it twice as long, which `*mask` then says, and returns it, moved; NULL, and nothing has
// changed, when out of memory. Queued are the counts from `first` to before `end`.
void *wm_ring_grow(void *items, size_t item_bytes, uint32_t *mask, uint32_t first, uint32_t end);

#endif
