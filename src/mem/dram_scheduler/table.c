#include "mem/dram_scheduler/entries.h"

#include <string.h>

#define ENTRY(entry) &wm_dram_scheduler_##entry,
static const struct wm_dram_scheduler_ops *const table[] = {WM_DRAM_SCHEDULERS(ENTRY)};

const struct wm_dram_scheduler_ops *const *wm_dram_scheduler_table(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

const struct wm_dram_scheduler_ops *wm_dram_scheduler_find(const char *name)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}
