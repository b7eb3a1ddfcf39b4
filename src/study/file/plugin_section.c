#include "study/file/plugin_section.h"

#include "machine/plugins.h"
#include "study/file/file_text.h"
#include "study/page/machine_values.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- Loading -----------------------------------------------------------------------------------

static const char *entry_at(const struct wm_plugins *plugins, size_t index)
{
    const struct wm_replacement_ops *replacement = wm_plugins_replacement(plugins, index, NULL);
    if (replacement)
        return replacement->name;
    size_t replacements = 0;
    while (wm_plugins_replacement(plugins, replacements, NULL))
        replacements++;
    const struct wm_bypass_ops *bypass = wm_plugins_bypass(plugins, index - replacements, NULL);
    return bypass ? bypass->name : NULL;
}

// Names of entries that a list of entries does not have, with blanks around each: " lfu mine ".
static const char *new_entries(const struct wm_study_reader *reader, const char *before)
{
    struct wm_text text;
    const char *name;
    wm_text_init(&text);
    wm_text_add(&text, " ");
    for (size_t i = 0; (name = entry_at(&reader->study->loaded, i)) != NULL; i++) {
        char word[64];
        snprintf(word, sizeof word, " %s ", name);
        if (!strstr(before, word))
            wm_text_format(&text, "%s ", name);
    }
    const char *copy =
        text.failed ? NULL : wm_arena_copy_text(&reader->study->arena, text.data, text.length);
    wm_text_release(&text);
    return copy;
}

static enum wm_status load(const struct wm_study_reader *reader, const char *name, const char *path)
{
    struct wm_study *study = reader->study;
    struct wm_study_plugin *plugin = &study->plugins[study->plugin_count];
    char found[PATH_MAX];
    struct wm_text text;
    if (!realpath(path, found))
        snprintf(found, sizeof found, "%s", path); // the error says what was named
    for (uint32_t i = 0; i < study->plugin_count; i++)
        if (strcmp(study->plugins[i].path, found) == 0)
            return WM_OK; // by the file and by an option
    const char *before = new_entries(reader, "");
    WM_TRY(wm_plugins_load(&study->loaded, found, reader->error));
    const char *slash = strrchr(name, '/');
    plugin->name = slash ? slash + 1 : name;
    plugin->path = wm_arena_copy_text(&study->arena, found, strlen(found));
    plugin->entries = before ? new_entries(reader, before) : NULL;
    if (!plugin->path || !plugin->entries)
        return wm_study_no_memory(reader);
    wm_text_init(&text);
    enum wm_status status =
        wm_study_file_text(found, WM_STUDY_LARGEST_PLUGIN, &text, reader->error);
    if (status == WM_OK)
        wm_study_hash(text.data ? text.data : "", text.length, plugin->hash);
    wm_text_release(&text);
    study->plugin_count += status == WM_OK;
    return status;
}

static enum wm_status load_relative(const struct wm_study_reader *reader, const char *name)
{
    char path[PATH_MAX];
    bool relative = name[0] != '/';
    int length = snprintf(path, sizeof path, "%s%s%s", relative ? reader->study->folder : "",
                          relative ? "/" : "", name);
    if (length < 0 || (size_t)length >= sizeof path)
        return wm_fail(reader->error, WM_INVALID, "the path of the plug-in is too long");
    return load(reader, name, path);
}

// The error of a plug-in with its name, at its place in the file.
static enum wm_status blame(const struct wm_study_reader *reader,
                            const struct wm_yaml_node *section, const char *name)
{
    const struct wm_error said = *reader->error;
    wm_fail(reader->error, said.status, "plug-in \"%s\": %s", name, said.message);
    if (said.hint[0])
        wm_error_hint(reader->error, "%s", said.hint);
    const struct wm_yaml_node *item = section->kind == WM_YAML_SEQUENCE ? section->first : NULL;
    while (item && item->next && (item->kind != WM_YAML_SCALAR || strcmp(item->value, name) != 0))
        item = item->next;
    return wm_yaml_point_node(&reader->study->tree, item ? item : section, reader->error);
}

enum wm_status wm_study_read_plugins(const struct wm_study_reader *reader,
                                     const struct wm_yaml_node *section,
                                     const struct wm_study_texts *added)
{
    struct wm_study *study = reader->study;
    struct wm_study_texts named = {NULL, 0};
    if (section)
        WM_TRY(wm_study_list(reader, section, &named));
    if (named.count + (uint64_t)added->count > WM_STUDY_MOST_PLUGINS) {
        wm_fail(reader->error, WM_LIMIT, "more than %d plug-ins", (int)WM_STUDY_MOST_PLUGINS);
        return section ? wm_yaml_point_node(&study->tree, section, reader->error) : WM_LIMIT;
    }
    study->plugins = WM_ARENA_ARRAY(&study->arena, struct wm_study_plugin, WM_STUDY_MOST_PLUGINS);
    if (!study->plugins)
        return wm_study_no_memory(reader);
    for (uint32_t i = 0; i < named.count; i++)
        if (load_relative(reader, named.items[i]) != WM_OK)
            return blame(reader, section, named.items[i]);
    for (uint32_t i = 0; i < added->count; i++)
        WM_TRY(load(reader, added->items[i], added->items[i]));
    return WM_OK;
}

// ---- Which machines use them -------------------------------------------------------------------

// A value names an entry by itself or with parameters behind it: "lfu(most=3)".
static bool names_entry(const struct wm_machine_values *values, const char *entries)
{
    for (uint32_t i = 0; i < values->count; i++) {
        char word[64];
        const char *value = values->values[i].value;
        snprintf(word, sizeof word, " %.*s ", (int)strcspn(value, "("), value);
        if (word[1] != ' ' && strstr(entries, word))
            return true;
    }
    return false;
}

enum wm_status wm_study_plugins_of(const struct wm_study *study, const char *description,
                                   uint32_t *used, struct wm_error *error)
{
    struct wm_machine_values values;
    struct wm_arena arena;
    *used = 0;
    if (study->plugin_count == 0)
        return WM_OK;
    wm_arena_init(&arena);
    enum wm_status status = wm_machine_values_read(&values, description, &arena, error);
    for (uint32_t i = 0; i < study->plugin_count && status == WM_OK; i++)
        if (names_entry(&values, study->plugins[i].entries))
            *used |= UINT32_C(1) << i;
    wm_arena_release(&arena);
    return status;
}

void wm_study_plugins_mark(const struct wm_study *study, uint32_t used, struct wm_text *text)
{
    for (uint32_t i = 0; i < study->plugin_count; i++)
        if (used >> i & 1)
            wm_text_format(text, "# plug-in: %s\n", study->plugins[i].hash);
}
