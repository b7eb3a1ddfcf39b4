// The report of a study, part by part: a figure's numbers, a machine's values, a point's view, data
// that cannot leave its element, and the page of a build without charts.
#include "study/page/chart_table.h"
#include "study/page/machine_values.h"
#include "study/page/page_json.h"
#include "study/page/point_view.h"
#include "study/page/study_report.h"

#include <criterion/criterion.h>
#include <math.h>
#include <unistd.h>

// --- A figure's numbers ---

enum { WORKLOADS = 3, MACHINES = 4 };

// Two axes; metric "m" is 10 * workload + machine + 1, "n" twice that, missing at one point.
struct sample {
    struct wm_workload_row workloads[WORKLOADS];
    struct wm_machine_row machines[MACHINES];
    struct wm_metric_row metrics[WORKLOADS * MACHINES][2];
    struct wm_point_row points[WORKLOADS * MACHINES];
    struct wm_study_rows rows;
    json_t *axes, *specification;
    struct wm_arena arena;
    struct wm_error error;
};

static struct sample *make_sample(void)
{
    static const char *const workloads[] = {"bfs", "lbm", "spmv"};
    static const char *const machines[] = {"small, base", "small, tracker", "big, base",
                                           "big, tracker"};
    struct sample *sample = calloc(1, sizeof *sample);
    sample->axes = json_pack("[{ssss}{ssss}{ssss}{ssss}]", "l2", "small", "mechanism", "base", "l2",
                             "small", "mechanism", "tracker", "l2", "big", "mechanism", "base",
                             "l2", "big", "mechanism", "tracker");
    for (uint32_t w = 0; w < WORKLOADS; w++)
        sample->workloads[w].label = workloads[w];
    for (uint32_t m = 0; m < MACHINES; m++) {
        sample->machines[m].label = machines[m];
        sample->machines[m].axes = json_array_get(sample->axes, m);
    }
    for (uint32_t i = 0; i < WORKLOADS * MACHINES; i++) {
        uint32_t w = i / MACHINES, m = i % MACHINES;
        sample->metrics[i][0] = (struct wm_metric_row){"m", 10 * w + m + 1};
        sample->metrics[i][1] = (struct wm_metric_row){"n", 2 * (10 * w + m + 1)};
        bool missing = w == 2 && m == 3;
        sample->points[i] = (struct wm_point_row){.workload = w,
                                                  .machine = m,
                                                  .done = !missing,
                                                  .metrics = sample->metrics[i],
                                                  .metric_count = missing ? 0 : 2};
    }
    sample->rows = (struct wm_study_rows){.workloads = sample->workloads,
                                          .machines = sample->machines,
                                          .points = sample->points,
                                          .workload_count = WORKLOADS,
                                          .machine_count = MACHINES,
                                          .point_count = WORKLOADS * MACHINES};
    wm_arena_init(&sample->arena);
    return sample;
}

static enum wm_status make_table(struct sample *sample, const char *specification,
                                 struct wm_chart_table *table)
{
    json_decref(sample->specification);
    sample->specification = json_loads(specification, 0, NULL);
    cr_assert_not_null(sample->specification, "%s", specification);
    const struct wm_stored_figure figure = {"1", "title", sample->specification};
    wm_error_clear(&sample->error);
    return wm_chart_table_init(table, &sample->rows, &figure, &sample->arena, &sample->error);
}

static void release_sample(struct sample *sample)
{
    json_decref(sample->specification);
    json_decref(sample->axes);
    wm_arena_release(&sample->arena);
    free(sample);
}

#define BARS                                                                         \
    "\"chart\": \"bars\", \"workloads\": [\"bfs\", \"lbm\"], \"machines\": [\"big, " \
    "base\", \"big, tracker\"]"

