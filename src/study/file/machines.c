// The section "machines": a base, axes whose values are settings of it, and their cross product.
#include "engine/session/live_cores.h"
#include "engine/session/session.h"
#include "exec/warp_width.h"
#include "machine/machine.h"
#include "machine/preset.h"
#include "study/file/fields.h"
#include "study/file/plugin_section.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST_SETTINGS = 256 };

// What an axis' value does to the machine.
struct change {
    const char *base; // NULL: the study's
    struct wm_study_texts settings;
    const struct wm_yaml_node **nodes; // by setting: where it stands
    const struct wm_yaml_node *node;   // of the settings, or of the value itself
};

struct machines {
    struct wm_study_reader *reader;
    struct change common;
    struct change *changes[WM_STUDY_MOST_AXES]; // by value
    struct wm_axis *axes;
    uint8_t (*rows)[WM_STUDY_MOST_AXES];
    uint32_t axis_count, row_count;
};

// A preset, or a file in the study's folder; there must be one.
static enum wm_status take_base(const struct wm_study_reader *reader,
                                const struct wm_yaml_node *group, const char *key,
                                const char **base)
{
    const char *name, *ending;
    char path[PATH_MAX], found[PATH_MAX];
    WM_TRY(wm_study_text(reader, group, key, false, &name));
    *base = NULL;
    if (name[0] == '\0')
        return WM_OK;
    ending = strrchr(name, '.');
    bool is_file = strchr(name, '/') || (ending && strcmp(ending, ".yaml") == 0);
    bool relative = is_file && name[0] != '/';
    int length = snprintf(path, sizeof path, "%s%s%s", relative ? reader->study->folder : "",
                          relative ? "/" : "", name);
    enum wm_status status;
    if (length < 0 || (size_t)length >= sizeof path)
        status = wm_fail(reader->error, WM_INVALID, "the path of the machine is too long");
    else if (is_file && access(path, R_OK) != 0)
        status =
            wm_fail(reader->error, WM_NOT_FOUND, "cannot read \"%s\": %s", path, strerror(errno));
    else
        status = wm_preset_path(path, found, sizeof found, reader->error);
    if (status != WM_OK)
        return wm_yaml_point_node(&reader->study->tree, wm_yaml_find(group, key), reader->error);
    *base = wm_arena_copy_text(&reader->study->arena, path, (size_t)length);
    return *base ? WM_OK : wm_study_no_memory(reader);
}

// A file that a setting names is relative to the study's folder, as everything that it names.
static const char *relative_to_study(const struct wm_study_reader *reader, const char *setting)
{
    const char *file = wm_machine_setting_file(setting);
    if (!file || file[0] == '/')
        return setting;
    struct wm_text text;
    wm_text_init(&text);
    wm_text_append(&text, setting, (size_t)(file - setting));
    wm_text_format(&text, "%s/%s", reader->study->folder, file);
    const char *made =
        text.failed ? NULL : wm_arena_copy_text(&reader->study->arena, text.data, text.length);
    wm_text_release(&text);
    return made;
}

// One setting, or a list of them.
static enum wm_status take_settings(const struct wm_study_reader *reader,
                                    const struct wm_yaml_node *node, struct change *change)
{
    change->node = node;
    WM_TRY(wm_study_list(reader, node, &change->settings));
    change->nodes = WM_ARENA_ARRAY(&reader->study->arena, const struct wm_yaml_node *,
                                   change->settings.count + UINT64_C(1));
    if (!change->nodes)
        return wm_study_no_memory(reader);
    const struct wm_yaml_node *item = node->kind == WM_YAML_SEQUENCE ? node->first : node;
    for (uint32_t i = 0; i < change->settings.count; i++, item = item->next) {
        change->nodes[i] = item;
        change->settings.items[i] = relative_to_study(reader, change->settings.items[i]);
        if (!change->settings.items[i])
            return wm_study_no_memory(reader);
    }
    return WM_OK;
}

