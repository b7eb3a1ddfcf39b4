#include "base/containers/array.h"

#include <stdint.h>
#include <stdlib.h>

enum { FIRST_ROOM = 4, FIRST_BYTES = 64 }; // whichever is more

// Whether so many elements have a size: no object of C is larger than PTRDIFF_MAX, and allocators
// of sanitizers stop a program that wants one.
static bool size_of(size_t count, size_t element_bytes, size_t *bytes)
{
    return !__builtin_mul_overflow(count, element_bytes, bytes) && *bytes <= PTRDIFF_MAX;
}

void *wm_array_resize(void *items, size_t wanted, size_t element_bytes)
{
    size_t bytes;
    if (!size_of(wanted, element_bytes, &bytes))
        return NULL;
    return realloc(items, bytes != 0 ? bytes : 1);
}

void *wm_array_grow(void *items, size_t count, size_t *room, size_t more, size_t most,
                    size_t element_bytes)
{
    bool small = element_bytes < FIRST_BYTES / FIRST_ROOM;
    size_t wanted, first = small ? FIRST_BYTES / element_bytes : FIRST_ROOM;
    size_t larger = *room == 0 ? first : *room > most / 2 ? most : 2 * *room;
    if (__builtin_add_overflow(count, more, &wanted) || wanted > most)
        return NULL;
    larger = larger < wanted ? wanted : larger;
    void *grown = wm_array_resize(items, larger, element_bytes);
    if (grown != NULL)
        *room = larger;
    return grown;
}

void *wm_array_new(size_t count, size_t element_bytes)
{
    size_t bytes;
    if (!size_of(count, element_bytes, &bytes))
        return NULL;
    return calloc(1, bytes != 0 ? bytes : 1);
}