Test(study_report, bars_are_normalised_each_by_its_workload_and_averaged)
{
    struct sample *sample = make_sample();
    struct wm_chart_table table;
    cr_assert_eq(make_table(sample,
                            "{" BARS ", \"metrics\": [\"m\"], \"x\": \"workload\", \"mean\": true,"
                            "\"normalise\": \"big, base\", \"paper\": {\"big, tracker\": "
                            "{\"lbm\": 0.5, \"mean\": 0.75}}}",
                            &table),
                 WM_OK);
    cr_expect_eq(table.place_count, 3);
    cr_expect_str_eq(table.places[2], "mean");
    cr_expect_str_eq(table.series[1], "big, tracker");
    double bfs = 4.0 / 3.0, lbm = 14.0 / 13.0;
    const double ours[] = {1, bfs, 1, lbm, 1, (bfs + lbm) / 2};
    for (uint32_t i = 0; i < 6; i++)
        cr_expect_float_eq(table.ours[i], ours[i], 1e-12, "%u", i);
    cr_expect(table.has_paper && isnan(table.paper[0]) && isnan(table.paper[1]));
    cr_expect_eq(table.paper[3], 0.5);
    cr_expect_eq(table.paper[5], 0.75);
    release_sample(sample);
}

Test(study_report, a_choice_is_another_machine_by_workload)
{
    struct sample *sample = make_sample();
    struct wm_chart_table table;
#define CHOSEN(lbm, x)                                                                \
    "{\"chart\": \"bars\", \"workloads\": [\"bfs\", \"lbm\"], \"metrics\": [\"m\"], " \
    "\"machines\": [\"big, base\", \"best\"], \"x\": \"" x "\", \"mean\": true, "     \
    "\"normalise\": \"big, base\", \"paper\": {\"best\": {\"bfs\": 2}}, "             \
    "\"choices\": {\"best\": {\"bfs\": \"big, tracker\", \"lbm\": \"" lbm "\"}}}"
    cr_assert_eq(make_table(sample, CHOSEN("big, base", "workload"), &table), WM_OK);
    cr_expect_str_eq(table.series[1], "best");
    double bfs = 4.0 / 3.0;
    const double ours[] = {1, bfs, 1, 1, 1, (bfs + 1) / 2};
    for (uint32_t i = 0; i < 6; i++)
        cr_expect_float_eq(table.ours[i], ours[i], 1e-12, "%u", i);
    cr_expect_eq(table.paper[1], 2);
    cr_assert_eq(make_table(sample, CHOSEN("gone", "workload"), &table), WM_OK);
    cr_expect(isnan(table.ours[3]) && isnan(table.ours[5]), "what is not there is not known");
    cr_expect_eq(make_table(sample, CHOSEN("big, base", "l2"), &table), WM_INVALID);
    cr_expect_not_null(strstr(sample->error.message, "'best' is not on"), "%s",
                       sample->error.message);
    release_sample(sample);
}

Test(study_report, a_mean_is_none_where_a_workload_is_missing)
{
    struct sample *sample = make_sample();
    struct wm_chart_table table;
    cr_assert_eq(
        make_table(sample,
                   "{\"chart\": \"lines\", \"metrics\": [\"m\"], \"x\": \"l2\","
                   "\"workloads\": [\"bfs\", \"lbm\", \"spmv\"],"
                   "\"machines\": [\"small, base\", \"big, base\", \"small, tracker\", \"big, "
                   "tracker\"], \"paper\": {\"small, base\": {\"mean\": 7}}}",
                   &table),
        WM_OK);
    cr_assert_eq(table.place_count, 2);
    cr_assert_eq(table.series_count, 2);
    cr_expect_str_eq(table.places[0], "small");
    cr_expect_str_eq(table.series[1], "tracker");
    cr_expect_eq(wm_chart_value(&table, 0, 0), 11); // of 1, 11, 21
    cr_expect_eq(wm_chart_value(&table, 1, 0), 13);
    cr_expect_eq(wm_chart_value(&table, 0, 1), 12);
    cr_expect(isnan(wm_chart_value(&table, 1, 1)), "spmv is missing there");
    cr_expect_eq(table.paper[0], 7);
    release_sample(sample);
}

