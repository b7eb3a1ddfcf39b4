#include "mem/bypass/entries.h"

#include <string.h>

#define ENTRY(entry) &wm_bypass_##entry,
static const struct wm_bypass_ops *const table[] = {WM_BYPASSES(ENTRY)};

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
