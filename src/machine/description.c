#include "machine/description.h"

#include "base/text/nearest.h"
#include "base/text/text_position.h"
#include "machine/preset.h"
#include "machine/referenced_file.h"
#include "machine/row_table.h"

#include <assert.h>
#include <limits.h>

enum wm_status wm_description_point(const struct wm_description *description, uint32_t line,
                                    uint32_t column)
{
    return wm_error_point(description->error, description->file, description->text,
                          description->length, (struct wm_text_place){line, column});
}

enum wm_status wm_description_point_value(const struct wm_description *description,
                                          const struct wm_value_source *source)
{
    switch (source->origin) {
    case WM_VALUE_FILE: return wm_description_point(description, source->line, source->column);
    case WM_VALUE_SETTING:
        return wm_error_place(description->error, "--set %s",
                              description->settings[source->setting]);
    case WM_VALUE_ABSENT:
    case WM_VALUE_DEFAULT:
    case WM_VALUE_BASE: break;
    }
    return wm_error_place(description->error, "%s", description->file);
}

static void unknown_setting(const struct wm_description *description, const char *path)
{
    struct wm_nearest nearest;
    wm_nearest_init(&nearest, path);
    struct wm_machine_key key;
    char same_name[sizeof key.path] = "", best[sizeof key.path];
    for (uint32_t number = 0; number < WM_MACHINE_KEY_NUMBERS; number++) {
        if (!wm_machine_key_at(description->machine, number, &key))
            continue;
        wm_nearest_offer(&nearest, key.path);
        if (nearest.best == key.path) // which the next one overwrites
            nearest.best = memcpy(best, key.path, sizeof best);
        if (!same_name[0] && strcmp(wm_machine_key_name(key.path), wm_machine_key_name(path)) == 0)
            memcpy(same_name, key.path, sizeof same_name);
    }
    wm_fail(description->error, WM_INVALID, "unknown key \"%s\"", path);
    const char *meant = nearest.best ? nearest.best : same_name[0] ? same_name : NULL;
    if (meant)
        wm_error_hint(description->error, "did you mean %s?", meant);
    else
        wm_error_hint(description->error, "\"warpmem machine keys\" lists the keys");
}

enum wm_status wm_description_value(struct wm_description *description,
                                    const struct wm_machine_key *key, const char *text,
                                    bool setting)
{
    struct wm_error *error = description->error;
    const char *referrer = setting ? NULL : description->file;
    if (key->type == WM_KEY_ROWS) {
        void *field = (char *)description->machine + key->offset;
        memset(field, 0, key->bytes);
        return wm_row_table_read(key->rows, text, referrer, field, error);
    }
    if (key->type != WM_KEY_SELECTORS || text[0] != '@')
        return wm_machine_key_parse(key, text, description->machine, error);
    char path[PATH_MAX];
    WM_TRY(wm_referenced_file_path(referrer, text + 1, path, sizeof path, error));
    struct wm_text list;
    wm_text_init(&list);
    enum wm_status status = wm_bypass_list_read(path, &list, error);
    if (status == WM_OK)
        status = wm_machine_key_parse(key, list.data, description->machine, error);
    wm_text_release(&list);
    return status;
}

static enum wm_status set(struct wm_description *description, uint32_t index)
{
    const char *setting = description->settings[index];
    const char *equals = strchr(setting, '=');
    char path[64];
    size_t length = equals ? (size_t)(equals - setting) : strlen(setting);
    snprintf(path, sizeof path, "%.*s", (int)(length < sizeof path ? length : sizeof path - 1),
             setting);
    if (wm_machine_group_of(description->machine, path) < WM_MACHINE_GROUP_NUMBERS) {
        wm_fail(description->error, WM_INVALID, "\"%s\" is a group of keys, not a key", path);
        wm_error_hint(description->error, "set the keys in it one by one: --set %s.KEY=VALUE",
                      path);
        return WM_INVALID;
    }
    struct wm_machine_key key;
    if (!wm_machine_key_of(description->machine, path, &key)) {
        unknown_setting(description, path);
        return WM_INVALID;
    }
    if (!equals) {
        wm_fail(description->error, WM_INVALID, "the setting has no value");
        wm_error_hint(description->error, "write it like --set %s=VALUE", path);
        return WM_INVALID;
    }
    WM_TRY(wm_description_value(description, &key, equals + 1, true));
    description->values[key.number] = (struct wm_value_source){WM_VALUE_SETTING, .setting = index};
    return WM_OK;
}

enum wm_status wm_description_set(struct wm_description *description, uint32_t index)
{
    enum wm_status status = set(description, index);
    if (status != WM_OK && !description->error->place[0])
        wm_error_place(description->error, "--set %s", description->settings[index]);
    return status;
}

