#include "machine/plugins.h"

#include "base/containers/array.h"
#include "mem/bypass/bypass.h"
#include "mem/prefetch/prefetch.h"
#include "mem/replacement/replacement.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_ENTRIES = 64,
    MOST_STATE_BYTES =
        1 << 24, // for an array; a set or a line has less, or the host has not enough
    MOST_SMALL_STATE_BYTES = 1 << 16,
    LONGEST_NAME = 31,
};

struct wm_loaded_plugin {
    void *handle;
    const struct wm_plugin *plugin;
    char *path; // owned
};

void wm_plugins_init(struct wm_plugins *plugins)
{
    *plugins = (struct wm_plugins){0};
}

void wm_plugins_release(struct wm_plugins *plugins)
{
    for (size_t i = plugins->count; i-- > 0;) {
        dlclose(plugins->loaded[i].handle);
        free(plugins->loaded[i].path);
    }
    free(plugins->loaded);
    *plugins = (struct wm_plugins){0};
}

// The entry of that index among those of all plug-ins.
#define ENTRIES(kind, table, table_count)                                             \
    const struct wm_##kind##_ops *wm_plugins_##kind(const struct wm_plugins *plugins, \
                                                    size_t index, const char **file)  \
    {                                                                                 \
        for (size_t i = 0; plugins && i < plugins->count; i++) {                      \
            const struct wm_plugin *plugin = plugins->loaded[i].plugin;               \
            if (index < plugin->table_count) {                                        \
                if (file)                                                             \
                    *file = plugins->loaded[i].path;                                  \
                return plugin->table[index];                                          \
            }                                                                         \
            index -= plugin->table_count;                                             \
        }                                                                             \
        return NULL;                                                                  \
    }

ENTRIES(replacement, replacements, replacement_count)
ENTRIES(bypass, bypasses, bypass_count)
ENTRIES(prefetch, prefetchers, prefetcher_count)

// ---- What an entry must have -------------------------------------------------------------------

// What entries of both kinds have, by one name.
struct entry {
    const char *kind, *name;
    const char *title, *source, *sentence;
    const struct wm_parameter *parameters;
    size_t parameter_count;
};

static bool is_word(const char *text)
{
    if (!text || !islower((unsigned char)text[0]) || strlen(text) > LONGEST_NAME)
        return false;
    for (const char *p = text; *p; p++)
        if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && !strchr("-_", *p))
            return false;
    return true;
}

static bool is_line(const char *text)
{
    return text && text[0] && !strchr(text, '\n');
}

static enum wm_status check_parameters(const struct entry *entry, struct wm_error *error)
{
    if (entry->parameter_count > WM_MAX_PARAMETERS ||
        (entry->parameter_count && !entry->parameters))
        return wm_fail(error, WM_INVALID, "%s entry \"%s\" has %zu parameters; legal is at most %d",
                       entry->kind, entry->name, entry->parameter_count, (int)WM_MAX_PARAMETERS);
    for (size_t i = 0; i < entry->parameter_count; i++) {
        const struct wm_parameter *parameter = &entry->parameters[i];
        if (!is_word(parameter->name) || !is_line(parameter->sentence) ||
            parameter->fallback < parameter->minimum || parameter->fallback > parameter->maximum)
            return wm_fail(error, WM_INVALID,
                           "parameter %zu of %s entry \"%s\" has no good name, sentence or default",
                           i + 1, entry->kind, entry->name);
    }
    return WM_OK;
}

static enum wm_status check_texts(const struct entry *entry, struct wm_error *error)
{
    if (!is_word(entry->name)) {
        wm_fail(error, WM_INVALID, "a %s entry has no good name", entry->kind);
        return wm_error_hint(error,
                             "use at most %d lower-case letters, digits, \"-\" and \"_\", the "
                             "first a letter",
                             (int)LONGEST_NAME);
    }
    const char *missing = !is_line(entry->title)      ? "title"
                          : !is_line(entry->source)   ? "source"
                          : !is_line(entry->sentence) ? "sentence"
                                                      : NULL;
    if (missing)
        return wm_fail(error, WM_INVALID, "%s entry \"%s\" has no %s of one line", entry->kind,
                       entry->name, missing);
    return check_parameters(entry, error);
}

static enum wm_status taken(const struct entry *entry, const char *by, struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "the name of %s entry \"%s\" is taken by %s", entry->kind,
            entry->name, by);
    return wm_error_hint(error, "give the plug-in's entry another name");
}