Test(study_report, a_stack_is_divided_by_the_whole_of_its_base)
{
    struct sample *sample = make_sample();
    struct wm_chart_table table;
    cr_assert_eq(make_table(sample,
                            "{\"chart\": \"stacked-bars\", \"metrics\": [\"m\", \"n\"],"
                            "\"x\": \"workload\", \"workloads\": [\"lbm\"], \"machines\": "
                            "[\"big, tracker\"], \"normalise\": \"small, base\"}",
                            &table),
                 WM_OK);
    cr_expect_eq(table.part_count, 2);
    cr_expect_float_eq(table.ours[0], 14.0 / 33.0, 1e-12);
    cr_expect_float_eq(table.ours[1], 28.0 / 33.0, 1e-12);
    cr_expect_float_eq(wm_chart_value(&table, 0, 0), 42.0 / 33.0, 1e-12);
    cr_expect(!table.has_paper);
    release_sample(sample);
}

Test(study_report, a_specification_says_what_is_wrong_with_it)
{
    static const struct {
        const char *specification, *message;
    } cases[] = {
        {"{}", "\"x\" is not"},
        {"{\"x\": \"l2\", \"chart\": \"pie\"}", "\"chart\" is not"},
        {"{\"x\": \"l2\", \"chart\": \"bars\", \"metrics\": []}", "\"metrics\" is not"},
        {"{\"x\": \"l2\", \"chart\": \"bars\", \"metrics\": [1]}", "\"metrics\" is not"},
        {"{\"x\": \"no\", \"metrics\": [\"m\"], " BARS "}", "'no', an axis that machine"},
        {"{\"x\": \"l2\", \"metrics\": [\"m\"], \"normalise\": \"q\", " BARS "}", "names 'q'"},
        {"{\"x\": \"l2\", \"metrics\": [\"m\"], \"normalise\": 3, " BARS "}", "\"normalise\" is"},
        {"{\"x\": \"l2\", \"metrics\": [\"m\"], \"chart\": \"bars\", \"workloads\": [\"q\"]}",
         "\"workloads\" names 'q'"},
        {"{\"x\": \"l2\", \"metrics\": [\"m\"], \"chart\": \"bars\", \"workloads\": [4]}",
         "\"workloads\" is not"},
    };
    struct sample *sample = make_sample();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wm_chart_table table;
        cr_expect_eq(make_table(sample, cases[i].specification, &table), WM_INVALID);
        cr_expect(strstr(sample->error.message, cases[i].message) != NULL, "%s",
                  sample->error.message);
    }
    release_sample(sample);
}

// --- A machine's values ---

Test(study_report, a_description_becomes_keys_and_values)
{
    struct wm_arena arena;
    struct wm_machine_values one, other;
    wm_arena_init(&arena);
    cr_assert_eq(wm_machine_values_read(&one,
                                        "name: a # said\ngpu:\n  l1:\n    size: 48KiB\n"
                                        "    list: [0B, 8KiB]\n  own: \"x: y\"\n",
                                        &arena, NULL),
                 WM_OK);
    cr_assert_eq(wm_machine_values_read(&other, "name: a\ngpu: {l1: {size: 16KiB, list: [0B]}}\n",
                                        &arena, NULL),
                 WM_OK);
    cr_assert_eq(one.count, 4);
    cr_expect_str_eq(one.values[1].key, "gpu.l1.size");
    cr_expect_str_eq(wm_machine_values_find(&one, "gpu.l1.list"), "0B, 8KiB");
    cr_expect_str_eq(wm_machine_values_find(&one, "gpu.own"), "x: y");
    cr_expect_null(wm_machine_values_find(&one, "gpu.l1"));
    const bool differs[] = {false, true, true, true};
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_eq(wm_machine_value_differs(&one.values[i], &other), differs[i], "%u", i);
    wm_arena_release(&arena);
}

