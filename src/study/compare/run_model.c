#include "study/compare/run_model.h"

#include "base/containers/array.h"
#include "base/names/counters.h"
#include "base/text/text.h"
#include "study/tables/level_columns.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct wm_run_model *model;
    const json_t *units; // of counters, by kind
    struct wm_error *error;
};

static enum wm_status no_memory(const struct reader *reader)
{
    return wm_fail_no_memory(reader->error, "the results of %s", reader->model->label);
}

static enum wm_status damaged(const struct reader *reader, const char *what)
{
    wm_fail(reader->error, WM_INVALID, "the results are damaged: %s", what);
    return wm_error_place(reader->error, "%s", reader->model->label);
}

// --- Values ---

static enum wm_status take_text(const struct reader *reader, const json_t *object, const char *key,
                                const char **text)
{
    const char *value = json_string_value(json_object_get(object, key));
    if (value == NULL)
        return damaged(reader, key);
    *text = wm_arena_copy_text(&reader->model->arena, value, strlen(value));
    return *text != NULL ? WM_OK : no_memory(reader);
}

// 0 where there is none.
static enum wm_status take_count(const struct reader *reader, const json_t *object, const char *key,
                                 uint64_t *count)
{
    const json_t *value = json_object_get(object, key);
    *count = 0;
    if (value == NULL)
        return WM_OK;
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return damaged(reader, key);
    *count = (uint64_t)json_integer_value(value);
    return WM_OK;
}

static enum wm_status take_number(const struct reader *reader, const json_t *object,
                                  const char *key, uint32_t *line)
{
    uint64_t count;
    WM_TRY(take_count(reader, object, key, &count));
    if (count > UINT32_MAX)
        return damaged(reader, key);
    *line = (uint32_t)count;
    return WM_OK;
}

// --- Counters ---

static void *as_place(uint32_t number)
{
    return (void *)((uintptr_t)number + 1);
}

static struct wm_model_counter *find(const struct wm_model_counters *counters, const char *key)
{
    uintptr_t place = (uintptr_t)wm_string_map_get(&counters->places, key, strlen(key));
    return place != 0 ? &counters->items[place - 1] : NULL;
}

const struct wm_model_counter *wm_model_find(const struct wm_model_counters *counters,
                                             const char *key)
{
    return find(counters, key);
}

static void release_counters(struct wm_model_counters *counters)
{
    free(counters->items);
    wm_string_map_release(&counters->places);
}

static const char *unit_of(const struct reader *reader, const char *kind, const char *name)
{
    const json_t *counters = json_object_get(json_object_get(reader->units, kind), "counters");
    const char *unit = json_string_value(json_object_get(json_object_get(counters, name), "unit"));
    return unit != NULL ? unit : "";
}

static enum wm_status new_counter(const struct reader *reader, struct wm_model_counters *counters,
                                  const char *key, const char *level, const char *kind,
                                  const char *name, struct wm_model_counter **result)
{
    struct wm_arena *arena = &reader->model->arena;
    if (!WM_ARRAY_RESERVE(counters->items, counters->count, counters->room, 1))
        return no_memory(reader);
    const char *unit = unit_of(reader, kind, name);
    struct wm_model_counter *made = &counters->items[counters->count];
    *made = (struct wm_model_counter){
        .key = wm_arena_copy_text(arena, key, strlen(key)),
        .level = wm_arena_copy_text(arena, level, strlen(level)),
        .kind = wm_arena_copy_text(arena, kind, strlen(kind)),
        .name = wm_arena_copy_text(arena, name, strlen(name)),
        .unit = wm_arena_copy_text(arena, unit, strlen(unit)),
    };
    if (made->key == NULL || made->level == NULL || made->kind == NULL || made->name == NULL ||
        made->unit == NULL ||
        !wm_string_map_put(&counters->places, made->key, strlen(made->key),
                           as_place(counters->count)))
        return no_memory(reader);
    counters->count++;
    *result = made;
    return WM_OK;
}