// What a kind's entries must have besides their texts.
static enum wm_status check_replacement(const struct wm_replacement_ops *ops,
                                        struct wm_error *error)
{
    if (!ops->uses_chain && (!ops->hit || !ops->insert || !ops->victim))
        return wm_fail(error, WM_INVALID,
                       "replacement entry \"%s\" keeps its own order, but has no hook %s",
                       ops->name,
                       !ops->hit      ? "hit"
                       : !ops->insert ? "insert"
                                      : "victim");
    if (ops->uses_chain && ops->victim)
        return wm_fail(error, WM_INVALID,
                       "replacement entry \"%s\" uses the chain, and has a hook victim", ops->name);
    if (ops->array_state_bytes > MOST_STATE_BYTES ||
        ops->set_state_bytes > MOST_SMALL_STATE_BYTES ||
        ops->word_state_bytes > MOST_SMALL_STATE_BYTES ||
        ops->line_state_bytes > MOST_SMALL_STATE_BYTES)
        return wm_fail(error, WM_INVALID,
                       "replacement entry \"%s\" wants more state than %d bytes an array or %d a "
                       "set or line",
                       ops->name, (int)MOST_STATE_BYTES, (int)MOST_SMALL_STATE_BYTES);
    return WM_OK;
}

static enum wm_status check_state(const char *kind, const char *name, size_t bytes,
                                  struct wm_error *error)
{
    if (bytes <= MOST_STATE_BYTES)
        return WM_OK;
    return wm_fail(error, WM_INVALID, "%s entry \"%s\" wants more state than %d bytes", kind, name,
                   (int)MOST_STATE_BYTES);
}

static enum wm_status check_bypass(const struct wm_bypass_ops *ops, struct wm_error *error)
{
    if (!ops->decide)
        return wm_fail(error, WM_INVALID, "bypass entry \"%s\" has no hook decide", ops->name);
    return check_state("bypass", ops->name, ops->state_bytes, error);
}

static enum wm_status check_prefetch(const struct wm_prefetch_ops *ops, struct wm_error *error)
{
    if (!ops->missed || !ops->dropped)
        return wm_fail(error, WM_INVALID, "prefetch entry \"%s\" has no hook %s", ops->name,
                       ops->missed ? "dropped" : "missed");
    return check_state("prefetch", ops->name, ops->state_bytes, error);
}

// ---- Loading -----------------------------------------------------------------------------------

// Everything after `abi` may lie elsewhere in another version: nothing of it is read before that
// agrees.
static enum wm_status check_interface(const struct wm_plugin *plugin, struct wm_error *error)
{
    if (plugin->abi != WARPMEM_PLUGIN_ABI) {
        wm_fail(error, WM_INVALID, "was built for plug-in interface %u, and this warpmem has %d",
                plugin->abi, WARPMEM_PLUGIN_ABI);
        return wm_error_hint(error, "build it again with this warpmem's warpmem/plugin.h");
    }
    const struct {
        const char *name;
        uint32_t has, wanted;
    } sizes[] = {
        {"wm_plugin", plugin->plugin_bytes, sizeof(struct wm_plugin)},
        {"wm_replacement_ops", plugin->replacement_bytes, sizeof(struct wm_replacement_ops)},
        {"wm_bypass_ops", plugin->bypass_bytes, sizeof(struct wm_bypass_ops)},
        {"wm_prefetch_ops", plugin->prefetch_bytes, sizeof(struct wm_prefetch_ops)},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i].has != sizes[i].wanted) {
            wm_fail(error, WM_INVALID, "has a struct %s of %u bytes, and this warpmem's has %u",
                    sizes[i].name, sizes[i].has, sizes[i].wanted);
            return wm_error_hint(error,
                                 "build it with this warpmem's warpmem/plugin.h and for this "
                                 "processor, and define it by WARPMEM_PLUGIN");
        }
    const struct {
        size_t count;
        bool given;
    } tables[] = {{plugin->replacement_count, plugin->replacements != NULL},
                  {plugin->bypass_count, plugin->bypasses != NULL},
                  {plugin->prefetcher_count, plugin->prefetchers != NULL}};
    size_t entries = 0;
    bool wrong = false;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        entries += tables[i].count;
        wrong |= tables[i].count > MOST_ENTRIES || (tables[i].count != 0 && !tables[i].given);
    }
    if (wrong || entries == 0) {
        wm_fail(error, WM_INVALID, "has no entries");
        return wm_error_hint(error, "name its tables and their counts in WARPMEM_PLUGIN");
    }
    return WM_OK;
}

