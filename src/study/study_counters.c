#include "study/study_counters.h"

#include "base/nearest.h"
#include "engine/sm_counters.h"
#include "machine/machine.h"
#include "mem/memory.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>

enum { MOST_KINDS = 64 };

static const char *const kernel_names[] = {"launches", "warp_instructions", "thread_instructions",
                                           NULL};
static const char *const host_names[] = {"host_to_device_bytes", "device_to_host_bytes",
                                         "device_to_device_bytes", NULL};

// ---- Which there are ----------------------------------------------------------------------------

// The kinds of components of the study's machines.
struct kinds {
    const struct wm_counter_set *sets[MOST_KINDS]; // static
    uint32_t count;
};

static void add_kind(struct kinds *kinds, const struct wm_counter_set *set)
{
    for (uint32_t i = 0; i < kinds->count; i++)
        if (kinds->sets[i] == set)
            return;
    if (kinds->count < MOST_KINDS)
        kinds->sets[kinds->count++] = set;
}

// The memory system itself is asked, so that a new kind of component needs no word here.
static enum wm_status add_machine(struct kinds *kinds, const char *description,
                                  struct wm_error *error)
{
    struct wm_memory *memory = NULL;
    struct wm_machine *machine = malloc(sizeof *machine);
    if (!machine)
        return wm_fail(error, WM_NO_MEMORY, "no memory for the study");
    enum wm_status status =
        wm_machine_read(description, strlen(description), "the machine", NULL, 0, machine, error);
    if (status == WM_OK)
        status = wm_memory_new(&machine->memory, "gpu0", &memory, error);
    if (status == WM_OK) {
        size_t count;
        const struct wm_component_counters *components = wm_memory_components(memory, &count);
        for (size_t i = 0; i < count; i++)
            add_kind(kinds, components[i].set);
        wm_memory_free(memory);
    }
    free(machine);
    return status;
}

struct check {
    struct wm_study *study;
    const struct wm_tree_node *node;
    struct wm_error *error;
    struct kinds kinds;
    uint32_t machines_asked;
};

static const struct wm_counter_set *find_kind(const struct kinds *kinds, const char *name,
                                              size_t length)
{
    for (uint32_t i = 0; i < kinds->count; i++)
        if (strlen(kinds->sets[i]->kind) == length &&
            memcmp(kinds->sets[i]->kind, name, length) == 0)
            return kinds->sets[i];
    return NULL;
}

static enum wm_status no_counter(struct check *check, const char *path, const char *wanted,
                                 const char *const *known, size_t offset)
{
    struct wm_nearest nearest;
    struct wm_text names;
    wm_text_init(&names);
    wm_nearest_init(&nearest, wanted);
    for (size_t i = 0; known[i]; i++) {
        wm_nearest_offer(&nearest, known[i]);
        wm_text_format(&names, "%s%s", i ? ", " : "", known[i]);
    }
    wm_fail(check->error, WM_NOT_FOUND, "there is no counter \"%s\"", path);
    if (nearest.best)
        wm_error_cure(check->error, "did you mean %s?", nearest.best);
    else
        wm_error_cure(check->error, "there are %s", names.failed ? "others" : names.data);
    wm_text_release(&names);
    return wm_tree_point_within(&check->study->tree, check->node, offset, check->error);
}

static enum wm_status look_up(struct check *check, const char *path, const char *name,
                              const char *const *known, size_t offset)
{
    for (size_t i = 0; known[i]; i++)
        if (strcmp(known[i], name) == 0)
            return WM_OK;
    return no_counter(check, path, name, known, offset);
}

static enum wm_status look_up_kind(struct check *check, const char *path, const char *name,
                                   size_t offset)
{
    size_t length = strcspn(name, ".");
    const struct wm_counter_set *set = find_kind(&check->kinds, name, length);
    while (!set && check->machines_asked < check->study->machine_count) {
        WM_TRY(add_machine(&check->kinds,
                           check->study->machines[check->machines_asked++].description,
                           check->error));
        set = find_kind(&check->kinds, name, length);
    }
    const char *known[256] = {NULL};
    if (set && name[length] == '.') {
        for (size_t i = 0; i < set->count && i < 255; i++)
            known[i] = set->declarations[i].name;
        return look_up(check, path, name + length + 1, known, offset);
    }
    char kind[64];
    snprintf(kind, sizeof kind, "%.*s", (int)(length < 63 ? length : 63), name);
    uint32_t count = 0;
    for (; count < check->kinds.count; count++)
        known[count] = check->kinds.sets[count]->kind;
    known[count++] = "kernels";
    known[count++] = "host";
    known[count] = "energy";
    return no_counter(check, path, kind, known, offset);
}

