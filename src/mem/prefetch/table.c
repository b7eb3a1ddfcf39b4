#include "mem/prefetch/entries.h"

#include <string.h>

#define ENTRY(entry) &wm_prefetch_##entry,
static const struct wm_prefetch_ops *const table[] = {WM_PREFETCHES(ENTRY)};

const struct wm_prefetch_ops *const *wm_prefetch_table(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

const struct wm_prefetch_ops *wm_prefetch_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}
