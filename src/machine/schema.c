#include "machine/schema.h"

const struct wm_machine_key *wm_machine_key_find(const char *path)
{
    for (size_t i = 0; i < wm_machine_key_count; i++)
        if (strcmp(wm_machine_keys[i].path, path) == 0)
            return &wm_machine_keys[i];
    return NULL;
}

const struct wm_machine_group *wm_machine_group_find(const char *path)
{
    for (size_t i = 0; i < wm_machine_group_count; i++)
        if (strcmp(wm_machine_groups[i].path, path) == 0)
            return &wm_machine_groups[i];
    return NULL;
}

const char *wm_machine_key_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

bool wm_machine_path_is_in(const char *path, const char *parent)
{
    size_t length = strlen(parent);
    if (length == 0)
        return !strchr(path, '.');
    return strncmp(path, parent, length) == 0 && path[length] == '.' &&
           !strchr(path + length + 1, '.');
}
