#include "ptx/parse/growing_array.h"

void wm_ptx_array_init(struct wm_ptx_vector *vector, size_t element_bytes)
{
    *vector = (struct wm_ptx_vector){.element_bytes = element_bytes};
}

void wm_ptx_array_release(struct wm_ptx_vector *vector)
{
    free(vector->data);
    *vector = (struct wm_ptx_vector){0};
}

void *wm_ptx_array_push(struct wm_ptx_vector *vector)
{
    if (vector->count == vector->capacity) {
        uint32_t capacity = vector->capacity ? vector->capacity * 2 : 16;
        if (capacity > UINT32_MAX / 4)
            return NULL;
        void *data = realloc(vector->data, capacity * vector->element_bytes);
        if (!data)
            return NULL;
        vector->data = data;
        vector->capacity = capacity;
    }
    void *element = (char *)vector->data + vector->count++ * vector->element_bytes;
    memset(element, 0, vector->element_bytes);
    return element;
}

void *wm_ptx_array_take(struct wm_ptx_vector *vector, uint32_t first, struct wm_arena *arena)
{
    size_t bytes = (vector->count - first) * vector->element_bytes;
    void *copy = wm_arena_alloc(arena, bytes, _Alignof(max_align_t));
    if (!copy)
        return NULL;
    if (bytes)
        memcpy(copy, (char *)vector->data + first * vector->element_bytes, bytes);
    vector->count = first;
    return copy;
}
