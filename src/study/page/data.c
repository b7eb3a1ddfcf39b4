// The data of the page's scripts: {"studies": [{"figures", "workloads", "machines", "points",
// "codes", "counters"}]}.
#include "study/page/page_json.h"
#include "study/page/point_view.h"
#include "study/page/sections.h"

#include <inttypes.h>
#include <math.h>

static json_t *number(double value)
{
    return isnan(value) ? json_null() : json_real(value);
}

static json_t *names(const char *const *list, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(array, json_string(list[i]));
    return array;
}

static json_t *numbers(const double *list, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, number(list[i]));
    return array;
}

// A metric's title, or its name.
static json_t *part_titles(const struct wm_study_rows *study, const struct wm_chart_table *table)
{
    json_t *titles = json_array();
    for (uint32_t part = 0; part < table->part_count; part++) {
        const char *title = table->parts[part];
        for (uint32_t i = 0; i < study->definition_count; i++)
            if (strcmp(study->definitions[i].name, table->parts[part]) == 0 &&
                study->definitions[i].title[0] != '\0')
                title = study->definitions[i].title;
        json_array_append_new(titles, json_string(title));
    }
    return titles;
}

static json_t *figure_data(const struct wm_study_rows *study, const struct wm_chart_table *table)
{
    static const char *const charts[] = {[WM_CHART_BARS] = "bars",
                                         [WM_CHART_STACKED_BARS] = "stacked-bars",
                                         [WM_CHART_LINES] = "lines"};
    size_t values = (size_t)table->place_count * table->series_count;
    return json_pack("{sssssssbsososososo?}", "chart", charts[table->chart], "axisTitle",
                     table->axis_title, "placeTitle", table->place_title, "ratio",
                     table->normalise != NULL, "places", names(table->places, table->place_count),
                     "series", names(table->series, table->series_count), "parts",
                     part_titles(study, table), "ours",
                     numbers(table->ours, values * table->part_count), "paper",
                     table->has_paper ? numbers(table->paper, values) : NULL);
}

static bool put_figures(const struct wm_page *page)
{
    json_t *figures = json_array();
    for (uint32_t i = 0; i < page->study->figure_count; i++)
        json_array_append_new(figures, figure_data(page->study, &page->figures[i]));
    return wm_page_json(page->stream, figures);
}

static bool put_labels(const struct wm_page *page)
{
    const struct wm_study_rows *study = page->study;
    json_t *workloads = json_array(), *machines = json_array();
    for (uint32_t i = 0; i < study->workload_count; i++)
        json_array_append_new(workloads, json_pack("{ssss}", "label", study->workloads[i].label,
                                                   "arguments", study->workloads[i].arguments));
    for (uint32_t i = 0; i < study->machine_count; i++)
        json_array_append_new(machines, json_string(study->machines[i].label));
    fputs(",\"workloads\":", page->stream);
    bool good = wm_page_json(page->stream, workloads);
    fputs(",\"machines\":", page->stream);
    return wm_page_json(page->stream, machines) && good;
}

static json_t *metrics_data(const struct wm_point_row *point)
{
    json_t *metrics = json_object();
    for (uint32_t i = 0; i < point->metric_count; i++)
        json_object_set_new(metrics, point->metrics[i].name, number(point->metrics[i].value));
    return metrics;
}

// One point's results are in memory at a time.
static enum wm_status put_point(const struct wm_page *page, const struct wm_results_file *file,
                                const struct wm_point_row *point, struct wm_view_tables *tables,
                                struct wm_error *error)
{
    json_t *results;
    WM_TRY(wm_results_file_point(file, point->id, &results, error));
    json_t *view = wm_point_view(results, tables);
    json_decref(results);
    bool good = view != NULL &&
                json_object_set_new(view, "workload", json_integer(point->workload)) == 0 &&
                json_object_set_new(view, "machine", json_integer(point->machine)) == 0 &&
                json_object_set_new(view, "metrics", metrics_data(point)) == 0;
    if (wm_page_json(page->stream, view) && good)
        return WM_OK;
    wm_fail(error, WM_INVALID, "'%s' is damaged: the results of point %" PRId64 " are no replay's",
            file->path, point->id);
    return wm_error_hint(error, "\"warpmem study run\" writes it anew when it is not there");
}

static enum wm_status put_points(const struct wm_page *page, const struct wm_results_file *file,
                                 struct wm_view_tables *tables, struct wm_error *error)
{
    const struct wm_study_rows *study = page->study;
    const char *before = ",\"points\":[\n";
    for (uint32_t w = 0; w < study->workload_count; w++)
        for (uint32_t m = 0; m < study->machine_count; m++) {
            const struct wm_point_row *point = wm_study_point(study, w, m);
            if (point == NULL || !point->done)
                continue;
            fputs(before, page->stream);
            WM_TRY(put_point(page, file, point, tables, error));
            before = ",\n";
        }
    fputs(before[1] == '\n' ? "]" : ",\"points\":[]", page->stream);
    return WM_OK;
}

static enum wm_status put_study(const struct wm_page *page, const struct wm_results_file *file,
                                struct wm_error *error)
{
    struct wm_view_tables tables = {.codes = json_array(), .counters = json_array()};
    bool good = tables.codes != NULL && tables.counters != NULL;
    fputs("{\"figures\":", page->stream);
    good = put_figures(page) && good;
    good = put_labels(page) && good;
    enum wm_status status = good ? put_points(page, file, &tables, error) : WM_OK;
    fputs(",\"codes\":", page->stream);
    good = wm_page_json(page->stream, tables.codes) && good;
    fputs(",\"counters\":", page->stream);
    good = wm_page_json(page->stream, tables.counters) && good;
    fputs("}", page->stream);
    if (status == WM_OK && !good)
        status = wm_fail_no_memory(error, "the page");
    return status;
}

enum wm_status wm_page_data(const struct wm_page *pages, uint32_t page_count,
                            const struct wm_results_file *file, struct wm_error *error)
{
    FILE *stream = pages[0].stream;
    fputs("<script type=\"application/json\" id=data>{\"studies\":[", stream);
    for (uint32_t i = 0; i < page_count; i++) {
        fputs(i > 0 ? ",\n" : "", stream);
        WM_TRY(put_study(&pages[i], file, error));
    }
    fputs("]}</script>\n", stream);
    return WM_OK;
}
