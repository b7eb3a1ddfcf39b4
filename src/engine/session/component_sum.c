#include "engine/session/component_sum.h"

#include <string.h>

uint64_t wm_component_sum(const struct wm_component_result *components, uint32_t count,
                          const char *kind, const char *name)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct wm_counter_set *set = components[i].set;
        if (strcmp(set->kind, kind) != 0)
            continue;
        size_t index = wm_counter_index(set, name);
        if (index < set->count)
            sum += components[i].values[index];
    }
    return sum;
}