Test(study_report, a_description_that_is_none_is_refused)
{
    static const char *const texts[] = {
        "",
        "[1, 2]",
        "a: [",
        "a: [[1]]",
        "? [a]\n: b\n",
        "a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: {a: 1}}}}}}}}}}}}}",
        "a: &a {b: 1, c: 2}\nd: *a\ne: *a\nf: *a\ng: *a\nh: *a\ni: *a\nj: *a\n"};
    struct wm_arena arena;
    wm_arena_init(&arena);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct wm_machine_values values;
        cr_expect_eq(wm_machine_values_read(&values, texts[i], &arena, NULL), WM_INVALID, "%s",
                     texts[i]);
    }
    wm_arena_release(&arena);
}

// --- A point's view ---

static json_t *results_of(int hits, const char *text)
{
    return json_pack("{s{s{s{s{ssss}}}} s[{sss[ii]s[{sss{sisi}}{sss{sisi}}]s[{sss{ss si}s{si}}]}]}",
                     "counters", "instruction", "counters", "l1.hits", "unit", "sectors",
                     "sentence", "held", "kernels", "name", "k", "grid", 1, 2, "components", "kind",
                     "l1", "counters", "hits", hits, "zero", 0, "kind", "l1", "counters", "hits",
                     2 * hits, "zero", 0, "instructions", "text", text, "source", "file",
                     "/some/folder/a.cu", "line", 7, "counters", "l1.hits", hits);
}

Test(study_report, machines_share_the_code_of_a_program)
{
    struct wm_view_tables tables = {json_array(), json_array()};
    json_t *results[] = {results_of(5, "ld a"), results_of(6, "ld a"), results_of(7, "ld b")};
    const int codes[] = {0, 0, 1}, hits[] = {5, 6, 7};
    for (int i = 0; i < 3; i++) {
        json_t *view = wm_point_view(results[i], &tables);
        cr_assert_not_null(view);
        cr_expect_eq(json_integer_value(json_object_get(view, "code")), codes[i]);
        const json_t *kernel = json_array_get(json_object_get(view, "kernels"), 0);
        const json_t *sums = json_object_get(json_object_get(kernel, "sums"), "l1");
        cr_expect_eq(json_object_size(sums), 1, "what counted nothing is left out");
        cr_expect_eq(json_integer_value(json_object_get(sums, "hits")), 3 * hits[i]);
        const json_t *row = json_array_get(json_object_get(kernel, "rows"), 0);
        cr_expect_eq(json_integer_value(json_array_get(row, 0)), hits[i]);
        json_decref(view);
        json_decref(results[i]);
    }
    const json_t *instruction = json_array_get(
        json_object_get(json_array_get(json_array_get(tables.codes, 0), 0), "instructions"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(instruction, "file")), "a.cu");
    cr_expect_eq(json_array_size(tables.codes), 2);
    cr_expect_eq(json_array_size(tables.counters), 1);
    json_t *none = json_object();
    cr_expect_null(wm_point_view(none, &tables));
    json_decref(none);
    json_decref(tables.codes);
    json_decref(tables.counters);
}

Test(study_report, data_cannot_end_its_element)
{
    char *text;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    cr_expect(wm_page_json(stream, json_pack("[sf]", "</script><!-- & \"q\" \xE2\x80\xA8", 0.1)));
    cr_expect(!wm_page_json(stream, NULL));
    fclose(stream);
    cr_expect_null(strpbrk(text, "<>&"), "%s", text);
    json_t *back = json_loads(text, 0, NULL);
    cr_assert_not_null(back);
    cr_expect_str_eq(json_string_value(json_array_get(back, 0)),
                     "</script><!-- & \"q\" \xE2\x80\xA8");
    cr_expect_eq(json_number_value(json_array_get(back, 1)), 0.1);
    json_decref(back);
    free(text);
}

