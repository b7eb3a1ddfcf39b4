#include "study/database/point_table.h"

#include "base/text/nearest.h"
#include "study/file/figure_mean.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

struct making {
    struct wm_study *study;
    const double *values;
    struct wm_point_table *table;
    struct wm_error *error;
    uint32_t workloads[WM_STUDY_MOST_WORKLOADS]; // of the figure, as the study numbers them
    const json_t *paper;
};

static double value_of(const struct making *making, uint32_t workload, uint32_t machine,
                       uint32_t metric)
{
    const struct wm_study *study = making->study;
    machine = wm_study_machine_for(study, machine, workload);
    if (machine == WM_STUDY_NO_MACHINE)
        return NAN;
    return making
        ->values[((size_t)workload * study->machine_count + machine) * study->metric_count +
                 metric];
}

static uint32_t metric_of(const struct wm_study *study, const char *name)
{
    uint32_t metric = 0;
    while (strcmp(study->metrics[metric].name, name) != 0)
        metric++;
    return metric;
}

// What the figure's values are divided by: the sum of its metrics on the machine of `normalise`.
static double divisor(const struct making *making, const json_t *metrics, uint32_t workload)
{
    if (!making->table->normalise)
        return 1;
    double sum = 0;
    size_t i;
    const json_t *metric;
    json_array_foreach(metrics, i, metric)
    {
        sum +=
            value_of(making, workload, wm_study_machine_of(making->study, making->table->normalise),
                     metric_of(making->study, json_string_value(metric)));
    }
    return sum == 0 ? NAN : sum;
}

static double paper_number(const struct making *making, const char *machine, const char *column)
{
    const json_t *number = json_object_get(json_object_get(making->paper, machine), column);
    return number ? json_number_value(number) : NAN;
}

static enum wm_status make_row(struct making *making, const json_t *metrics, const char *metric,
                               const char *machine)
{
    struct wm_point_table *table = making->table;
    struct wm_point_series *row = &table->rows[table->row_count++];
    struct wm_arena *arena = &making->study->arena;
    row->metric = wm_arena_copy_text(arena, metric, strlen(metric));
    row->machine = wm_arena_copy_text(arena, machine, strlen(machine));
    row->values = WM_ARENA_ARRAY(arena, double, table->workload_count + 1);
    row->paper = WM_ARENA_ARRAY(arena, double, table->workload_count + 1);
    if (!row->metric || !row->machine || !row->values || !row->paper)
        return wm_fail_no_memory(making->error, "a table");
    struct wm_figure_mean mean = {.geometric = table->geometric};
    for (uint32_t i = 0; i < table->workload_count; i++) {
        row->values[i] =
            value_of(making, making->workloads[i], wm_study_machine_of(making->study, machine),
                     metric_of(making->study, metric)) /
            divisor(making, metrics, making->workloads[i]);
        row->paper[i] = paper_number(making, machine, table->workloads[i]);
        wm_figure_mean_add(&mean, row->values[i]);
        table->has_paper = table->has_paper || !isnan(row->paper[i]);
    }
    row->mean = wm_figure_mean_value(&mean);
    row->paper_mean = paper_number(making, machine, "mean");
    table->has_paper = table->has_paper || !isnan(row->paper_mean);
    return WM_OK;
}

static enum wm_status make(struct making *making, const json_t *specification)
{
    struct wm_point_table *table = making->table;
    struct wm_arena *arena = &making->study->arena;
    const json_t *metrics = json_object_get(specification, "metrics");
    const json_t *machines = json_object_get(specification, "machines");
    const json_t *workloads = json_object_get(specification, "workloads");
    const char *normalise = json_string_value(json_object_get(specification, "normalise"));
    making->paper = json_object_get(specification, "paper");
    const char *kind = json_string_value(json_object_get(specification, "mean_kind"));
    table->has_mean = json_is_true(json_object_get(specification, "mean"));
    table->geometric = kind != NULL && strcmp(kind, "geometric") == 0;
    table->normalise = normalise ? wm_arena_copy_text(arena, normalise, strlen(normalise)) : NULL;
    const char **labels = WM_ARENA_ARRAY(arena, const char *, WM_STUDY_MOST_WORKLOADS);
    table->rows = WM_ARENA_ARRAY(arena, struct wm_point_series,
                                 json_array_size(metrics) * json_array_size(machines) + 1);
    if (!labels || !table->rows || (normalise && !table->normalise))
        return wm_fail_no_memory(making->error, "a table");
    for (size_t i = 0; i < json_array_size(workloads); i++) {
        const char *label = json_string_value(json_array_get(workloads, i));
        uint32_t w = wm_study_workload_of(making->study, label);
        if (w == making->study->workload_count || table->workload_count == WM_STUDY_MOST_WORKLOADS)
            continue;
        labels[table->workload_count] = making->study->workloads[w].label;
        making->workloads[table->workload_count++] = w;
    }
    table->workloads = labels;
    for (size_t i = 0; i < json_array_size(metrics); i++)
        for (size_t m = 0; m < json_array_size(machines); m++)
            WM_TRY(make_row(making, metrics, json_string_value(json_array_get(metrics, i)),
                            json_string_value(json_array_get(machines, m))));
    return WM_OK;
}

