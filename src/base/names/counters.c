#include "base/names/counters.h"

#include <ctype.h>
#include <stdbool.h>

size_t wm_counter_index(const struct wm_counter_set *set, const char *name)
{
    size_t index = 0;
    while (index < set->count && strcmp(set->declarations[index].name, name) != 0)
        index++;
    return index;
}

void wm_counter_level(const char *path, char level[WM_COMPONENT_PATH_BYTES])
{
    size_t length = 0;
    while (*path != '\0' && length + 2 < WM_COMPONENT_PATH_BYTES) {
        bool number = *path == '[' && isdigit((unsigned char)path[1]);
        level[length++] = *path++;
        if (!number)
            continue;
        level[length++] = '*';
        while (isdigit((unsigned char)*path))
            path++;
    }
    level[length] = '\0';
}
