#include "cuda/handle_set.h"

#include <stddef.h>
#include <stdlib.h>

enum { FIRST_CAPACITY = 64 }; // a power of two, as all are

// Where the object is, or where it would be put: objects are at least 16 bytes apart.
static struct wm_cuda_handle *place_of(const struct wm_cuda_handle_set *set, const void *object)
{
    uint64_t hash = ((uint64_t)(uintptr_t)object >> 4) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint64_t i = hash >> 32;; i++) {
        struct wm_cuda_handle *slot = &set->slots[i & (set->capacity - 1)];
        if (slot->object == object || !slot->object)
            return slot;
    }
}

static bool grow(struct wm_cuda_handle_set *set)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < set->capacity; i++)
        live += set->slots[i].kind != WM_CUDA_HANDLE_NONE;
    struct wm_cuda_handle_set grown = {.capacity = FIRST_CAPACITY};
    while (grown.capacity < live * 4)
        grown.capacity *= 2;
    grown.slots = calloc(grown.capacity, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (uint32_t i = 0; i < set->capacity; i++)
        if (set->slots[i].kind != WM_CUDA_HANDLE_NONE)
            *place_of(&grown, set->slots[i].object) = set->slots[i];
    grown.taken = live;
    free(set->slots);
    *set = grown;
    return true;
}

bool wm_cuda_handle_add(struct wm_cuda_handle_set *set, const void *object,
                        enum wm_cuda_handle_kind kind)
{
    if (set->taken * 2 >= set->capacity && !grow(set))
        return false;
    struct wm_cuda_handle *slot = place_of(set, object);
    set->taken += slot->object == NULL;
    *slot = (struct wm_cuda_handle){object, kind};
    return true;
}

void wm_cuda_handle_remove(struct wm_cuda_handle_set *set, const void *object)
{
    if (set->capacity > 0 && object)
        place_of(set, object)->kind = WM_CUDA_HANDLE_NONE;
}

bool wm_cuda_handle_known(const struct wm_cuda_handle_set *set, const void *object,
                          enum wm_cuda_handle_kind kind)
{
    return set->capacity > 0 && object && place_of(set, object)->kind == kind;
}

void wm_cuda_handle_set_free(struct wm_cuda_handle_set *set)
{
    free(set->slots);
    *set = (struct wm_cuda_handle_set){0};
}
