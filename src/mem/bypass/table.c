#include "mem/bypass/bypass.h"

#include <string.h>

static const struct wm_bypass_ops *const table[] = {
    &wm_bypass_none,
    &wm_bypass_cache_operator,
    &wm_bypass_per_pc,
    &wm_bypass_contention,
};

const struct wm_bypass_ops *const *wm_bypass_table(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

const struct wm_bypass_ops *wm_bypass_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}