// "[gpu.l2.size=1MiB]", one setting, or "{machine: h100, set: [...]}".
static enum wm_status take_change(const struct wm_study_reader *reader,
                                  const struct wm_yaml_node *node, struct change *change)
{
    static const char *const keys[] = {"machine", "set", NULL};
    change->node = node;
    if (node->kind != WM_YAML_MAPPING)
        return take_settings(reader, node, change);
    WM_TRY(wm_study_keys(reader, node, keys));
    WM_TRY(take_base(reader, node, "machine", &change->base));
    const struct wm_yaml_node *settings = wm_yaml_find(node, "set");
    return settings ? take_settings(reader, settings, change) : WM_OK;
}

static enum wm_status take_values(struct machines *machines, const struct wm_yaml_node *node,
                                  const char **values, struct change *changes)
{
    uint32_t i = 0;
    for (const struct wm_yaml_node *value = node->first; value; value = value->next, i++) {
        WM_TRY(wm_study_label(machines->reader, value));
        values[i] = value->key;
        WM_TRY(take_change(machines->reader, value, &changes[i]));
    }
    return WM_OK;
}

// An axis of all sets of some members of a list: each value sets the list to what its set has, and
// what comes with it, but the empty one, which changes nothing.
static enum wm_status take_subsets(struct machines *machines, const struct wm_yaml_node *node,
                                   const struct wm_yaml_node *members, const char **values,
                                   struct change *changes)
{
    struct wm_study_reader *reader = machines->reader;
    struct change common = {0};
    const struct wm_yaml_node *with = wm_yaml_find(node, "with");
    if (with)
        WM_TRY(take_settings(reader, with, &common));
    for (uint32_t set = 0; set < UINT32_C(1) << members->count; set++) {
        struct change *change = &changes[set];
        const char *setting;
        change->node = members;
        WM_TRY(wm_study_subset(reader, node, members, set, &values[set], &setting));
        if (set == 0)
            continue;
        uint32_t count = common.settings.count;
        change->settings = (struct wm_study_texts){
            WM_ARENA_ARRAY(&reader->study->arena, const char *, count + UINT64_C(1)), count + 1};
        change->nodes =
            WM_ARENA_ARRAY(&reader->study->arena, const struct wm_yaml_node *, count + UINT64_C(1));
        if (!change->settings.items || !change->nodes)
            return wm_study_no_memory(reader);
        for (uint32_t i = 0; i < count; i++) {
            change->settings.items[i] = common.settings.items[i];
            change->nodes[i] = common.nodes[i];
        }
        change->settings.items[count] = setting;
        change->nodes[count] = members;
    }
    return WM_OK;
}

static enum wm_status take_axis(struct machines *machines, const struct wm_yaml_node *node)
{
    struct wm_study_reader *reader = machines->reader;
    struct wm_axis *axis = &machines->axes[machines->axis_count];
    WM_TRY(wm_study_label(reader, node));
    WM_TRY(wm_study_group(reader, node, "an axis"));
    const struct wm_yaml_node *members;
    WM_TRY(wm_study_subsets_of(reader, node, &members));
    uint64_t count = members ? UINT64_C(1) << members->count : node->count;
    if (count > WM_STUDY_MOST_VALUES) {
        wm_fail(reader->error, WM_LIMIT, "axis %s has more than %d values", node->key,
                (int)WM_STUDY_MOST_VALUES);
        return wm_yaml_point_key(&reader->study->tree, node, reader->error);
    }
    const char **values = WM_ARENA_ARRAY(&reader->study->arena, const char *, count);
    struct change *changes = WM_ARENA_ARRAY(&reader->study->arena, struct change, count);
    if (!values || !changes)
        return wm_study_no_memory(reader);
    *axis = (struct wm_axis){node->key, values, (uint32_t)count};
    machines->changes[machines->axis_count++] = changes;
    return members ? take_subsets(machines, node->first, members, values, changes)
                   : take_values(machines, node, values, changes);
}

