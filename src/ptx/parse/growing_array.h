// Internal to src/ptx: a growable array for lists whose length is known only at their end. They
// are built here and copied once into the module's arena. Private to ptx/parse/.
#ifndef WM_PTX_PARSE_GROWING_ARRAY_H
#define WM_PTX_PARSE_GROWING_ARRAY_H

#include "base/arena.h"

#include <stdint.h>

struct wm_ptx_vector {
    void *data; // owned
    size_t element_bytes;
    uint32_t count, capacity;
};

void wm_ptx_array_init(struct wm_ptx_vector *vector, size_t element_bytes);
void wm_ptx_array_release(struct wm_ptx_vector *vector);
// A zeroed element at the end, valid until the next push; NULL when out of memory.
void *wm_ptx_array_push(struct wm_ptx_vector *vector);
// A copy of elements [first, count) in the arena, and drops them; NULL when out of memory.
void *wm_ptx_array_take(struct wm_ptx_vector *vector, uint32_t first, struct wm_arena *arena);

#endif