// A metric by itself, as a figure of all there is.
static json_t *metric_specification(const struct wm_study *study, const char *name)
{
    json_t *machines = json_array(), *workloads = json_array();
    for (uint32_t m = 0; m < study->machine_count; m++)
        json_array_append_new(machines, json_string(study->machines[m].label));
    for (uint32_t w = 0; w < study->workload_count; w++)
        json_array_append_new(workloads, json_string(study->workloads[w].label));
    return json_pack("{s:[s], s:o, s:o, s:b}", "metrics", name, "machines", machines, "workloads",
                     workloads, "mean", 1);
}

static enum wm_status unknown_name(const struct wm_study *study, const char *name,
                                   struct wm_error *error)
{
    struct wm_nearest nearest;
    struct wm_text known;
    wm_text_init(&known);
    wm_nearest_init(&nearest, name);
    for (uint32_t i = 0; i < study->figure_count + study->metric_count; i++) {
        const char *own = i < study->figure_count ? study->figures[i].id
                                                  : study->metrics[i - study->figure_count].name;
        wm_nearest_offer(&nearest, own);
        wm_text_format(&known, "%s%s", i ? ", " : "", own);
    }
    wm_fail(error, WM_NOT_FOUND, "the study has no figure or metric \"%s\"", name);
    if (nearest.best)
        wm_error_hint(error, "did you mean %s?", nearest.best);
    else
        wm_error_hint(error, "there are %s", known.failed ? "others" : known.data);
    wm_text_release(&known);
    return WM_NOT_FOUND;
}

enum wm_status wm_point_table_make(struct wm_study *study, const char *name, const double *values,
                                   struct wm_point_table *table, struct wm_error *error)
{
    struct making making = {.study = study, .values = values, .table = table, .error = error};
    json_t *specification = NULL;
    *table = (struct wm_point_table){.id = name, .title = ""};
    for (uint32_t i = 0; i < study->figure_count && !specification; i++)
        if (strcmp(study->figures[i].id, name) == 0) {
            table->title = study->figures[i].title;
            specification = json_loads(study->figures[i].specification, 0, NULL);
        }
    for (uint32_t i = 0; i < study->metric_count && !specification; i++)
        if (strcmp(study->metrics[i].name, name) == 0) {
            table->title = study->metrics[i].title;
            specification = metric_specification(study, name);
        }
    if (!specification)
        return unknown_name(study, name, error);
    enum wm_status status = make(&making, specification);
    json_decref(specification);
    return status;
}

// ---- Printing -----------------------------------------------------------------------------------

static unsigned widest(const struct wm_point_table *table, bool machines)
{
    size_t width = machines ? strlen("machine") : strlen("metric");
    for (uint32_t i = 0; i < table->row_count; i++) {
        const char *name = machines ? table->rows[i].machine : table->rows[i].metric;
        width = strlen(name) > width ? strlen(name) : width;
    }
    return (unsigned)width;
}

static void print_line(const struct wm_point_table *table, const char *metric, const char *machine,
                       const double *values, double mean, struct wm_text *text)
{
    char number[32];
    wm_text_format(text, "%-*s  %-*s", (int)widest(table, false), metric, (int)widest(table, true),
                   machine);
    for (uint32_t i = 0; i <= table->workload_count; i++) {
        if (i == table->workload_count && !table->has_mean)
            break;
        const char *label = i < table->workload_count ? table->workloads[i] : "mean";
        int width = (int)strlen(label) > 9 ? (int)strlen(label) : 9;
        if (values)
            wm_study_number(i < table->workload_count ? values[i] : mean, number);
        wm_text_format(text, "  %*s", width, values ? number : label);
    }
    wm_text_add(text, "\n");
}

