#include "base/counters.h"

size_t wm_counter_index(const struct wm_counter_set *set, const char *name)
{
    size_t index = 0;
    while (index < set->count && strcmp(set->declarations[index].name, name) != 0)
        index++;
    return index;
}