static enum wm_status take_axes(struct machines *machines, const struct wm_yaml_node *node)
{
    struct wm_study_reader *reader = machines->reader;
    machines->axes = WM_ARENA_ARRAY(&reader->study->arena, struct wm_axis, WM_STUDY_MOST_AXES);
    if (!machines->axes)
        return wm_study_no_memory(reader);
    if (node) {
        WM_TRY(wm_study_group(reader, node, "axes"));
        if (node->count > WM_STUDY_MOST_AXES) {
            wm_fail(reader->error, WM_LIMIT, "more than %d axes", (int)WM_STUDY_MOST_AXES);
            return wm_yaml_point_key(&reader->study->tree, node, reader->error);
        }
        for (const struct wm_yaml_node *axis = node->first; axis; axis = axis->next)
            WM_TRY(take_axis(machines, axis));
    }
    reader->study->names.axes = machines->axes;
    reader->study->names.axis_count = machines->axis_count;
    return WM_OK;
}

static bool is_selected(const struct machines *machines, const uint8_t *row, const uint64_t *masks)
{
    for (uint32_t a = 0; a < machines->axis_count; a++)
        if (!(masks[a] >> row[a] & 1))
            return false;
    return true;
}

// The next combination of values, the last axis quickest; false after the last.
static bool step(const struct machines *machines, uint8_t *row)
{
    for (uint32_t a = machines->axis_count; a-- > 0;) {
        if (++row[a] < machines->axes[a].value_count)
            return true;
        row[a] = 0;
    }
    return false;
}

// Which combinations there are: all, or those that a line of "cross" selects; in the axes' order.
static enum wm_status take_cross(struct machines *machines, const struct wm_yaml_node *node)
{
    struct wm_study_reader *reader = machines->reader;
    uint32_t lines = node ? node->count : 0;
    uint64_t combinations = 1, masks[WM_STUDY_MOST_AXES];
    uint8_t row[WM_STUDY_MOST_AXES] = {0};
    if (node && (node->kind != WM_YAML_SEQUENCE || lines == 0)) {
        wm_fail(reader->error, WM_INVALID, "cross holds a list, as \"- {l2: [128KiB, 1MiB]}\"");
        return wm_yaml_point_node(&reader->study->tree, node, reader->error);
    }
    for (uint32_t a = 0; a < machines->axis_count; a++)
        combinations *= machines->axes[a].value_count;
    if (combinations > UINT64_C(1) << 22)
        return wm_fail(reader->error, WM_LIMIT,
                       "the axes have more than four million combinations");
    bool *selected = calloc(combinations, sizeof *selected);
    if (!selected)
        return wm_study_no_memory(reader);
    enum wm_status status = WM_OK;
    const struct wm_yaml_node *line = node ? node->first : NULL;
    memset(masks, 0xff, sizeof masks);
    do {
        if (line)
            status = wm_study_selection(reader, line, masks);
        uint64_t i = 0;
        do {
            selected[i] = selected[i] || is_selected(machines, row, masks);
            i++;
        } while (step(machines, row));
        line = line ? line->next : NULL;
    } while (line && status == WM_OK);
    machines->rows =
        wm_arena_alloc(&reader->study->arena, WM_STUDY_MOST_MACHINES * sizeof *machines->rows, 1);
    if (status == WM_OK && !machines->rows)
        status = wm_study_no_memory(reader);
    for (uint64_t i = 0; i < combinations && status == WM_OK; i++, step(machines, row)) {
        if (!selected[i] || !machines->rows)
            continue;
        if (machines->row_count == WM_STUDY_MOST_MACHINES)
            status = wm_fail(reader->error, WM_LIMIT, "more than %d machines",
                             (int)WM_STUDY_MOST_MACHINES);
        else
            memcpy(machines->rows[machines->row_count++], row, sizeof row);
    }
    free(selected);
    return status;
}

// ---- Building them ------------------------------------------------------------------------------

static const struct wm_yaml_node *setting_node(const struct change *change, const char *setting)
{
    for (uint32_t i = 0; i < change->settings.count; i++)
        if (strcmp(change->settings.items[i], setting) == 0)
            return change->nodes[i];
    return NULL;
}

