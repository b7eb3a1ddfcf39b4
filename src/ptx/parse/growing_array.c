#include "ptx/parse/growing_array.h"

void *wm_ptx_take(const void *items, uint32_t *count, uint32_t first, size_t element_bytes,
                  struct wm_arena *arena)
{
    size_t bytes = (*count - first) * element_bytes;
    void *copy = wm_arena_alloc(arena, bytes, _Alignof(max_align_t));
    if (!copy)
        return NULL;
    if (bytes)
        memcpy(copy, (const char *)items + first * element_bytes, bytes);
    *count = first;
    return copy;
}