// --- The page ---

static const char tables_of_the_database[] =
    "CREATE TABLE study(id INTEGER PRIMARY KEY, name, title, paper, version);"
    "CREATE TABLE workload(id INTEGER PRIMARY KEY, study_id, label, position, arguments);"
    "CREATE TABLE machine(id INTEGER PRIMARY KEY, study_id, label, position, axes, description);"
    "CREATE TABLE point(id INTEGER PRIMARY KEY, study_id, workload_id, machine_id, status, error,"
    "  results);"
    "CREATE TABLE metric(point_id, name, value);"
    "CREATE TABLE metric_definition(study_id, name, position, expression, title, unit);"
    "CREATE TABLE claim(study_id, id, position, place, text, statement, paper, holds, ours);"
    "CREATE TABLE figure(study_id, id, position, title, specification);"
    "PRAGMA application_id = 0x574D7273; PRAGMA user_version = 1;"
    "INSERT INTO study VALUES(1, 's', '', '', '0.1.0');"
    "INSERT INTO workload VALUES(1, 1, 'bfs', 0, 'bfs.cu');"
    "INSERT INTO machine VALUES(1, 1, 'base', 0, '{}', 'name: base');"
    "INSERT INTO point VALUES(1, 1, 1, 1, 'done', NULL, '{\"kernels\": []}');"
    "INSERT INTO metric VALUES(1, 'm', 12345678);"
    "INSERT INTO figure VALUES(1, '1', 0, 'Title', '{\"x\": \"workload\", \"chart\": \"bars\","
    "  \"metrics\": [\"m\"], \"workloads\": [\"bfs\"], \"machines\": [\"base\"]}');";

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    char *text = calloc(1, 1 << 20);
    size_t length = fread(text, 1, (1 << 20) - 1, file);
    cr_assert_gt(length, 0);
    fclose(file);
    return text;
}

Test(study_report, a_build_without_charts_writes_tables_and_says_why)
{
    char folder[] = "/tmp/warpmem-report-XXXXXX", database[64], page[64];
    cr_assert_not_null(mkdtemp(folder));
    snprintf(database, sizeof database, "%s/results.db", folder);
    snprintf(page, sizeof page, "%s/report.html", folder);
    sqlite3 *open;
    cr_assert_eq(sqlite3_open(database, &open), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(open, tables_of_the_database, NULL, NULL, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(open));
    sqlite3_close(open);

    const struct wm_report_assets without = {"STYLE", "SCRIPT", "CHARTS",
                                             "",      "",       "no npm & no charts\n"};
    struct wm_error error;
    cr_assert_eq(wm_study_report(database, page, &without, &error), WM_OK, "%s", error.message);
    char *text = read_file(page);
    cr_expect_not_null(strstr(text, "without charts: no npm &amp; no charts"));
    cr_expect_not_null(strstr(text, "<td>12.3 M</td>"));
    cr_expect_not_null(strstr(text, "<script>\nSCRIPT</script>"));
    cr_expect_null(strstr(text, "CHARTS"));
    cr_expect_null(strstr(text, "class=chart"));
    free(text);

    struct wm_report_assets with = without;
    with.chart_library = "LIBRARY";
    with.chart_licences = "LICENCE <c>";
    cr_assert_eq(wm_study_report(database, page, &with, NULL), WM_OK);
    text = read_file(page);
    cr_expect_null(strstr(text, "no charts"));
    cr_expect_not_null(strstr(text, "LICENCE &lt;c&gt;"));
    cr_expect_not_null(strstr(text, "<script>LIBRARY</script>\n<script>\nCHARTS</script>"));
    cr_expect_not_null(strstr(text, "class=chart"));
    free(text);
    cr_expect_eq(wm_study_report(database, database, &with, NULL), WM_INVALID);
    unlink(page);
    unlink(database);
    rmdir(folder);
}
