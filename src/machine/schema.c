#include "machine/schema.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The table is in the order of the machine files; a description looks up each of its keys several
// times, and a study describes hundreds of machines.
static const struct wm_machine_key *by_path[WM_MACHINE_MAX_KEYS];

static int compare_paths(const void *one, const void *other)
{
    const struct wm_machine_key *const *a = one, *const *b = other;
    return strcmp((*a)->path, (*b)->path);
}

static void sort_by_path(void)
{
    for (size_t i = 0; i < wm_machine_key_count; i++)
        by_path[i] = &wm_machine_keys[i];
    qsort(by_path, wm_machine_key_count, sizeof by_path[0], compare_paths);
}

const struct wm_machine_key *wm_machine_key_find(const char *path)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, sort_by_path);
    const struct wm_machine_key wanted = {.path = path}, *const key = &wanted;
    const struct wm_machine_key *const *found =
        bsearch(&key, by_path, wm_machine_key_count, sizeof by_path[0], compare_paths);
    return found ? *found : NULL;
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