const char *wm_machine_setting_file(const char *setting)
{
    char path[64];
    size_t length = strcspn(setting, "=");
    if (length >= sizeof path || setting[length] != '=')
        return NULL;
    memcpy(path, setting, length);
    path[length] = '\0';
    const struct wm_machine_key *key = wm_machine_key_find(path);
    const char *value = setting + length + 1;
    if (key && key->type == WM_KEY_SELECTORS && value[0] == '@')
        return value + 1;
    bool is_table = key && key->type == WM_KEY_ROWS && value[0] != '[';
    return is_table && wm_preset_is_file(value) ? value : NULL;
}

const struct wm_value_source *wm_description_group_around(const struct wm_description *description,
                                                          const char *path)
{
    const struct wm_value_source *around = &description->root;
    struct wm_machine_group group;
    for (uint32_t number = 0; number < WM_MACHINE_GROUP_NUMBERS; number++) {
        if (description->groups[number].origin != WM_VALUE_FILE ||
            !wm_machine_group_at(description->machine, number, &group))
            continue;
        size_t length = strlen(group.path);
        if (strncmp(path, group.path, length) == 0 && path[length] == '.')
            around = &description->groups[number];
    }
    return around;
}

// A missing key is blamed on the innermost group around it that is there, or on the file's first
// key.
static enum wm_status missing(const struct wm_description *description,
                              const struct wm_machine_key *key)
{
    struct wm_text example;
    wm_text_init(&example);
    wm_machine_key_range_text(key, &example);
    wm_fail(description->error, WM_INVALID, "required key \"%s\" is missing", key->path);
    wm_error_hint(description->error, "add it: %s (legal is %s)", key->sentence,
                  example.failed ? "a range" : example.data);
    wm_text_release(&example);
    const struct wm_value_source *around = wm_description_group_around(description, key->path);
    wm_description_point(description, around->line, around->column);
    return WM_INVALID;
}

static enum wm_value_origin origin_of(const struct wm_description *description, const char *path)
{
    return description->values[wm_machine_key_find(path)->number].origin;
}

// A level that is not there need not be described; its size says whether it is.
static bool is_left_out(const struct wm_description *description, const struct wm_machine_key *key)
{
    const struct wm_machine *machine = description->machine;
    uint32_t level = wm_machine_level_at(key->offset);
    return level < WM_MOST_LEVELS && !machine->memory.levels[level].cache.present &&
           machine->memory.levels[level].cache.size_bytes == 0;
}

// A setting of gpu.l1.size is an L1 of that size whatever the kernel, so it ends the division of a
// unified array that leaves another, unless a setting names the array too.
static void separate_l1_from_unified(const struct wm_description *description)
{
    struct wm_machine *machine = description->machine;
    if (machine->sm.shared_bytes + machine->memory.levels[WM_LEVEL_L1].cache.size_bytes !=
            machine->sm.unified_bytes &&
        origin_of(description, "gpu.l1.size") == WM_VALUE_SETTING &&
        origin_of(description, "gpu.sm.carveouts") != WM_VALUE_SETTING &&
        origin_of(description, "gpu.sm.unified") != WM_VALUE_SETTING)
        machine->sm.unified_bytes = 0;
}

// Where there are cores, the levels of a place are of its units alone.
static void assign_units(struct wm_memory_spec *memory)
{
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        struct wm_level_spec *level = &memory->levels[i];
        struct wm_unit_group units = wm_units_of(memory, level->place);
        bool of_all = memory->core_count == 0 || level->place == WM_PLACE_MACHINE;
        level->first_unit = of_all ? 0 : units.first;
        level->unit_count = of_all ? 0 : units.count;
    }
}

static void derive(struct wm_machine *machine)
{
    struct wm_memory_spec *memory = &machine->memory;
    struct wm_level_spec *l1 = &memory->levels[WM_LEVEL_L1];
    machine->sm.coalescer_line_bytes = l1->cache.line_bytes;
    memory->sm_count = machine->sm.count;
    l1->divergence.schedulers = machine->sm.schedulers;
    l1->divergence.warp_width = machine->sm.warp_width;
    l1->divergence.max_warps = machine->sm.max_warps;
    for (enum wm_side_cache_kind kind = 0; kind < WM_SIDE_CACHE_KINDS; kind++)
        memory->levels[WM_LEVEL_SIDE + kind].cache.sector_bytes =
            memory->levels[WM_LEVEL_SIDE + kind].cache.line_bytes;
    assign_units(memory);
}

enum wm_status wm_description_complete(struct wm_description *description)
{
    struct wm_machine_key key;
    for (uint32_t number = 0; number < WM_MACHINE_KEY_NUMBERS; number++) {
        if (description->values[number].origin != WM_VALUE_ABSENT ||
            !wm_machine_key_at(description->machine, number, &key))
            continue;
        if (!key.fallback && is_left_out(description, &key))
            continue;
        if (!key.fallback)
            return missing(description, &key);
        enum wm_status status =
            wm_machine_key_parse(&key, key.fallback, description->machine, description->error);
        assert(status == WM_OK); // the table's defaults are legal: a test checks them
        (void)status;
        description->values[number].origin = WM_VALUE_DEFAULT;
    }
    separate_l1_from_unified(description);
    derive(description->machine);
    return WM_OK;
}