static enum wm_status add_component(const struct reader *reader, const json_t *component,
                                    struct wm_model_counters *counters)
{
    char level[WM_COMPONENT_PATH_BYTES], key[256];
    const char *path = json_string_value(json_object_get(component, "path")), *name;
    const char *kind = json_string_value(json_object_get(component, "kind"));
    const json_t *value, *values = json_object_get(component, "counters");
    if (path == NULL || kind == NULL || strlen(path) >= sizeof level || !json_is_object(values))
        return damaged(reader, "a component");
    wm_counter_level(path, level);
    json_object_foreach((json_t *)values, name, value)
    {
        struct wm_model_counter *counter;
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return damaged(reader, path);
        if ((size_t)snprintf(key, sizeof key, "%s %s", level, name) >= sizeof key)
            return damaged(reader, path);
        counter = find(counters, key);
        if (counter == NULL)
            WM_TRY(new_counter(reader, counters, key, level, kind, name, &counter));
        counter->value += (uint64_t)json_integer_value(value);
    }
    return WM_OK;
}

static enum wm_status take_components(const struct reader *reader, const json_t *object,
                                      struct wm_model_counters *counters)
{
    const json_t *list = json_object_get(object, "components");
    if (!json_is_array(list))
        return damaged(reader, "components");
    for (size_t i = 0; i < json_array_size(list); i++)
        WM_TRY(add_component(reader, json_array_get(list, i), counters));
    return WM_OK;
}

uint64_t wm_model_sum(const struct wm_model_counters *counters, const char *kind, const char *name)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < counters->count; i++)
        if (strcmp(counters->items[i].kind, kind) == 0 &&
            strcmp(counters->items[i].name, name) == 0)
            sum += counters->items[i].value;
    return sum;
}

// --- Kernels ---

static enum wm_status take_source(const struct reader *reader, const json_t *json,
                                  struct wm_model_instruction *it)
{
    const json_t *source = json_object_get(json, "source");
    const char *file = json_string_value(json_object_get(source, "file"));
    if (file == NULL)
        return WM_OK;
    const char *slash = strrchr(file, '/');
    file = slash != NULL ? slash + 1 : file;
    it->file = wm_arena_copy_text(&reader->model->arena, file, strlen(file));
    if (it->file == NULL)
        return no_memory(reader);
    return take_number(reader, source, "line", &it->line);
}

static enum wm_status take_instruction(const struct reader *reader, const json_t *json,
                                       struct wm_model_instruction *it)
{
    const struct wm_run_model *model = reader->model;
    const json_t *timed = json_object_get(json, "timed");
    WM_TRY(take_text(reader, json, "text", &it->text));
    WM_TRY(take_number(reader, json, "pc", &it->pc));
    WM_TRY(take_number(reader, json, "ptx_line", &it->ptx_line));
    WM_TRY(take_source(reader, json, it));
    it->opcode = wm_arena_copy_text(&reader->model->arena, it->text, strcspn(it->text, " \t"));
    if (it->opcode == NULL)
        return no_memory(reader);
    it->counters = WM_ARENA_ARRAY(&reader->model->arena, uint64_t, model->name_count);
    if (it->counters == NULL)
        return no_memory(reader);
    for (uint32_t i = 0; i < model->name_count; i++)
        WM_TRY(take_count(reader, json_object_get(json, "counters"), model->names[i],
                          &it->counters[i]));
    return take_count(reader, timed, "load_cycles", &it->load_cycles);
}

static enum wm_status take_instructions(const struct reader *reader, const json_t *json,
                                        struct wm_model_kernel *kernel)
{
    const json_t *list = json_object_get(json, "instructions");
    if (!json_is_array(list) || json_array_size(list) > UINT32_MAX)
        return damaged(reader, "instructions");
    uint32_t count = (uint32_t)json_array_size(list);
    kernel->instructions =
        WM_ARENA_ARRAY(&reader->model->arena, struct wm_model_instruction, count);
    if (kernel->instructions == NULL)
        return no_memory(reader);
    for (; kernel->instruction_count < count; kernel->instruction_count++)
        WM_TRY(take_instruction(reader, json_array_get(list, kernel->instruction_count),
                                &kernel->instructions[kernel->instruction_count]));
    return WM_OK;
}

