// Queues in arrays whose length is a power of two: places are counted on without end, and an index
// is a count under the mask, length - 1.
//
// A queue has room for the most that may ever wait, and most often few do: the mask begins with the
// first places alone and widens when they are full, so those in use stay in the host's caches.
#ifndef WM_BASE_RING_H
#define WM_BASE_RING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { WM_RING_BEGINS = 8 }; // places that a mask which widens begins with, at most

// The least power of two that is at least `room` and 2. `room` is at most 2^31.
static inline uint32_t wm_ring_length(uint32_t room)
{
    return room <= 2 ? 2 : UINT32_C(1) << (32 - __builtin_clz(room - 1));
}

// The mask that a queue in an array of that length begins with.
static inline uint32_t wm_ring_first_mask(uint32_t length)
{
    return (length < WM_RING_BEGINS ? length : WM_RING_BEGINS) - 1;
}

// Uses twice as many places of an array that is longer; returns the mask of them. Queued are the
// counts from `first` to before `end`.
static inline uint32_t wm_ring_widen(void *items, size_t item_bytes, uint32_t mask, uint32_t first,
                                     uint32_t end)
{
    uint32_t wider = 2 * mask + 1;
    for (uint32_t at = first; at != end; at++)
        if ((at & wider) != (at & mask))
            memcpy((char *)items + (at & wider) * item_bytes,
                   (const char *)items + (at & mask) * item_bytes, item_bytes);
    return wider;
}

#endif