static void print_text(const struct wm_point_table *table, struct wm_text *text)
{
    wm_text_format(text, "%s%s%s", table->id, table->title[0] ? ": " : "", table->title);
    if (table->normalise)
        wm_text_format(text, " (divided by \"%s\")", table->normalise);
    if (table->has_mean && table->workload_count > 1)
        wm_text_format(text, "; mean: %s, over %u workloads",
                       table->geometric ? "geometric" : "arithmetic", table->workload_count);
    wm_text_add(text, "\n");
    print_line(table, "metric", "machine", NULL, 0, text);
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct wm_point_series *row = &table->rows[i];
        bool paper = !isnan(row->paper_mean);
        for (uint32_t w = 0; w < table->workload_count; w++)
            paper = paper || !isnan(row->paper[w]);
        print_line(table, row->metric, row->machine, row->values, row->mean, text);
        if (paper)
            print_line(table, "", "  the paper", row->paper, row->paper_mean, text);
    }
}

// A field as RFC 4180 has it.
static void csv_field(const char *field, struct wm_text *text)
{
    if (!strpbrk(field, ",\"\n")) {
        wm_text_add(text, field);
        return;
    }
    wm_text_add(text, "\"");
    for (; *field; field++)
        wm_text_format(text, *field == '"' ? "\"\"" : "%c", *field);
    wm_text_add(text, "\"");
}

static void csv_number(double value, struct wm_text *text)
{
    wm_text_add(text, ",");
    if (!isnan(value))
        wm_text_format(text, "%.12g", value);
}

static void print_csv(const struct wm_point_table *table, bool first, struct wm_text *text)
{
    if (first)
        wm_text_add(text, "table,metric,machine,workload,value,paper\n");
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct wm_point_series *row = &table->rows[i];
        for (uint32_t w = 0; w < table->workload_count + table->has_mean; w++) {
            bool mean = w == table->workload_count;
            csv_field(table->id, text);
            wm_text_format(text, ",%s,", row->metric);
            csv_field(row->machine, text);
            wm_text_add(text, ",");
            csv_field(mean ? "mean" : table->workloads[w], text);
            csv_number(mean ? row->mean : row->values[w], text);
            csv_number(mean ? row->paper_mean : row->paper[w], text);
            wm_text_add(text, "\n");
        }
    }
}

static json_t *number_value(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *row_value(const struct wm_point_table *table, const struct wm_point_series *row)
{
    json_t *values = json_object(), *paper = json_object();
    for (uint32_t w = 0; w < table->workload_count; w++) {
        json_object_set_new(values, table->workloads[w], number_value(row->values[w]));
        if (!isnan(row->paper[w]))
            json_object_set_new(paper, table->workloads[w], json_real(row->paper[w]));
    }
    if (!isnan(row->paper_mean))
        json_object_set_new(paper, "mean", json_real(row->paper_mean));
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "metric", row->metric, "machine", row->machine,
                     "values", values, "mean", number_value(row->mean), "paper", paper);
}

// One object a line: tables of one output follow each other.
static void print_json(const struct wm_point_table *table, struct wm_text *text)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < table->row_count; i++)
        json_array_append_new(rows, row_value(table, &table->rows[i]));
    json_t *json = json_pack("{s:s, s:s, s:s?, s:s, s:o}", "table", table->id, "title",
                             table->title, "normalise", table->normalise, "mean_kind",
                             table->geometric ? "geometric" : "arithmetic", "rows", rows);
    char *dumped = json ? json_dumps(json, JSON_REAL_PRECISION(12)) : NULL;
    if (dumped) {
        wm_text_add(text, dumped);
        wm_text_add(text, "\n");
    } else {
        text->failed = true;
    }
    free(dumped);
    json_decref(json);
}

void wm_point_table_print(const struct wm_point_table *table, enum wm_point_format format,
                          bool first, struct wm_text *text)
{
    if (format == WM_POINT_TEXT && !first)
        wm_text_add(text, "\n");
    switch (format) {
    case WM_POINT_TEXT: print_text(table, text); break;
    case WM_POINT_CSV: print_csv(table, first, text); break;
    case WM_POINT_JSON: print_json(table, text); break;
    }
}