static uint64_t sum_of(const void *counters, const char *kind, const char *counter)
{
    return wm_model_sum(counters, kind, counter);
}

static enum wm_status take_kernel(const struct reader *reader, const json_t *json,
                                  struct wm_model_kernel *kernel)
{
    WM_TRY(take_text(reader, json, "name", &kernel->name));
    WM_TRY(take_text(reader, json, "signature", &kernel->signature));
    kernel->of_several_gpus = json_object_get(json, "gpu") != NULL;
    WM_TRY(take_number(reader, json, "gpu", &kernel->gpu));
    WM_TRY(take_count(reader, json, "launches", &kernel->launches));
    WM_TRY(take_count(reader, json, "warp_instructions", &kernel->warp_instructions));
    WM_TRY(take_count(reader, json, "thread_instructions", &kernel->thread_instructions));
    WM_TRY(take_count(reader, json, "cycles", &kernel->cycles));
    WM_TRY(take_components(reader, json, &kernel->counters));
    wm_level_rows_of_components(&reader->model->levels, sum_of, &kernel->counters, &kernel->moved);
    return take_instructions(reader, json, kernel);
}

static enum wm_status take_kernels(const struct reader *reader, const json_t *root)
{
    struct wm_run_model *model = reader->model;
    const json_t *list = json_object_get(root, "kernels");
    if (!json_is_array(list) || json_array_size(list) > UINT32_MAX)
        return damaged(reader, "kernels");
    uint32_t count = (uint32_t)json_array_size(list);
    model->kernels = WM_ARENA_ARRAY(&model->arena, struct wm_model_kernel, count);
    if (model->kernels == NULL)
        return no_memory(reader);
    while (model->kernel_count < count) {
        uint32_t number = model->kernel_count++; // released whatever comes
        WM_TRY(take_kernel(reader, json_array_get(list, number), &model->kernels[number]));
    }
    return WM_OK;
}

// --- The machine ---

static enum wm_status take_settings(const struct reader *reader, const json_t *machine)
{
    const char *description;
    WM_TRY(take_text(reader, machine, "description", &description));
    if (wm_machine_values_read(&reader->model->settings, description, &reader->model->arena,
                               reader->error) == WM_OK)
        return WM_OK;
    return wm_error_place(reader->error, "%s", reader->model->label);
}

// `list` has names and what is below them.
static uint32_t place_of(const struct wm_level_list *list, const char *name)
{
    uint32_t place = 0;
    while (place < list->count && strcmp(list->levels[place].name, name) != 0)
        place++;
    return place;
}

// The level of each name, numbered as listed; first their names, then what is below each.
static enum wm_status take_levels(const struct reader *reader, const json_t *machine)
{
    struct wm_level_list *list = &reader->model->levels;
    const json_t *levels = json_object_get(machine, "levels"), *level;
    size_t i;
    if (!json_is_array(levels) || json_array_size(levels) > WM_MOST_LEVELS)
        return damaged(reader, "levels");
    json_array_foreach((json_t *)levels, i, level)
    {
        struct wm_listed_level *to = &list->levels[list->count++];
        const char *name = json_string_value(json_object_get(level, "name"));
        if (name == NULL || strlen(name) >= sizeof to->name)
            return damaged(reader, "levels");
        memcpy(to->name, name, strlen(name) + 1);
        to->number = (uint8_t)i;
        to->data = json_is_true(json_object_get(level, "data"));
    }
    json_array_foreach((json_t *)levels, i, level)
    {
        const char *below = json_string_value(json_object_get(level, "below"));
        list->levels[i].below = (uint8_t)place_of(list, below != NULL ? below : "");
    }
    return WM_OK;
}