static enum wm_status check_path(void *context, const char *path, size_t offset)
{
    struct check *check = context;
    if (strncmp(path, "energy.", 7) == 0 || strncmp(path, "kernels.energy.", 15) == 0)
        return WM_OK;
    if (strncmp(path, "kernels.", 8) == 0)
        return look_up(check, path, path + 8, kernel_names, offset);
    if (strncmp(path, "host.", 5) == 0)
        return look_up(check, path, path + 5, host_names, offset);
    return look_up_kind(check, path, strncmp(path, "run.", 4) == 0 ? path + 4 : path, offset);
}

enum wm_status wm_study_check_counters(struct wm_study *study, const struct wm_expression *metric,
                                       const struct wm_tree_node *node, struct wm_error *error)
{
    struct check check = {.study = study, .node = node, .error = error};
    add_kind(&check.kinds, &wm_sm_counter_set);
    return wm_metric_counters(metric, check_path, &check);
}

// ---- Their values -------------------------------------------------------------------------------

static double component_sum(const json_t *components, const char *kind, size_t length,
                            const char *counter)
{
    double sum = 0;
    size_t i;
    const json_t *component;
    json_array_foreach(components, i, component)
    {
        const char *own = json_string_value(json_object_get(component, "kind"));
        if (!own || strlen(own) != length || memcmp(own, kind, length) != 0)
            continue;
        sum += json_number_value(json_object_get(json_object_get(component, "counters"), counter));
    }
    return sum;
}

static bool kernel_value(const json_t *kernels, const char *path, double *value)
{
    size_t i, length = strcspn(path, ".");
    const json_t *kernel;
    json_array_foreach(kernels, i, kernel)
    {
        if (path[length] == '.')
            *value += component_sum(json_object_get(kernel, "components"), path, length,
                                    path + length + 1);
        else
            *value += json_number_value(json_object_get(kernel, path));
    }
    return true;
}

// A number at the end of a path of keys. Of a list, the sum over what has the word as its name.
static bool path_value(const json_t *json, const char *path, double *value)
{
    if (*path == '\0') {
        *value += json_number_value(json);
        return json_is_number(json);
    }
    static const char *const naming[] = {"name", "kind", "structure", "path"};
    size_t length = strcspn(path, "."), i;
    const char *rest = path + length + (path[length] == '.');
    char word[128];
    if (length >= sizeof word)
        return false;
    memcpy(word, path, length);
    word[length] = '\0';
    if (json_is_object(json))
        return path_value(json_object_get(json, word), rest, value);
    bool found = false;
    const json_t *item;
    json_array_foreach(json, i, item)
    {
        bool named = false;
        for (size_t n = 0; n < sizeof naming / sizeof naming[0]; n++) {
            const char *own = json_string_value(json_object_get(item, naming[n]));
            named = named || (own && strcmp(own, word) == 0);
        }
        found = (named && path_value(item, rest, value)) || found;
    }
    return found;
}

static bool kernel_energy(const json_t *kernels, const char *path, double *value)
{
    size_t i;
    const json_t *kernel;
    bool found = json_array_size(kernels) > 0;
    json_array_foreach(kernels, i, kernel)
    {
        found = path_value(kernel, path, value) && found;
    }
    return found;
}

bool wm_study_counter(const struct json_t *results, const char *path, double *value)
{
    *value = 0;
    if (strncmp(path, "kernels.energy.", 15) == 0)
        return kernel_energy(json_object_get(results, "kernels"), path + 8, value);
    if (strncmp(path, "kernels.", 8) == 0)
        return kernel_value(json_object_get(results, "kernels"), path + 8, value);
    if (strncmp(path, "host.", 5) == 0)
        return path_value(results, path + 5, value);
    if (strncmp(path, "energy.", 7) == 0)
        return path_value(results, path, value);
    if (strncmp(path, "run.", 4) != 0)
        return kernel_value(json_object_get(results, "kernels"), path, value);
    size_t length = strcspn(path + 4, ".");
    *value = component_sum(json_object_get(results, "components"), path + 4, length,
                           path + 4 + length + (path[4 + length] == '.'));
    return true;
}

// A metric may use the ones before it.
struct values {
    const json_t *results;
    const double *values;
    const bool *known;
};

static bool metric_of(const void *context, uint32_t metric, uint32_t workload, uint32_t machine,
                      double *value)
{
    const struct values *values = context;
    (void)workload;
    (void)machine;
    *value = values->values[metric];
    return values->known[metric];
}

static bool counter_of(const void *context, const char *path, double *value)
{
    return wm_study_counter(((const struct values *)context)->results, path, value);
}

void wm_study_metric_values(const struct wm_study *study, const struct json_t *results,
                            double values[WM_STUDY_MOST_METRICS], bool known[WM_STUDY_MOST_METRICS])
{
    const struct values context = {results, values, known};
    const struct wm_expression_source source = {metric_of, counter_of, &context};
    for (uint32_t i = 0; i < study->metric_count; i++)
        known[i] = wm_metric_value(study->metrics[i].expression, &source, &values[i]);
}
