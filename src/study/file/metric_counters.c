#include "study/file/metric_counters.h"

#include "base/text/nearest.h"
#include "engine/access/sm_counters.h"
#include "engine/session/session.h"
#include "machine/machine.h"
#include "mem/energy/energy_model.h"
#include "mem/system/memory.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_KINDS = 64, MOST_COUNTED = 128 };

static const char *const kernel_names[] = {"launches", "warp_instructions", "thread_instructions",
                                           NULL};
static const char *const timed_kernel_names[] = {"launches", "warp_instructions",
                                                 "thread_instructions", "cycles", NULL};
// Of the results' "energy", and of each of its structures (study/run_report/energy_data.c).
static const char *const energy_names[] = {"dynamic_pj", "leakage_mw", "area_mm2",
                                           "leakage_pj", "time_s",     NULL};
static const char *const structure_names[] = {
    "reads",      "writes",      "payload_bytes",  "header_bytes", "read_pj",     "write_pj",
    "byte_pj",    "tag_lookups", "activates",      "tag_pj",       "activate_pj", "dynamic_pj",
    "leakage_mw", "area_mm2",    "capacity_bytes", "units",        NULL};
static const char *const host_names[] = {"host_to_device_bytes", "device_to_host_bytes",
                                         "device_to_device_bytes", NULL};

// ---- Which there are ----------------------------------------------------------------------------

// The kinds of components of the study's machines, and what is counted at instructions on any.
struct kinds {
    const struct wm_counter_set *sets[MOST_KINDS]; // static
    uint32_t count;
    char counted[MOST_COUNTED][WM_INSTRUCTION_COUNTER_BYTES];
    uint32_t counted_count;
    struct wm_energy_names priced; // what energy may be counted of
};

static void add_kind(struct kinds *kinds, const struct wm_counter_set *set)
{
    for (uint32_t i = 0; i < kinds->count; i++)
        if (kinds->sets[i] == set)
            return;
    if (kinds->count < MOST_KINDS)
        kinds->sets[kinds->count++] = set;
}

static bool is_counted(const struct kinds *kinds, const char *name)
{
    for (uint32_t i = 0; i < kinds->counted_count; i++)
        if (strcmp(kinds->counted[i], name) == 0)
            return true;
    return false;
}

static void add_counted(struct kinds *kinds, const struct wm_memory_spec *spec)
{
    struct wm_instruction_counter_set made;
    wm_instruction_counter_set_make(spec, &made);
    for (size_t i = 0; i < made.set.count; i++)
        if (!is_counted(kinds, made.names[i]) && kinds->counted_count < MOST_COUNTED)
            memcpy(kinds->counted[kinds->counted_count++], made.names[i], sizeof made.names[i]);
}

// The kinds come from a memory system, so that a new kind of component needs no line here.
static enum wm_status add_machine(struct kinds *kinds, const struct wm_study *study,
                                  const char *description, struct wm_error *error)
{
    struct wm_memory *memory = NULL;
    struct wm_machine *machine = malloc(sizeof *machine);
    if (!machine)
        return wm_fail_no_memory(error, "the study");
    enum wm_status status =
        wm_machine_read(description, strlen(description), "the machine", NULL, 0, machine, error);
    if (status == WM_OK)
        status = wm_memory_new(&machine->memory, "gpu0", &memory, error);
    if (status == WM_OK) {
        add_counted(kinds, &machine->memory);
        wm_energy_names_of(&machine->memory, &kinds->priced);
    }
    if (status == WM_OK && study->explain)
        status = (study->clock ? wm_memory_explain_timed : wm_memory_explain)(memory, error);
    if (status == WM_OK) {
        size_t count;
        const struct wm_component_counters *components = wm_memory_components(memory, &count);
        for (size_t i = 0; i < count; i++)
            add_kind(kinds, components[i].set);
    }
    wm_memory_free(memory);
    free(machine);
    return status;
}

