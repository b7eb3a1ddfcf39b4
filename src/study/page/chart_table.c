#include "study/page/chart_table.h"

#include "study/file/figure_mean.h"

#include <string.h>

// What the specification names, as indices of the study's rows.
struct choice {
    const struct wm_study_rows *study;
    const json_t *specification;
    uint32_t *workloads;
    uint32_t *machines; // machine_count of the study for one that "choices" chooses by workload
    uint32_t workload_count, machine_count;
    uint32_t base; // the machine to be divided by; machine_count of the study: none
    bool by_workload, mean;
    uint32_t *place_of, *series_of; // of each chosen machine, where a place is an axis's value
};

static enum wm_status no_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "a figure");
}

static enum wm_status wrong_key(const char *key, const char *should_be, struct wm_error *error)
{
    return wm_fail(error, WM_INVALID, "\"%s\" is not %s", key, should_be);
}

static uint32_t find_workload(const struct wm_study_rows *study, const char *label)
{
    uint32_t i = 0;
    while (i < study->workload_count && strcmp(study->workloads[i].label, label) != 0)
        i++;
    return i;
}

static uint32_t find_machine(const struct wm_study_rows *study, const char *label)
{
    uint32_t i = 0;
    while (i < study->machine_count && strcmp(study->machines[i].label, label) != 0)
        i++;
    return i;
}

static enum wm_status read_workloads(struct choice *choice, struct wm_arena *arena,
                                     struct wm_error *error)
{
    const json_t *list = json_object_get(choice->specification, "workloads");
    if (!json_is_array(list))
        return wrong_key("workloads", "a list of labels", error);
    choice->workload_count = (uint32_t)json_array_size(list);
    choice->workloads = WM_ARENA_ARRAY(arena, uint32_t, choice->workload_count);
    if (choice->workloads == NULL)
        return no_memory(error);
    for (uint32_t i = 0; i < choice->workload_count; i++) {
        const char *label = json_string_value(json_array_get(list, i));
        if (label == NULL)
            return wrong_key("workloads", "a list of labels", error);
        choice->workloads[i] = find_workload(choice->study, label);
        if (choice->workloads[i] == choice->study->workload_count)
            return wm_fail(error, WM_INVALID,
                           "\"workloads\" names '%s', which the study does not have", label);
    }
    return WM_OK;
}

// What a machine of the figure is called.
static const char *label_of(const struct choice *choice, uint32_t chosen)
{
    const json_t *labels = json_object_get(choice->specification, "machines");
    return json_string_value(json_array_get(labels, chosen));
}

// The row of a machine of the figure for a workload.
static uint32_t machine_for(const struct choice *choice, uint32_t chosen, uint32_t workload)
{
    const struct wm_study_rows *study = choice->study;
    if (choice->machines[chosen] < study->machine_count)
        return choice->machines[chosen];
    const json_t *choices = json_object_get(choice->specification, "choices");
    const json_t *by_workload = json_object_get(choices, label_of(choice, chosen));
    const char *label =
        json_string_value(json_object_get(by_workload, study->workloads[workload].label));
    return label != NULL ? find_machine(study, label) : study->machine_count;
}

static enum wm_status read_machines(struct choice *choice, struct wm_arena *arena,
                                    struct wm_error *error)
{
    const uint32_t count = choice->study->machine_count;
    const json_t *list = json_object_get(choice->specification, "machines");
    const json_t *choices = json_object_get(choice->specification, "choices");
    if (!json_is_array(list))
        return wrong_key("machines", "a list of labels", error);
    choice->machine_count = (uint32_t)json_array_size(list);
    choice->machines = WM_ARENA_ARRAY(arena, uint32_t, choice->machine_count);
    if (choice->machines == NULL)
        return no_memory(error);
    for (uint32_t i = 0; i < choice->machine_count; i++) {
        const char *label = label_of(choice, i);
        if (label == NULL)
            return wrong_key("machines", "a list of labels", error);
        choice->machines[i] = find_machine(choice->study, label);
        if (choice->machines[i] == count && !json_is_object(json_object_get(choices, label)))
            return wm_fail(error, WM_INVALID,
                           "\"machines\" names '%s', which the study does not have", label);
    }
    return WM_OK;
}

static enum wm_status read_chart(struct wm_chart_table *table, const json_t *specification,
                                 struct wm_error *error)
{
    static const char *const names[] = {"bars", "stacked-bars", "lines"};
    const char *name = json_string_value(json_object_get(specification, "chart"));
    for (uint32_t i = 0; name != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) {
            table->chart = (enum wm_chart)i;
            return WM_OK;
        }
    return wrong_key("chart", "\"bars\", \"stacked-bars\" or \"lines\"", error);
}

static enum wm_status read_parts(struct wm_chart_table *table, const json_t *specification,
                                 struct wm_arena *arena, struct wm_error *error)
{
    const json_t *metrics = json_object_get(specification, "metrics");
    table->part_count = (uint32_t)json_array_size(metrics);
    table->parts = WM_ARENA_ARRAY(arena, const char *, table->part_count);
    if (table->parts == NULL)
        return no_memory(error);
    for (uint32_t i = 0; i < table->part_count; i++) {
        table->parts[i] = json_string_value(json_array_get(metrics, i));
        if (table->parts[i] == NULL)
            return wrong_key("metrics", "a list of names", error);
    }
    return table->part_count > 0 ? WM_OK : wrong_key("metrics", "a list of names", error);
}