// Each entry is held against what was loaded before and against those before it in its own table.
#define CHECK_ENTRIES(kind, table, table_count)                                                 \
    static enum wm_status check_##table(const struct wm_plugins *before,                        \
                                        const struct wm_plugin *plugin, struct wm_error *error) \
    {                                                                                           \
        for (size_t i = 0; i < plugin->table_count; i++) {                                      \
            const struct wm_##kind##_ops *ops = plugin->table[i], *other;                       \
            if (!ops)                                                                           \
                return wm_fail(error, WM_INVALID, #kind " entry %zu is NULL", i + 1);           \
            struct entry entry = {                                                              \
                #kind,         ops->name,       ops->title,          ops->source,               \
                ops->sentence, ops->parameters, ops->parameter_count};                          \
            WM_TRY(check_texts(&entry, error));                                                 \
            if (wm_##kind##_find(ops->name))                                                    \
                return taken(&entry, "warpmem's own", error);                                   \
            const char *file;                                                                   \
            for (size_t j = 0; (other = wm_plugins_##kind(before, j, &file)) != NULL; j++)      \
                if (strcmp(other->name, ops->name) == 0)                                        \
                    return taken(&entry, file, error);                                          \
            WM_TRY(check_##kind(ops, error));                                                   \
            for (size_t j = 0; j < i; j++)                                                      \
                if (strcmp(ops->name, plugin->table[j]->name) == 0)                             \
                    return wm_fail(error, WM_INVALID, "has two " #kind " entries \"%s\"",       \
                                   ops->name);                                                  \
        }                                                                                       \
        return WM_OK;                                                                           \
    }

CHECK_ENTRIES(replacement, replacements, replacement_count)
CHECK_ENTRIES(bypass, bypasses, bypass_count)
CHECK_ENTRIES(prefetch, prefetchers, prefetcher_count)

static enum wm_status open_file(const char *path, void **handle, struct wm_error *error)
{
    char local[PATH_MAX];
    int length = snprintf(local, sizeof local, "%s%s", strchr(path, '/') ? "" : "./", path);
    if (length < 0 || (size_t)length >= sizeof local)
        return wm_fail(error, WM_INVALID, "the path is too long");
    if (access(local, F_OK) != 0) {
        wm_fail(error, WM_NOT_FOUND, "there is no such file");
        return wm_error_hint(error, "build the plug-in: cc -shared -fPIC -o NAME.so NAME.c");
    }
    *handle = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (!*handle) {
        const char *why = dlerror();
        return wm_fail(error, WM_IO, "cannot be loaded: %s", why ? why : "no reason given");
    }
    return WM_OK;
}

static enum wm_status load_checked(const struct wm_plugins *plugins,
                                   struct wm_loaded_plugin *loaded, const char *path,
                                   struct wm_error *error)
{
    WM_TRY(open_file(path, &loaded->handle, error));
    loaded->plugin = dlsym(loaded->handle, "warpmem_plugin");
    if (!loaded->plugin) {
        wm_fail(error, WM_INVALID, "is no plug-in: it has no symbol warpmem_plugin");
        return wm_error_hint(error, "define it by WARPMEM_PLUGIN of warpmem/plugin.h");
    }
    WM_TRY(check_interface(loaded->plugin, error));
    WM_TRY(check_replacements(plugins, loaded->plugin, error));
    WM_TRY(check_bypasses(plugins, loaded->plugin, error));
    return check_prefetchers(plugins, loaded->plugin, error);
}

enum wm_status wm_plugins_load(struct wm_plugins *plugins, const char *path, struct wm_error *error)
{
    struct wm_loaded_plugin loaded = {.path = strdup(path)};
    enum wm_status status = WM_OK;
    if (!loaded.path || !WM_ARRAY_RESIZE(plugins->loaded, plugins->count + 1))
        status = wm_fail_no_memory(error, "a plug-in");
    else
        status = load_checked(plugins, &loaded, path, error);
    if (status == WM_OK) {
        plugins->loaded[plugins->count++] = loaded;
        return WM_OK;
    }
    if (loaded.handle)
        dlclose(loaded.handle);
    free(loaded.path);
    return wm_error_place(error, "plug-in %s", path);
}