// A machine that cannot be: points at the setting that the error speaks of, else at the last one.
static enum wm_status blame(struct machines *machines, const uint8_t *row, const char *label,
                            const char *const *settings, uint32_t count)
{
    struct wm_error *error = machines->reader->error;
    const struct wm_yaml_node *found = machines->common.node;
    struct wm_error cause = *error;
    bool named = false, in_setting = strncmp(cause.place, "--set", 5) == 0;
    bool setting_place = in_setting && cause.place[5] == ' ';
    for (uint32_t i = count; i-- > 0 && !named;) {
        size_t length = strlen(settings[i]);
        named =
            (strncmp(cause.excerpt, settings[i], length) == 0 && cause.excerpt[length] == '\n') ||
            (setting_place && strcmp(cause.place + 6, settings[i]) == 0);
        if (!named && i + 1 < count)
            continue;
        for (uint32_t a = 0; a <= machines->axis_count; a++) {
            const struct change *change =
                a < machines->axis_count ? &machines->changes[a][row[a]] : &machines->common;
            const struct wm_yaml_node *node = setting_node(change, settings[i]);
            found = node ? node : found;
        }
    }
    wm_fail(error, cause.status, "machine \"%s\": %s%s%s", label, in_setting ? "" : cause.place,
            cause.place[0] && !in_setting ? ": " : "", cause.message);
    if (cause.hint[0])
        wm_error_hint(error, "%s", cause.hint);
    return found ? wm_yaml_point_node(&machines->reader->study->tree, found, error) : cause.status;
}

static enum wm_status make_label(struct machines *machines, const uint8_t *row, const char *base,
                                 const char **label)
{
    struct wm_text text;
    wm_text_init(&text);
    for (uint32_t a = 0; a < machines->axis_count; a++) {
        const char *value = machines->axes[a].values[row[a]];
        if (strcmp(value, WM_STUDY_NEUTRAL) != 0)
            wm_text_format(&text, "%s%s", text.length > 0 ? ", " : "", value);
    }
    if (text.length == 0)
        wm_text_add(&text, base);
    *label = text.failed
                 ? NULL
                 : wm_arena_copy_text(&machines->reader->study->arena, text.data, text.length);
    wm_text_release(&text);
    return *label ? WM_OK : wm_study_no_memory(machines->reader);
}

// Whether points can be replayed on that machine or, without a row, workloads be recorded on it.
static enum wm_status check_engine(const struct machines *machines,
                                   const struct wm_machine *machine, const uint8_t *row)
{
    const struct wm_study *study = machines->reader->study;
    struct wm_session_options options = {
        .memory = true, .clock = study->clock, .explain = study->explain};
    if (row == NULL)
        options = (struct wm_session_options){.memory = !study->any_order &&
                                                        wm_engine_order_needs_memory(machine)};
    enum wm_status status = WM_OK;
    if (row == NULL)
        status = wm_program_check_width(machine->sm.warp_width, machines->reader->error);
    if (status != WM_OK)
        return wm_yaml_point_node(&study->tree, machines->common.node, machines->reader->error);
    status = wm_engine_check(machine, &options, machines->reader->error);
    if (status == WM_OK && row != NULL && study->host_threads)
        status = wm_live_cores_check(machine, &options, machines->reader->error);
    else if (status == WM_UNSUPPORTED && row == NULL)
        wm_error_hint(machines->reader->error,
                      "say \"order: any\", or record on another base and name this machine by an "
                      "axis");
    else if (status == WM_UNSUPPORTED && !study->clock)
        wm_error_hint(machines->reader->error,
                      "say \"engine: clock\", or set the machine otherwise");
    if (status != WM_OK)
        wm_yaml_point_node(&study->tree, machines->common.node, machines->reader->error);
    return status;
}