static enum wm_status read_base(struct choice *choice, struct wm_chart_table *table,
                                struct wm_error *error)
{
    const json_t *label = json_object_get(choice->specification, "normalise");
    choice->base = choice->study->machine_count;
    if (label == NULL || json_is_null(label))
        return WM_OK;
    table->normalise = json_string_value(label);
    if (table->normalise == NULL)
        return wrong_key("normalise", "a machine's label", error);
    choice->base = find_machine(choice->study, table->normalise);
    return choice->base < choice->study->machine_count
               ? WM_OK
               : wm_fail(error, WM_INVALID,
                         "\"normalise\" names '%s', which the study does not have",
                         table->normalise);
}

// --- Places and series ---

static enum wm_status name_by_workload(struct wm_chart_table *table, const struct choice *choice,
                                       struct wm_arena *arena, struct wm_error *error)
{
    table->place_title = "workload";
    table->series_title = "machine";
    table->has_means = choice->mean;
    table->place_count = choice->workload_count + choice->mean;
    table->series_count = choice->machine_count;
    table->places = WM_ARENA_ARRAY(arena, const char *, table->place_count);
    table->series = WM_ARENA_ARRAY(arena, const char *, table->series_count);
    if (table->places == NULL || table->series == NULL)
        return no_memory(error);
    for (uint32_t i = 0; i < choice->workload_count; i++)
        table->places[i] = choice->study->workloads[choice->workloads[i]].label;
    if (choice->mean)
        table->places[choice->workload_count] = "mean";
    for (uint32_t i = 0; i < choice->machine_count; i++)
        table->series[i] = label_of(choice, i);
    return WM_OK;
}

// The index of a name in a list, to which it is added when it is new.
static uint32_t place_in(const char **names, uint32_t *count, const char *name)
{
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    names[*count] = name;
    return (*count)++;
}

// "tracker, 1 bank": a machine's values of the axes but one.
static const char *other_values(json_t *axes, const char *axis, struct wm_arena *arena)
{
    char label[256] = "";
    size_t used = 0;
    const char *name;
    json_t *value;
    json_object_foreach(axes, name, value)
    {
        if (strcmp(name, axis) == 0 || !json_is_string(value) || used >= sizeof label ||
            strcmp(json_string_value(value), WM_STUDY_NEUTRAL) == 0)
            continue;
        used += (size_t)snprintf(label + used, sizeof label - used, "%s%s", used > 0 ? ", " : "",
                                 json_string_value(value));
    }
    return wm_arena_copy_text(arena, label, strlen(label));
}

static enum wm_status name_by_axis(struct wm_chart_table *table, struct choice *choice,
                                   const char *axis, struct wm_arena *arena, struct wm_error *error)
{
    uint32_t count = choice->machine_count;
    table->place_title = axis;
    table->series_title = "machine";
    table->has_means = table->is_mean = choice->workload_count > 1;
    table->places = WM_ARENA_ARRAY(arena, const char *, count);
    table->series = WM_ARENA_ARRAY(arena, const char *, count);
    choice->place_of = WM_ARENA_ARRAY(arena, uint32_t, count);
    choice->series_of = WM_ARENA_ARRAY(arena, uint32_t, count);
    if (table->places == NULL || table->series == NULL || choice->place_of == NULL ||
        choice->series_of == NULL)
        return no_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        if (choice->machines[i] == choice->study->machine_count)
            return wm_fail(error, WM_INVALID, "\"x\" is '%s', an axis that '%s' is not on", axis,
                           label_of(choice, i));
        const struct wm_machine_row *machine = &choice->study->machines[choice->machines[i]];
        const char *value = json_string_value(json_object_get(machine->axes, axis));
        const char *others = other_values(machine->axes, axis, arena);
        if (value == NULL)
            return wm_fail(error, WM_INVALID, "\"x\" is '%s', an axis that machine '%s' is not on",
                           axis, machine->label);
        if (others == NULL)
            return no_memory(error);
        choice->place_of[i] = place_in(table->places, &table->place_count, value);
        choice->series_of[i] = place_in(table->series, &table->series_count, others);
    }
    return WM_OK;
}

// --- Numbers ---

static double sum_of_parts(const struct wm_chart_table *table, const struct wm_point_row *point)
{
    double sum = 0;
    for (uint32_t part = 0; part < table->part_count; part++)
        sum += wm_point_metric(point, table->parts[part]);
    return sum;
}