struct check {
    struct wm_study *study;
    const struct wm_yaml_node *node;
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

static enum wm_status no_counter(struct check *check, const char *path, const char *name,
                                 const char *const *known, size_t offset)
{
    struct wm_nearest nearest;
    struct wm_text names;
    wm_text_init(&names);
    wm_nearest_init(&nearest, name);
    for (size_t i = 0; known[i]; i++) {
        wm_nearest_offer(&nearest, known[i]);
        wm_text_format(&names, "%s%s", i ? ", " : "", known[i]);
    }
    wm_fail(check->error, WM_NOT_FOUND, "there is no counter \"%s\"", path);
    if (nearest.best)
        wm_error_hint(check->error, "did you mean %s?", nearest.best);
    else
        wm_error_hint(check->error, "there are %s", names.failed ? "others" : names.data);
    wm_text_release(&names);
    return wm_yaml_point_within(&check->study->tree, check->node, offset, check->error);
}

static enum wm_status look_up(struct check *check, const char *path, const char *name,
                              const char *const *known, size_t offset)
{
    for (size_t i = 0; known[i]; i++)
        if (strcmp(known[i], name) == 0)
            return WM_OK;
    return no_counter(check, path, name, known, offset);
}

// "l1_explained", "l1_reuse", "sharing", "shared".
static bool is_of_explanations(const char *kind, size_t length)
{
    static const char *const endings[] = {"_explained", "_reuse", "sharing", "shared"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t own = strlen(endings[i]);
        if (length >= own && strncmp(kind + length - own, endings[i], own) == 0)
            return true;
    }
    return false;
}

static enum wm_status not_explained(struct check *check, const char *path, size_t offset)
{
    wm_fail(check->error, WM_NOT_FOUND, "\"%s\" is counted only where misses are explained", path);
    wm_error_hint(check->error, "add \"explain: true\" to the study");
    return wm_yaml_point_within(&check->study->tree, check->node, offset, check->error);
}

// Asks the study's next machine; false when it was the last, or it cannot be built.
static bool add_next_machine(struct check *check, enum wm_status *status)
{
    if (check->machines_asked == check->study->machine_count)
        return false;
    *status =
        add_machine(&check->kinds, check->study,
                    check->study->machines[check->machines_asked++].description, check->error);
    return *status == WM_OK;
}

// "l1.hits", "sectors": what follows "instruction.".
static enum wm_status look_up_counted(struct check *check, const char *path, const char *name,
                                      size_t offset)
{
    // Names of earlier versions.
    static const char *const renamed[][2] = {
        {"l1_hits", "l1.hits"},
        {"l1_misses", "l1.misses"},
        {"l2_hits", "l2.hits"},
        {"l2_misses", "l2.misses"},
        {"bytes_l1_l2", "l2.bytes"},
        {"bytes_dram", "dram.bytes"},
        {"remote_sectors", "tracker.remote_sectors"},
        {"tlb_walks", "tlb.walks"},
        {"side_cache_hits", "constant.hits (texture.hits, …)"},
        {"side_cache_misses", "constant.misses (texture.misses, …)"},
    };
    enum wm_status status = WM_OK;
    while (!is_counted(&check->kinds, name) && add_next_machine(check, &status))
        ;
    if (status != WM_OK || is_counted(&check->kinds, name))
        return status;
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
        if (strcmp(renamed[i][0], name) == 0) {
            wm_fail(check->error, WM_NOT_FOUND, "there is no counter \"%s\"", path);
            wm_error_hint(check->error, "it is called instruction.%s", renamed[i][1]);
            return wm_yaml_point_within(&check->study->tree, check->node, offset, check->error);
        }
    const char *known[MOST_COUNTED + 1] = {NULL};
    for (uint32_t i = 0; i < check->kinds.counted_count; i++)
        known[i] = check->kinds.counted[i];
    return no_counter(check, path, name, known, offset);
}

static enum wm_status look_up_kind(struct check *check, const char *path, const char *name,
                                   size_t offset)
{
    size_t length = strcspn(name, ".");
    const struct wm_counter_set *set = find_kind(&check->kinds, name, length);
    enum wm_status status = WM_OK;
    while (!set && add_next_machine(check, &status))
        set = find_kind(&check->kinds, name, length);
    if (status != WM_OK)
        return status;
    const char *known[256] = {NULL};
    if (set && name[length] == '.') {
        for (size_t i = 0; i < set->count && i < 255; i++)
            known[i] = set->declarations[i].name;
        return look_up(check, path, name + length + 1, known, offset);
    }
    if (!check->study->explain && is_of_explanations(name, length))
        return not_explained(check, path, offset);
    char kind[64];
    snprintf(kind, sizeof kind, "%.*s", (int)(length < 63 ? length : 63), name);
    uint32_t count = 0;
    for (; count < check->kinds.count; count++)
        known[count] = check->kinds.sets[count]->kind;
    known[count++] = "instruction";
    known[count++] = "kernels";
    if (check->study->host_threads)
        known[count++] = "cores";
    known[count++] = "host";
    known[count] = "energy";
    return no_counter(check, path, kind, known, offset);
}

// "dynamic_pj", "structures.l2.reads": what follows "energy.".
static enum wm_status look_up_energy(struct check *check, const char *path, const char *name,
                                     size_t offset)
{
    const char *known[WM_ENERGY_MOST_NAMES + 1] = {NULL};
    char structure[64];
    if (strncmp(name, "structures.", 11) != 0)
        return look_up(check, path, name, energy_names, offset);
    name += 11;
    size_t length = strcspn(name, ".");
    snprintf(structure, sizeof structure, "%.*s", (int)(length < 63 ? length : 63), name);
    enum wm_status status = WM_OK;
    while (!wm_energy_name_is_in(&check->kinds.priced, structure) &&
           add_next_machine(check, &status))
        ;
    if (status != WM_OK)
        return status;
    for (uint32_t i = 0; i < check->kinds.priced.count; i++)
        known[i] = check->kinds.priced.names[i];
    WM_TRY(look_up(check, path, structure, known, offset));
    return look_up(check, path, name + length + (name[length] == '.'), structure_names, offset);
}

static enum wm_status check_path(void *context, const char *path, size_t offset)
{
    struct check *check = context;
    if (strncmp(path, "energy.", 7) == 0)
        return look_up_energy(check, path, path + 7, offset);
    if (strncmp(path, "kernels.energy.", 15) == 0)
        return look_up_energy(check, path, path + 15, offset);
    if (strncmp(path, "kernels.", 8) == 0)
        return look_up(check, path, path + 8,
                       check->study->clock ? timed_kernel_names : kernel_names, offset);
    if (check->study->host_threads && strncmp(path, "cores.", 6) == 0)
        return look_up(check, path, path + 6,
                       check->study->clock ? timed_kernel_names : kernel_names, offset);
    if (strncmp(path, "host.", 5) == 0)
        return look_up(check, path, path + 5, host_names, offset);
    if (strncmp(path, "instruction.", 12) == 0)
        return look_up_counted(check, path, path + 12, offset);
    return look_up_kind(check, path, strncmp(path, "run.", 4) == 0 ? path + 4 : path, offset);
}

enum wm_status wm_study_check_counters(struct wm_study *study, const struct wm_expression *metric,
                                       const struct wm_yaml_node *node, struct wm_error *error)
{
    struct check check = {.study = study, .node = node, .error = error};
    const struct wm_memory_spec usual = wm_memory_spec_of_names();
    wm_energy_names_of(&usual, &check.kinds.priced);
    add_kind(&check.kinds, &wm_sm_counter_set);
    add_kind(&check.kinds, &wm_machine_code_counter_set);
    if (study->explain)
        add_kind(&check.kinds, &wm_shared_counter_set);
    const struct wm_counter_set *set;
    for (size_t i = 0; study->clock && (set = wm_clock_counter_set(i)) != NULL; i++)
        add_kind(&check.kinds, set);
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

// Of all, or of what CPU cores executed alone.
static bool kernel_value(const json_t *kernels, bool on_cores, const char *path, double *value)
{
    size_t i, length = strcspn(path, ".");
    const json_t *kernel;
    json_array_foreach(kernels, i, kernel)
    {
        if (on_cores && !json_is_true(json_object_get(kernel, "on_cores")))
            continue;
        if (path[length] == '.')
            *value += component_sum(json_object_get(kernel, "components"), path, length,
                                    path + length + 1);
        else
            *value += json_number_value(json_object_get(kernel, path));
    }
    return true;
}

// What the memory instructions of all kernels caused, and fetching their code.
static bool instruction_value(const json_t *kernels, const char *name, double *value)
{
    size_t i, n;
    const json_t *kernel, *it;
    json_array_foreach(kernels, i, kernel)
    {
        json_array_foreach(json_object_get(kernel, "instructions"), n, it) *value +=
            json_number_value(json_object_get(json_object_get(it, "counters"), name));
        it = json_object_get(json_object_get(kernel, "fetches"), "counters");
        *value += json_number_value(json_object_get(it, name));
    }
    return true;
}

// A number of one "energy". A structure that the machine does not have cost nothing.
static bool energy_value(const json_t *energy, const char *path, double *value)
{
    if (!energy)
        return false;
    if (strncmp(path, "structures.", 11) != 0) {
        const json_t *number = json_object_get(energy, path);
        *value += json_number_value(number);
        return number != NULL;
    }
    const char *name = path + 11;
    size_t i, length = strcspn(name, ".");
    const json_t *structure;
    json_array_foreach(json_object_get(energy, "structures"), i, structure)
    {
        const char *own = json_string_value(json_object_get(structure, "structure"));
        if (own && strlen(own) == length && memcmp(own, name, length) == 0)
            *value += json_number_value(
                json_object_get(structure, name + length + (name[length] == '.')));
    }
    return true;
}

static bool kernel_energy(const json_t *kernels, const char *path, double *value)
{
    size_t i;
    const json_t *kernel;
    bool found = json_array_size(kernels) > 0;
    json_array_foreach(kernels, i, kernel)
    {
        found = energy_value(json_object_get(kernel, "energy"), path, value) && found;
    }
    return found;
}

bool wm_study_counter(const struct json_t *results, const char *path, double *value)
{
    *value = 0;
    if (strncmp(path, "kernels.energy.", 15) == 0)
        return kernel_energy(json_object_get(results, "kernels"), path + 15, value);
    if (strncmp(path, "kernels.", 8) == 0)
        return kernel_value(json_object_get(results, "kernels"), false, path + 8, value);
    if (strncmp(path, "cores.", 6) == 0)
        return kernel_value(json_object_get(results, "kernels"), true, path + 6, value);
    if (strncmp(path, "instruction.", 12) == 0)
        return instruction_value(json_object_get(results, "kernels"), path + 12, value);
    if (strncmp(path, "host.", 5) == 0) {
        *value = json_number_value(json_object_get(results, path + 5));
        return json_object_get(results, path + 5) != NULL;
    }
    if (strncmp(path, "energy.", 7) == 0)
        return energy_value(json_object_get(results, "energy"), path + 7, value);
    if (strncmp(path, "run.", 4) != 0)
        return kernel_value(json_object_get(results, "kernels"), false, path, value);
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

void wm_study_metric_values(const struct wm_study *study, size_t point,
                            const struct json_t *results, double values[WM_STUDY_MOST_METRICS],
                            bool known[WM_STUDY_MOST_METRICS])
{
    const struct values context = {results, values, known};
    const struct wm_expression_source source = {metric_of, counter_of, &context};
    size_t points = (size_t)study->workload_count * study->machine_count;
    for (uint32_t i = 0; i < study->metric_count; i++) {
        const double *given = study->metrics[i].given;
        values[i] = given != NULL && point < points ? given[point] : NAN;
        known[i] = given != NULL
                       ? !isnan(values[i])
                       : wm_metric_value(study->metrics[i].expression, &source, &values[i]);
    }
}
