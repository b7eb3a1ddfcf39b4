#include "machine/schema_parts.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- The keys that every machine has ---

// In the order of the machine files, those of levels first, other names for keys last; and by path,
// as a description looks up each of its keys several times, and a study describes hundreds of
// machines.
static struct wm_machine_key keys[WM_MACHINE_MAX_KEYS];
static const struct wm_machine_key *by_path[WM_MACHINE_MAX_KEYS];
static size_t key_count, listed_count;

static int compare_paths(const void *one, const void *other)
{
    const struct wm_machine_key *const *a = one, *const *b = other;
    return strcmp((*a)->path, (*b)->path);
}

static void add_level(uint32_t level, bool older)
{
    const struct wm_memory_spec none = {0};
    char group[WM_KEY_PATH_BYTES];
    snprintf(group, sizeof group, "gpu.%s", wm_level_name(&none, level));
    for (size_t row = 0; row < wm_level_row_count(); row++)
        if (wm_level_row_is_older(row) == older &&
            wm_level_key(row, level, group, &keys[key_count]))
            key_count++;
}

static uint32_t number_of(const struct wm_machine_key *key)
{
    uint32_t number = 0;
    while (keys[number].offset != key->offset)
        number++;
    return number;
}

static void build(void)
{
    for (uint32_t level = 0; level < WM_LEVELS_NAMED; level++)
        add_level(level, false);
    assert(key_count + wm_plain_key_count <= WM_MACHINE_MAX_KEYS);
    for (size_t i = 0; i < wm_plain_key_count; i++)
        keys[key_count++] = wm_plain_keys[i];
    listed_count = key_count;
    for (uint32_t level = 0; level < WM_LEVELS_NAMED; level++)
        add_level(level, true);
    assert(key_count <= WM_MACHINE_MAX_KEYS);
    for (size_t i = 0; i < key_count; i++) {
        keys[i].number = number_of(&keys[i]);
        by_path[i] = &keys[i];
    }
    qsort(by_path, key_count, sizeof by_path[0], compare_paths);
}

const struct wm_machine_key *wm_machine_keys(size_t *count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build);
    *count = listed_count;
    return keys;
}

static int compare_path(const void *path, const void *key)
{
    const struct wm_machine_key *const *other = key;
    return strcmp(path, (*other)->path);
}

const struct wm_machine_key *wm_machine_key_find(const char *path)
{
    size_t listed;
    wm_machine_keys(&listed);
    const struct wm_machine_key *const *found =
        bsearch(path, by_path, key_count, sizeof by_path[0], compare_path);
    return found ? *found : NULL;
}

// --- Those of one machine ---

// Where a level stands in files: "gpu.", "".
static const char *const places[WM_LEVEL_PLACES] = {
    [WM_PLACE_GPU] = "gpu.", [WM_PLACE_CPU] = "cpu.", [WM_PLACE_MACHINE] = ""};

bool wm_machine_group_at(const struct wm_machine *machine, uint32_t number,
                         struct wm_machine_group *group)
{
    if (number < wm_machine_group_count)
        *group = wm_machine_groups[number];
    if (number < WM_MACHINE_MAX_GROUPS)
        return number < wm_machine_group_count;
    const struct wm_level_spec *level =
        &machine->memory.levels[WM_LEVELS_NAMED + number - WM_MACHINE_MAX_GROUPS];
    if (level->name[0] == '\0')
        return false;
    group->sentence = "a level of caches";
    snprintf(group->path, sizeof group->path, "%s%s", places[level->place], level->name);
    return true;
}

uint32_t wm_machine_group_of(const struct wm_machine *machine, const char *path)
{
    struct wm_machine_group group;
    uint32_t number = 0;
    while (number < WM_MACHINE_GROUP_NUMBERS &&
           (!wm_machine_group_at(machine, number, &group) || strcmp(group.path, path) != 0))
        number++;
    return number;
}

uint32_t wm_machine_level_of_group(uint32_t group)
{
    if (group >= WM_MACHINE_MAX_GROUPS)
        return WM_LEVELS_NAMED + group - WM_MACHINE_MAX_GROUPS;
    const struct wm_memory_spec none = {0};
    uint32_t level = 0;
    while (level < WM_LEVELS_NAMED && strcmp(wm_machine_key_name(wm_machine_groups[group].path),
                                             wm_level_name(&none, level)) != 0)
        level++;
    return level < WM_LEVELS_NAMED ? level : WM_MOST_LEVELS;
}

uint32_t wm_machine_level_at(size_t offset)
{
    size_t levels = offsetof(struct wm_machine, memory.levels);
    size_t level = (offset - levels) / sizeof(struct wm_level_spec);
    return offset >= levels && level < WM_MOST_LEVELS ? (uint32_t)level : WM_MOST_LEVELS;
}

bool wm_machine_key_at(const struct wm_machine *machine, uint32_t number,
                       struct wm_machine_key *key)
{
    size_t listed;
    const struct wm_machine_key *all = wm_machine_keys(&listed);
    if (number < WM_MACHINE_MAX_KEYS) {
        if (number < listed)
            *key = all[number];
        return number < listed;
    }
    uint32_t own = (number - WM_MACHINE_MAX_KEYS) / WM_LEVEL_MAX_KEYS;
    size_t row = (number - WM_MACHINE_MAX_KEYS) % WM_LEVEL_MAX_KEYS;
    struct wm_machine_group group;
    bool has = row < wm_level_row_count() && !wm_level_row_is_older(row) &&
               wm_machine_group_at(machine, WM_MACHINE_MAX_GROUPS + own, &group) &&
               wm_level_key(row, WM_LEVELS_NAMED + own, group.path, key);
    if (has)
        key->number = number;
    return has;
}

void wm_machine_keys_of_group(uint32_t group, uint32_t *first, uint32_t *end)
{
    bool is_own = group >= WM_MACHINE_MAX_GROUPS;
    *first = is_own ? WM_MACHINE_MAX_KEYS + (group - WM_MACHINE_MAX_GROUPS) * WM_LEVEL_MAX_KEYS : 0;
    *end = is_own ? *first + WM_LEVEL_MAX_KEYS : WM_MACHINE_MAX_KEYS;
}

bool wm_machine_key_of(const struct wm_machine *machine, const char *path,
                       struct wm_machine_key *key)
{
    const struct wm_machine_key *found = wm_machine_key_find(path);
    const char *dot = strrchr(path, '.');
    char around[WM_KEY_PATH_BYTES];
    if (found)
        *key = *found;
    if (found || !dot || (size_t)(dot - path) >= sizeof around)
        return found != NULL;
    snprintf(around, sizeof around, "%.*s", (int)(dot - path), path);
    uint32_t first, end, group = wm_machine_group_of(machine, around);
    if (group < WM_MACHINE_MAX_GROUPS || group == WM_MACHINE_GROUP_NUMBERS)
        return false;
    wm_machine_keys_of_group(group, &first, &end);
    return wm_machine_key_at(machine, first + (uint32_t)wm_level_row_of(dot + 1), key);
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