// One part of a workload's value on a machine of the figure, normalised; NAN when it is undecided.
static double value_at(const struct wm_chart_table *table, const struct choice *choice,
                       uint32_t workload, uint32_t chosen, uint32_t part)
{
    const struct wm_study_rows *study = choice->study;
    const struct wm_point_row *point =
        wm_study_point(study, workload, machine_for(choice, chosen, workload));
    double value = point != NULL ? wm_point_metric(point, table->parts[part]) : NAN;
    if (table->normalise != NULL) {
        const struct wm_point_row *base = wm_study_point(study, workload, choice->base);
        value /= base != NULL ? sum_of_parts(table, base) : NAN;
    }
    return isfinite(value) ? value : NAN;
}

// Over all of the figure's workloads: where one is missing, the mean of the others is another one.
static double mean_at(const struct wm_chart_table *table, const struct choice *choice,
                      uint32_t chosen, uint32_t part)
{
    struct wm_figure_mean mean = {.geometric = table->geometric};
    for (uint32_t i = 0; i < choice->workload_count; i++)
        wm_figure_mean_add(&mean, value_at(table, choice, choice->workloads[i], chosen, part));
    return wm_figure_mean_value(&mean);
}

// `workload` is an index of the study's, or its count for the mean.
static double paper_at(const struct choice *choice, uint32_t chosen, uint32_t workload)
{
    const struct wm_study_rows *study = choice->study;
    const json_t *paper = json_object_get(choice->specification, "paper");
    const json_t *of_machine = json_object_get(paper, label_of(choice, chosen));
    bool mean = workload == study->workload_count;
    const json_t *value =
        json_object_get(of_machine, mean ? "mean" : study->workloads[workload].label);
    // The mean of one is that one.
    if (value == NULL && mean && choice->workload_count == 1)
        return paper_at(choice, chosen, choice->workloads[0]);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static void fill(struct wm_chart_table *table, const struct choice *choice, uint32_t chosen,
                 uint32_t place, uint32_t series, uint32_t workload)
{
    uint32_t at = place * table->series_count + series;
    bool mean = workload == choice->study->workload_count;
    for (uint32_t part = 0; part < table->part_count; part++)
        table->ours[at * table->part_count + part] =
            mean ? mean_at(table, choice, chosen, part)
                 : value_at(table, choice, workload, chosen, part);
    table->paper[at] = paper_at(choice, chosen, workload);
    table->has_paper |= !isnan(table->paper[at]);
}

static void fill_all(struct wm_chart_table *table, const struct choice *choice)
{
    const uint32_t mean = choice->study->workload_count;
    for (uint32_t m = 0; m < choice->machine_count; m++)
        if (!choice->by_workload)
            fill(table, choice, m, choice->place_of[m], choice->series_of[m], mean);
        else
            for (uint32_t place = 0; place < table->place_count; place++)
                fill(table, choice, m, place, m,
                     place < choice->workload_count ? choice->workloads[place] : mean);
}

static enum wm_status allocate(struct wm_chart_table *table, struct wm_arena *arena,
                               struct wm_error *error)
{
    size_t values = (size_t)table->place_count * table->series_count;
    table->ours = WM_ARENA_ARRAY(arena, double, values * table->part_count);
    table->paper = WM_ARENA_ARRAY(arena, double, values);
    if (table->ours == NULL || table->paper == NULL)
        return no_memory(error);
    for (size_t i = 0; i < values * table->part_count; i++)
        table->ours[i] = NAN;
    for (size_t i = 0; i < values; i++)
        table->paper[i] = NAN;
    return WM_OK;
}

enum wm_status wm_chart_table_init(struct wm_chart_table *table, const struct wm_study_rows *study,
                                   const struct wm_stored_figure *figure, struct wm_arena *arena,
                                   struct wm_error *error)
{
    const json_t *specification = figure->specification;
    const char *x = json_string_value(json_object_get(specification, "x"));
    const char *axis_title = json_string_value(json_object_get(specification, "axis_title"));
    const char *kind = json_string_value(json_object_get(specification, "mean_kind"));
    struct choice choice = {.study = study,
                            .specification = specification,
                            .mean = json_is_true(json_object_get(specification, "mean"))};
    *table = (struct wm_chart_table){.axis_title = axis_title != NULL ? axis_title : "",
                                     .geometric = kind != NULL && strcmp(kind, "geometric") == 0};
    if (x == NULL)
        return wrong_key("x", "\"workload\" or an axis", error);
    WM_TRY(read_chart(table, specification, error));
    WM_TRY(read_parts(table, specification, arena, error));
    WM_TRY(read_base(&choice, table, error));
    WM_TRY(read_workloads(&choice, arena, error));
    WM_TRY(read_machines(&choice, arena, error));
    choice.by_workload = strcmp(x, "workload") == 0;
    table->workload_count = choice.workload_count;
    WM_TRY(choice.by_workload ? name_by_workload(table, &choice, arena, error)
                              : name_by_axis(table, &choice, x, arena, error));
    WM_TRY(allocate(table, arena, error));
    fill_all(table, &choice);
    return WM_OK;
}

double wm_chart_value(const struct wm_chart_table *table, uint32_t place, uint32_t series)
{
    const double *parts = &table->ours[(place * table->series_count + series) * table->part_count];
    double sum = 0;
    for (uint32_t part = 0; part < table->part_count; part++)
        sum += parts[part];
    return sum;
}