// Loads a machine with its settings and keeps its effective description. `row` NULL: the base.
static enum wm_status describe(struct machines *machines, const uint8_t *row,
                               struct wm_study_machine *made)
{
    struct wm_study *study = machines->reader->study;
    static const uint8_t nothing[WM_STUDY_MOST_AXES];
    const char *base = machines->common.base ? machines->common.base : "v100";
    const char *settings[MOST_SETTINGS];
    uint32_t count = 0, axes = row ? machines->axis_count : 0;
    for (uint32_t a = 0; a <= axes; a++) {
        const struct change *change = a ? &machines->changes[a - 1][row[a - 1]] : &machines->common;
        base = change->base ? change->base : base;
        if (count + change->settings.count > MOST_SETTINGS)
            return wm_fail(machines->reader->error, WM_LIMIT, "more than %d settings",
                           (int)MOST_SETTINGS);
        for (uint32_t i = 0; i < change->settings.count; i++)
            settings[count++] = change->settings.items[i];
    }
    made->label = base;
    if (row)
        WM_TRY(make_label(machines, row, base, &made->label));
    struct wm_machine *machine = malloc(sizeof *machine);
    if (!machine)
        return wm_study_no_memory(machines->reader);
    struct wm_text text;
    wm_text_init(&text);
    enum wm_status status = wm_machine_load_with(&study->loaded, base, settings, count, machine,
                                                 machines->reader->error);
    if (status != WM_OK)
        status = blame(machines, row ? row : nothing, made->label, settings, count);
    else
        wm_machine_print(machine, &text);
    if (status == WM_OK)
        status = check_engine(machines, machine, row);
    free(machine);
    if (status == WM_OK && !text.failed)
        made->description = wm_arena_copy_text(&study->arena, text.data, text.length);
    if (status == WM_OK && !made->description)
        status = wm_study_no_memory(machines->reader);
    if (status == WM_OK)
        status =
            wm_study_plugins_of(study, made->description, &made->plugins, machines->reader->error);
    // Other results of the same machine are not these.
    if (status == WM_OK && study->clock)
        wm_text_add(&text, "# engine: clock\n");
    if (status == WM_OK && study->explain)
        wm_text_add(&text, "# explain: true\n");
    if (status == WM_OK && study->profiled)
        wm_text_add(&text, "# profiled: true\n");
    if (status == WM_OK && study->host_threads)
        wm_text_add(&text, "# host_threads: true\n");
    wm_study_plugins_mark(study, made->plugins, &text);
    if (status == WM_OK && text.failed)
        status = wm_study_no_memory(machines->reader);
    if (status == WM_OK)
        wm_study_hash(text.data, text.length, made->hash);
    wm_text_release(&text);
    return status;
}

enum wm_status wm_study_read_machines(struct wm_study_reader *reader,
                                      const struct wm_yaml_node *section)
{
    static const char *const keys[] = {"base", "set", "axes", "cross", NULL};
    struct wm_study *study = reader->study;
    struct machines machines = {.reader = reader};
    if (section) {
        WM_TRY(wm_study_keys(reader, section, keys));
        WM_TRY(take_base(reader, section, "base", &machines.common.base));
        const struct wm_yaml_node *settings = wm_yaml_find(section, "set");
        machines.common.node = section;
        if (settings)
            WM_TRY(take_settings(reader, settings, &machines.common));
    }
    WM_TRY(take_axes(&machines, section ? wm_yaml_find(section, "axes") : NULL));
    WM_TRY(take_cross(&machines, section ? wm_yaml_find(section, "cross") : NULL));
    struct wm_study_machine base = {0};
    WM_TRY(describe(&machines, NULL, &base));
    study->recorded_on = base.description;
    study->recorded_plugins = base.plugins;
    study->machines = WM_ARENA_ARRAY(&study->arena, struct wm_study_machine, machines.row_count);
    if (!study->machines)
        return wm_study_no_memory(reader);
    for (uint32_t i = 0; i < machines.row_count; i++)
        WM_TRY(describe(&machines, machines.rows[i], &study->machines[i]));
    study->machine_count = machines.row_count;
    study->names.machines = (const uint8_t(*)[WM_STUDY_MOST_AXES])machines.rows;
    study->names.machine_count = machines.row_count;
    return WM_OK;
}
