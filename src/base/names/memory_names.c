#include "base/names/memory_names.h"

#include "base/containers/array.h"

#include <stdlib.h>
#include <string.h>

void wm_memory_names_init(struct wm_memory_names *names)
{
    *names = (struct wm_memory_names){.items = NULL};
    wm_arena_init(&names->arena);
}

void wm_memory_names_release(struct wm_memory_names *names)
{
    wm_arena_release(&names->arena);
    free(names->items);
    names->items = NULL;
    names->count = names->room = 0;
}

bool wm_memory_names_add(struct wm_memory_names *names, uint64_t address, uint64_t bytes,
                         const char *name, size_t length)
{
    if (bytes == 0 || length == 0 || address + (bytes - 1) < address)
        return true;
    const char *copy = wm_arena_copy_text(&names->arena, name, length);
    struct wm_memory_name made = {.address = address, .bytes = bytes, .name = copy};
    return copy != NULL && WM_ARRAY_ADD(names->items, names->count, names->room, made);
}

static bool is_same(const struct wm_memory_name *a, const struct wm_memory_name *b)
{
    return a->address == b->address && a->bytes == b->bytes && strcmp(a->name, b->name) == 0;
}

// Puts a part in its place among those found; how many there are then.
static size_t insert(const struct wm_memory_name *part, const struct wm_memory_name **found,
                     size_t count, size_t most)
{
    size_t at = count;
    for (size_t i = 0; i < count; i++)
        if (is_same(found[i], part))
            return count;
    while (at > 0 && found[at - 1]->address > part->address)
        at--;
    if (at == most)
        return count;
    if (count < most)
        count++;
    memmove(&found[at + 1], &found[at], (count - at - 1) * sizeof(struct wm_memory_name *));
    found[at] = part;
    return count;
}

size_t wm_memory_names_in(const struct wm_memory_names *names, uint64_t address, uint64_t bytes,
                          const struct wm_memory_name **found, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < names->count; i++) {
        const struct wm_memory_name *part = &names->items[i];
        if (part->address <= address + (bytes - 1) && address <= part->address + (part->bytes - 1))
            count = insert(part, found, count, most);
    }
    return count;
}
