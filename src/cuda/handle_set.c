#include "cuda/handle_set.h"

#include <search.h>
#include <stddef.h>
#include <stdlib.h>

struct handle {
    const void *object;
    enum wm_cuda_handle_kind kind;
};

static int compare(const void *a, const void *b)
{
    const struct handle *left = a, *right = b;
    uintptr_t left_at = (uintptr_t)left->object, right_at = (uintptr_t)right->object;
    return (left_at > right_at) - (left_at < right_at);
}

// Each node of the tree begins with a pointer to its entry (tsearch(3)).
static struct handle *entry_of(const struct wm_cuda_handle_set *set, const void *object)
{
    const struct handle wanted = {.object = object};
    struct handle *const *node = tfind(&wanted, &set->root, compare);
    return node ? *node : NULL;
}

bool wm_cuda_handle_add(struct wm_cuda_handle_set *set, const void *object,
                        enum wm_cuda_handle_kind kind)
{
    struct handle *entry = malloc(sizeof *entry);
    if (!entry)
        return false;
    *entry = (struct handle){object, kind};
    struct handle **node = tsearch(entry, &set->root, compare);
    if (node && *node != entry)
        (*node)->kind = kind;
    if (!node || *node != entry)
        free(entry);
    return node != NULL;
}

void wm_cuda_handle_remove(struct wm_cuda_handle_set *set, const void *object)
{
    struct handle *entry = entry_of(set, object);
    if (entry)
        tdelete(entry, &set->root, compare);
    free(entry);
}

bool wm_cuda_handle_known(const struct wm_cuda_handle_set *set, const void *object,
                          enum wm_cuda_handle_kind kind)
{
    const struct handle *entry = entry_of(set, object);
    return entry && entry->kind == kind;
}

void wm_cuda_handle_set_free(struct wm_cuda_handle_set *set)
{
    tdestroy(set->root, free);
    set->root = NULL;
}