// What is counted at instructions; what moved between a level and the ones above it where there are
// such.
static enum wm_status take_names(const struct reader *reader)
{
    struct wm_run_model *model = reader->model;
    const json_t *value,
        *declared = json_object_get(json_object_get(reader->units, "instruction"), "counters");
    const char *name;
    model->names = WM_ARENA_ARRAY(&model->arena, const char *, json_object_size(declared));
    if (model->names == NULL)
        return no_memory(reader);
    json_object_foreach((json_t *)declared, name, value)
    {
        char level[WM_LEVEL_COUNTER_BYTES] = "";
        const char *counter = strrchr(name, '.');
        const char *copy = wm_arena_copy_text(&model->arena, name, strlen(name));
        if (copy == NULL)
            return no_memory(reader);
        model->names[model->name_count++] = copy;
        if (counter == NULL || strcmp(counter, ".bytes") != 0)
            continue;
        snprintf(level, sizeof level, "%.*s", (int)(counter - name), name);
        uint32_t place = place_of(&model->levels, level);
        if (place < model->levels.count)
            model->levels.levels[place].from_above = true;
    }
    return WM_OK;
}

// --- The whole ---

static enum wm_status check_format(const struct reader *reader, const json_t *root)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    json_int_t version = json_integer_value(json_object_get(root, "version"));
    if (format == NULL || strcmp(format, "warpmem-results") != 0) {
        wm_fail(reader->error, WM_INVALID, "this is no result of warpmem run or warpmem replay%s%s",
                format != NULL ? ", but " : "", format != NULL ? format : "");
        wm_error_place(reader->error, "%s", reader->model->label);
        return wm_error_hint(reader->error, "they write one with --json FILE");
    }
    if (version == 2)
        return WM_OK;
    wm_fail(reader->error, WM_INVALID,
            "version %" JSON_INTEGER_FORMAT " of the results is not known here", version);
    wm_error_place(reader->error, "%s", reader->model->label);
    return wm_error_hint(reader->error, "run the program, or replay the recording, again");
}

static enum wm_status take_head(const struct reader *reader, const json_t *root)
{
    struct wm_run_model *model = reader->model;
    const json_t *machine = json_object_get(root, "machine"),
                 *rates = json_object_get(root, "rates");
    const json_t *chosen = json_object_get(root, "chosen");
    const json_t *energy = json_object_get(root, "energy");
    WM_TRY(take_text(reader, root, "engine", &model->engine));
    WM_TRY(take_text(reader, machine, "name", &model->machine));
    WM_TRY(take_text(reader, machine, "title", &model->title));
    if (chosen != NULL)
        WM_TRY(take_text(reader, chosen, "options", &model->chosen));
    WM_TRY(take_count(reader, rates, "clock_hz", &model->clock_hz));
    model->timed = rates != NULL;
    model->priced = energy != NULL;
    model->dynamic_pj = json_number_value(json_object_get(energy, "dynamic_pj"));
    WM_TRY(take_levels(reader, machine));
    WM_TRY(take_names(reader));
    return take_settings(reader, machine);
}

static enum wm_status take_root(const struct reader *reader, const json_t *root)
{
    WM_TRY(check_format(reader, root));
    WM_TRY(take_head(reader, root));
    WM_TRY(take_kernels(reader, root));
    return take_components(reader, root, &reader->model->counters);
}

enum wm_status wm_run_model_read(struct wm_run_model *model, FILE *stream, const char *label,
                                 struct wm_error *error)
{
    *model = (struct wm_run_model){0};
    wm_arena_init(&model->arena);
    model->label = wm_arena_copy_text(&model->arena, label, strlen(label));
    if (model->label == NULL)
        return wm_fail_no_memory(error, "results");
    json_error_t reason;
    json_t *root = json_loadf(stream, 0, &reason);
    if (root == NULL) {
        wm_fail(error, WM_INVALID, "this is no JSON: %s", reason.text);
        return wm_error_place(error, "%s:%d:%d", label, reason.line, reason.column);
    }
    const struct reader reader = {model, json_object_get(root, "counters"), error};
    enum wm_status status = take_root(&reader, root);
    json_decref(root);
    return status;
}

void wm_run_model_release(struct wm_run_model *model)
{
    for (uint32_t i = 0; i < model->kernel_count; i++)
        release_counters(&model->kernels[i].counters);
    release_counters(&model->counters);
    wm_arena_release(&model->arena);
    *model = (struct wm_run_model){0};
}
