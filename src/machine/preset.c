#include "machine/preset.h"

#include "base/files/resource_folders.h"
#include "base/text/nearest.h"
#include "base/text/text.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct wm_companion presets = {
    .what = "the folder of machine presets",
    .variable = "WARPMEM_MACHINES",
    .installed = "share/warpmem/machines",
    .source = "machines",
};

static const char suffix[] = ".yaml";
enum { SUFFIX = sizeof suffix - 1 };

static bool is_yaml(const char *name)
{
    size_t length = strlen(name);
    return length > SUFFIX && strcmp(name + length - SUFFIX, suffix) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); // not the locale's order
}

static int is_preset(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && is_yaml(entry->d_name);
}

bool wm_preset_is_file(const char *name)
{
    return strchr(name, '/') || is_yaml(name);
}

static enum wm_status list_folder(const char *folder, struct wm_arena *arena,
                                  const char *const **names, size_t *count, struct wm_error *error)
{
    struct dirent **entries;
    int found = scandir(folder, &entries, is_preset, by_name);
    if (found < 0)
        return wm_fail(error, WM_IO, "cannot list \"%s\": %s", folder, strerror(errno));
    const char **list = WM_ARENA_ARRAY(arena, const char *, found + 1);
    bool complete = list != NULL;
    for (int i = 0; i < found; i++) {
        const char *name = entries[i]->d_name;
        if (list)
            list[i] = wm_arena_copy_text(arena, name, strlen(name) - SUFFIX);
        complete = complete && list[i];
        free(entries[i]);
    }
    free(entries);
    if (!complete)
        return wm_fail_no_memory(error, "listing machines");
    *names = list;
    *count = (size_t)found;
    return WM_OK;
}

enum wm_status wm_preset_names(struct wm_arena *arena, const char *const **names, size_t *count,
                               struct wm_error *error)
{
    char folder[PATH_MAX];
    WM_TRY(wm_resource_folder_find(&presets, folder, sizeof folder, error));
    return list_folder(folder, arena, names, count, error);
}

enum wm_status wm_table_preset_names(const char *tables, struct wm_arena *arena,
                                     const char *const **names, size_t *count,
                                     struct wm_error *error)
{
    char root[PATH_MAX], folder[PATH_MAX + 64];
    *names = NULL;
    *count = 0;
    WM_TRY(wm_resource_folder_find(&presets, root, sizeof root, error));
    snprintf(folder, sizeof folder, "%s/%s", root, tables);
    return access(folder, F_OK) == 0 ? list_folder(folder, arena, names, count, error) : WM_OK;
}

enum wm_status wm_table_preset_path(const char *tables, const char *name, char *path, size_t size,
                                    bool *found, struct wm_error *error)
{
    char folder[PATH_MAX];
    WM_TRY(wm_resource_folder_find(&presets, folder, sizeof folder, error));
    int length = snprintf(path, size, "%s/%s/%s%s", folder, tables, name, suffix);
    if (length < 0 || (size_t)length >= size)
        return wm_fail(error, WM_NOT_FOUND, "the name of the table is too long");
    *found = access(path, F_OK) == 0;
    return WM_OK;
}

static enum wm_status unknown_preset(const char *name, struct wm_error *error)
{
    struct wm_arena arena;
    wm_arena_init(&arena);
    const char *const *names;
    size_t count;
    enum wm_status status = wm_preset_names(&arena, &names, &count, error);
    if (status == WM_OK) {
        struct wm_nearest nearest;
        struct wm_text list;
        wm_text_init(&list);
        wm_nearest_init(&nearest, name);
        for (size_t i = 0; i < count; i++) {
            wm_nearest_offer(&nearest, names[i]);
            wm_text_format(&list, "%s%s", i ? ", " : "", names[i]);
        }
        status = wm_fail(error, WM_NOT_FOUND, "there is no machine \"%s\"", name);
        const char *known = list.data ? list.data : "none";
        if (nearest.best)
            wm_error_hint(error, "did you mean %s? known are %s", nearest.best, known);
        else
            wm_error_hint(error, "known are %s; a file is named with a slash or its .yaml", known);
        wm_text_release(&list);
    }
    wm_arena_release(&arena);
    return status;
}

