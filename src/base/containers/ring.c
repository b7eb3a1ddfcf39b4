#include "base/containers/ring.h"

#include <stdlib.h>
#include <string.h>

enum { HOST_LINE = 64 };

static void *new_places(size_t bytes)
{
    return aligned_alloc(HOST_LINE, (bytes + HOST_LINE - 1) / HOST_LINE * HOST_LINE);
}

void *wm_ring_new(size_t item_bytes)
{
    return new_places(WM_RING_FIRST_LENGTH * item_bytes);
}

void *wm_ring_grow(void *items, size_t item_bytes, uint32_t *mask, uint32_t first, uint32_t end)
{
    uint32_t wider = 2 * *mask + 1;
    char *larger = new_places(((size_t)wider + 1) * item_bytes);
    if (larger == NULL)
        return NULL;
    for (uint32_t at = first; at != end; at++)
        memcpy(larger + (at & wider) * item_bytes, (const char *)items + (at & *mask) * item_bytes,
               item_bytes);
    free(items);
    *mask = wider;
    return larger;
}
