#include "mem/dram_scheduler/dram_scheduler.h"

#include <string.h>

static const struct wm_dram_scheduler_ops *const table[] = {
    &wm_dram_scheduler_fr_fcfs,
    &wm_dram_scheduler_fcfs,
    &wm_dram_scheduler_first_ready,
    &wm_dram_scheduler_bank_round_robin,
};

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