// --- Variants ---

static bool is_variant(const char *text)
{
    return text[0] != '\0' && !wm_preset_is_file(text);
}

static enum wm_status take_variant(const char *name, struct wm_machine_name *parts,
                                   struct wm_error *error)
{
    if (parts->variant_count == WM_MOST_VARIANTS)
        return wm_fail(error, WM_LIMIT, "a machine has at most %d variants behind its name",
                       (int)WM_MOST_VARIANTS);
    // Of a name that is too long there is none.
    snprintf(parts->variants[parts->variant_count++], WM_VARIANT_NAME, "%s", name);
    return WM_OK;
}

enum wm_status wm_machine_name_split(const char *name, struct wm_machine_name *parts,
                                     struct wm_error *error)
{
    *parts = (struct wm_machine_name){.base = strdup(name)};
    if (parts->base == NULL)
        return wm_fail_no_memory(error, "the name of a machine");
    char *first = parts->base + strlen(parts->base);
    for (char *plus; (plus = strrchr(parts->base, '+')) != NULL && is_variant(plus + 1);) {
        first = plus;
        *plus = '\0';
    }
    // From left to right: each ends where its plus stood.
    const char *end = parts->base + strlen(name);
    for (char *at = first; at < end; at += strlen(at + 1) + 1)
        WM_TRY(take_variant(at + 1, parts, error));
    return WM_OK;
}

void wm_machine_name_release(struct wm_machine_name *parts)
{
    free(parts->base);
    *parts = (struct wm_machine_name){0};
}

static enum wm_status unknown_variant(const char *name, struct wm_error *error)
{
    struct wm_arena arena;
    const char *const *names;
    size_t count;
    wm_arena_init(&arena);
    enum wm_status status =
        wm_table_preset_names(WM_VARIANTS_FOLDER, &arena, &names, &count, error);
    if (status == WM_OK) {
        struct wm_nearest nearest;
        wm_nearest_init(&nearest, name);
        for (size_t i = 0; i < count; i++)
            wm_nearest_offer(&nearest, names[i]);
        status = wm_fail(error, WM_NOT_FOUND, "there is no variant \"%s\" of a machine", name);
        if (nearest.best)
            wm_error_hint(error, "did you mean %s? \"warpmem list variant\" lists them",
                          nearest.best);
        else
            wm_error_hint(error, "\"warpmem list variant\" lists them");
    }
    wm_arena_release(&arena);
    return status;
}

enum wm_status wm_variant_path(const char *variant, char *path, size_t size, struct wm_error *error)
{
    bool found = false;
    WM_TRY(wm_table_preset_path(WM_VARIANTS_FOLDER, variant, path, size, &found, error));
    return found ? WM_OK : unknown_variant(variant, error);
}

// --- Machines ---

static enum wm_status base_path(const char *name, char *path, size_t size, struct wm_error *error)
{
    int length;
    if (wm_preset_is_file(name)) {
        length = snprintf(path, size, "%s", name);
    } else {
        char folder[PATH_MAX];
        WM_TRY(wm_resource_folder_find(&presets, folder, sizeof folder, error));
        length = snprintf(path, size, "%s/%s%s", folder, name, suffix);
        if (length >= 0 && (size_t)length < size && access(path, F_OK) != 0)
            return unknown_preset(name, error);
    }
    if (length < 0 || (size_t)length >= size)
        return wm_fail(error, WM_NOT_FOUND, "the name of the machine is too long");
    return WM_OK;
}

enum wm_status wm_preset_path(const char *name, char *path, size_t size, struct wm_error *error)
{
    struct wm_machine_name parts;
    enum wm_status status = wm_machine_name_split(name, &parts, error);
    for (uint32_t i = 0; status == WM_OK && i < parts.variant_count; i++)
        status = wm_variant_path(parts.variants[i], path, size, error);
    if (status == WM_OK)
        status = base_path(parts.base, path, size, error);
    wm_machine_name_release(&parts);
    return status;
}
