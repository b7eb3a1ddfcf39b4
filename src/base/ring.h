// Queues in arrays whose length is a power of two: places are counted on without end, and an index
// is a count under the mask, length - 1.
#ifndef WM_BASE_RING_H
#define WM_BASE_RING_H

#include <stdint.h>

// The least power of two that is at least `room` and 2. `room` is at most 2^31.
static inline uint32_t wm_ring_length(uint32_t room)
{
    return room <= 2 ? 2 : UINT32_C(1) << (32 - __builtin_clz(room - 1));
}

#endif
