#include "mem/set_index/entries.h"

#define ENTRY(entry) &wm_set_index_##entry,
static const struct wm_set_index_ops *const table[] = {WM_SET_INDICES(ENTRY)};

const struct wm_set_index_ops *const *wm_set_index_table(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

const struct wm_set_index_ops *wm_set_index_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}
