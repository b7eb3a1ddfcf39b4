// Internal to src/ptx: lists whose length is known only at their end. They grow here
// (base/containers/array.h), nested ones behind the outer ones, and are copied once into the
// module's arena. Private to ptx/parse/.
#ifndef WM_PTX_PARSE_GROWING_ARRAY_H
#define WM_PTX_PARSE_GROWING_ARRAY_H

#include "base/containers/arena.h"
#include "base/containers/array.h"

#include <stdint.h>

// Zeros are an empty one; free() releases its items.
#define WM_PTX_LIST(type)        \
    struct {                     \
        type *items; /* owned */ \
        uint32_t count, room;    \
    }

// A zeroed element at the end, valid until the next push; NULL when out of memory.
#define WM_PTX_PUSH(list) WM_ARRAY_PUSH((list)->items, (list)->count, (list)->room)
// A copy of elements [first, count) in the arena, and drops them; NULL when out of memory.
#define WM_PTX_TAKE(list, first, arena)                                               \
    ((__typeof__(&*(list)->items))wm_ptx_take((list)->items, &(list)->count, (first), \
                                              sizeof *(list)->items, (arena)))
void *wm_ptx_take(const void *items, uint32_t *count, uint32_t first, size_t element_bytes,
                  struct wm_arena *arena);

#endif
