#include "study/page/study_rows.h"

#include "study/page/results_file.h"

#include <math.h>
#include <string.h>

// Reads the rows of one statement into an array of the arena: `read` fills one row.
struct table {
    struct wm_results_file *file;
    struct wm_study_rows *study;         // whose rows; NULL for the studies themselves
    const char *name;                    // "machine": what errors call it
    const char *columns, *where, *order; // of the query
    size_t size, alignment;              // of a row
    enum wm_status (*read)(const struct table *table, sqlite3_stmt *row, void *out,
                           struct wm_error *error);
};

static enum wm_status no_memory(const struct wm_results_file *file, struct wm_error *error)
{
    return wm_fail_no_memory(error, "'%s'", file->path);
}

// A column's text in the arena; "" for NULL. Texts of pages and JSON are UTF-8.
static enum wm_status read_text(const struct table *table, sqlite3_stmt *row, int column,
                                const char **text, struct wm_error *error)
{
    const char *value = (const char *)sqlite3_column_text(row, column);
    size_t length = value != NULL ? strlen(value) : 0;
    *text = wm_arena_copy_text(&table->file->arena, value != NULL ? value : "", length);
    if (*text == NULL)
        return no_memory(table->file, error);
    json_t *checked = json_string(*text);
    if (checked == NULL)
        return wm_results_file_damaged(table->file, error, "a text of table %s is not UTF-8",
                                       table->name);
    json_decref(checked);
    return WM_OK;
}

static enum wm_status read_texts(const struct table *table, sqlite3_stmt *row, int first,
                                 const char **const *texts, int count, struct wm_error *error)
{
    for (int i = 0; i < count; i++)
        WM_TRY(read_text(table, row, first + i, texts[i], error));
    return WM_OK;
}

// A column's JSON object, owned by the file; an empty one for NULL.
static enum wm_status read_object(const struct table *table, sqlite3_stmt *row, int column,
                                  json_t **object, struct wm_error *error)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    *object = text != NULL ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : json_object();
    if (!json_is_object(*object)) {
        json_decref(*object);
        return wm_results_file_damaged(table->file, error, "table %s has no JSON object in \"%s\"",
                                       table->name, sqlite3_column_name(row, column));
    }
    return json_array_append_new(table->file->values, *object) == 0 ? WM_OK
                                                                    : no_memory(table->file, error);
}

static enum wm_status prepare(const struct table *table, const char *columns, const char *order,
                              sqlite3_stmt **statement, struct wm_error *error)
{
    char query[512];
    snprintf(query, sizeof query, "SELECT %s FROM %s %s ORDER BY %s", columns, table->name,
             table->where, order);
    WM_TRY(wm_results_file_prepare(table->file, query, statement, error));
    if (table->study != NULL)
        sqlite3_bind_int64(*statement, 1, table->study->id);
    return WM_OK;
}

static enum wm_status count_rows(const struct table *table, uint32_t *count, struct wm_error *error)
{
    sqlite3_stmt *statement;
    WM_TRY(prepare(table, "count(*)", "1", &statement, error));
    bool good = sqlite3_step(statement) == SQLITE_ROW;
    *count = good ? (uint32_t)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return good ? WM_OK
                : wm_results_file_damaged(table->file, error, "%s",
                                          sqlite3_errmsg(table->file->database));
}

// The file is open in one transaction, so that the count holds.
static enum wm_status read_rows(const struct table *table, void **rows, uint32_t *count,
                                struct wm_error *error)
{
    sqlite3_stmt *statement;
    WM_TRY(count_rows(table, count, error));
    char *out = *rows = wm_arena_alloc(&table->file->arena, table->size * *count, table->alignment);
    if (out == NULL)
        return no_memory(table->file, error);
    WM_TRY(prepare(table, table->columns, table->order, &statement, error));
    enum wm_status status = WM_OK;
    int step = SQLITE_DONE;
    for (uint32_t i = 0; status == WM_OK && i < *count; i++) {
        step = sqlite3_step(statement);
        if (step != SQLITE_ROW)
            break;
        status = table->read(table, statement, out + i * table->size, error);
    }
    if (status == WM_OK && *count > 0 && step != SQLITE_ROW)
        status = wm_results_file_damaged(table->file, error, "%s",
                                         sqlite3_errmsg(table->file->database));
    sqlite3_finalize(statement);
    return status;
}

// --- One row of each table ---

static enum wm_status read_workload(const struct table *table, sqlite3_stmt *row, void *out,
                                    struct wm_error *error)
{
    struct wm_workload_row *workload = out;
    workload->id = sqlite3_column_int64(row, 0);
    WM_TRY(read_text(table, row, 1, &workload->label, error));
    return read_text(table, row, 2, &workload->arguments, error);
}

static enum wm_status read_machine(const struct table *table, sqlite3_stmt *row, void *out,
                                   struct wm_error *error)
{
    struct wm_machine_row *machine = out;
    machine->id = sqlite3_column_int64(row, 0);
    WM_TRY(read_text(table, row, 1, &machine->label, error));
    WM_TRY(read_text(table, row, 2, &machine->description, error));
    return read_object(table, row, 3, &machine->axes, error);
}

static enum wm_status read_claim(const struct table *table, sqlite3_stmt *row, void *out,
                                 struct wm_error *error)
{
    struct wm_claim_row *claim = out;
    const char **const texts[] = {&claim->id,        &claim->place, &claim->text,
                                  &claim->statement, &claim->paper, &claim->ours};
    claim->verdict = sqlite3_column_type(row, 6) == SQLITE_NULL ? WM_CLAIM_UNKNOWN
                     : sqlite3_column_int(row, 6) != 0          ? WM_CLAIM_HOLDS
                                                                : WM_CLAIM_FAILS;
    return read_texts(table, row, 0, texts, 6, error);
}

static enum wm_status read_figure(const struct table *table, sqlite3_stmt *row, void *out,
                                  struct wm_error *error)
{
    struct wm_stored_figure *figure = out;
    WM_TRY(read_text(table, row, 0, &figure->id, error));
    WM_TRY(read_text(table, row, 1, &figure->title, error));
    return read_object(table, row, 2, &figure->specification, error);
}

static enum wm_status read_definition(const struct table *table, sqlite3_stmt *row, void *out,
                                      struct wm_error *error)
{
    struct wm_metric_definition *definition = out;
    const char **const texts[] = {&definition->name, &definition->expression, &definition->title,
                                  &definition->unit};
    return read_texts(table, row, 0, texts, 4, error);
}

static enum wm_status read_metric(const struct table *table, sqlite3_stmt *row, void *out,
                                  struct wm_error *error)
{
    struct wm_metric_row *metric = out;
    metric->value =
        sqlite3_column_type(row, 1) == SQLITE_NULL ? NAN : sqlite3_column_double(row, 1);
    return read_text(table, row, 0, &metric->name, error);
}

#define ROWS_OF(type) .size = sizeof(type), .alignment = _Alignof(type)

static enum wm_status read_metrics(struct wm_results_file *file, struct wm_point_row *point,
                                   struct wm_error *error)
{
    struct wm_study_rows key = {.id = point->id}; // what the query is bound to
    const struct table table = {file,
                                &key,
                                "metric",
                                "name, value",
                                "WHERE point_id = ?1",
                                "name",
                                ROWS_OF(struct wm_metric_row),
                                read_metric};
    void *rows;
    WM_TRY(read_rows(&table, &rows, &point->metric_count, error));
    point->metrics = rows;
    return WM_OK;
}

static enum wm_status read_point(const struct table *table, sqlite3_stmt *row, void *out,
                                 struct wm_error *error)
{
    struct wm_point_row *point = out;
    const struct wm_study_rows *study = table->study;
    const char *status;
    point->id = sqlite3_column_int64(row, 0);
    int64_t workload = sqlite3_column_int64(row, 1), machine = sqlite3_column_int64(row, 2);
    while (point->workload < study->workload_count &&
           study->workloads[point->workload].id != workload)
        point->workload++;
    while (point->machine < study->machine_count && study->machines[point->machine].id != machine)
        point->machine++;
    if (point->workload == study->workload_count || point->machine == study->machine_count)
        return wm_results_file_damaged(table->file, error,
                                       "a point's workload or machine is not there");
    WM_TRY(read_text(table, row, 3, &status, error));
    WM_TRY(read_text(table, row, 4, &point->error, error));
    point->done = strcmp(status, "done") == 0;
    return read_metrics(table->file, point, error);
}

static enum wm_status read_plugin(const struct table *table, sqlite3_stmt *row, void *out,
                                  struct wm_error *error)
{
    struct wm_plugin_row *plugin = out;
    const char **const texts[] = {&plugin->file, &plugin->hash, &plugin->entries};
    plugin->machine = sqlite3_column_int64(row, 0);
    return read_texts(table, row, 1, texts, 3, error);
}

// Databases of before have no table for them.
static bool has_plugins(const struct wm_results_file *file)
{
    sqlite3_stmt *statement;
    bool found = wm_results_file_prepare(
                     file, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'plugin'",
                     &statement, NULL) == WM_OK &&
                 sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    return found;
}

#define OF_STUDY "WHERE study_id = ?1"

static enum wm_status read_parts(struct wm_results_file *file, struct wm_study_rows *study,
                                 struct wm_error *error)
{
    const struct table tables[] = {
        {file, study, "workload", "id, label, arguments", OF_STUDY, "position",
         ROWS_OF(struct wm_workload_row), read_workload},
        {file, study, "machine", "id, label, description, axes", OF_STUDY, "position",
         ROWS_OF(struct wm_machine_row), read_machine},
        {file, study, "claim", "id, place, text, statement, paper, ours, holds", OF_STUDY,
         "position", ROWS_OF(struct wm_claim_row), read_claim},
        {file, study, "figure", "id, title, specification", OF_STUDY, "position",
         ROWS_OF(struct wm_stored_figure), read_figure},
        {file, study, "metric_definition", "name, expression, title, unit", OF_STUDY, "position",
         ROWS_OF(struct wm_metric_definition), read_definition},
        {file, study, "point", "id, workload_id, machine_id, status, error", OF_STUDY, "id",
         ROWS_OF(struct wm_point_row), read_point},
        {file, study, "plugin", "machine_id, file, hash, entries", OF_STUDY, "machine_id, position",
         ROWS_OF(struct wm_plugin_row), read_plugin},
    };
    void *rows;
    WM_TRY(read_rows(&tables[0], &rows, &study->workload_count, error));
    study->workloads = rows;
    WM_TRY(read_rows(&tables[1], &rows, &study->machine_count, error));
    study->machines = rows;
    WM_TRY(read_rows(&tables[2], &rows, &study->claim_count, error));
    study->claims = rows;
    WM_TRY(read_rows(&tables[3], &rows, &study->figure_count, error));
    study->figures = rows;
    WM_TRY(read_rows(&tables[4], &rows, &study->definition_count, error));
    study->definitions = rows;
    WM_TRY(read_rows(&tables[5], &rows, &study->point_count, error));
    study->points = rows;
    if (!has_plugins(file))
        return WM_OK;
    WM_TRY(read_rows(&tables[6], &rows, &study->plugin_count, error));
    study->plugins = rows;
    return WM_OK;
}

static enum wm_status read_study(const struct table *table, sqlite3_stmt *row, void *out,
                                 struct wm_error *error)
{
    struct wm_study_rows *study = out;
    const char **const texts[] = {&study->name, &study->title, &study->paper, &study->version};
    study->id = sqlite3_column_int64(row, 0);
    WM_TRY(read_texts(table, row, 1, texts, 4, error));
    return read_parts(table->file, study, error);
}

enum wm_status wm_results_file_rows(struct wm_results_file *file, struct wm_error *error)
{
    const struct table table = {file,
                                NULL,
                                "study",
                                "id, name, title, paper, version",
                                "",
                                "id",
                                ROWS_OF(struct wm_study_rows),
                                read_study};
    void *rows;
    WM_TRY(read_rows(&table, &rows, &file->study_count, error));
    file->studies = rows;
    return WM_OK;
}

double wm_point_metric(const struct wm_point_row *point, const char *metric)
{
    for (uint32_t i = 0; i < point->metric_count; i++)
        if (strcmp(point->metrics[i].name, metric) == 0)
            return point->metrics[i].value;
    return NAN;
}

const struct wm_point_row *wm_study_point(const struct wm_study_rows *study, uint32_t workload,
                                          uint32_t machine)
{
    for (uint32_t i = 0; i < study->point_count; i++)
        if (study->points[i].workload == workload && study->points[i].machine == machine)
            return &study->points[i];
    return NULL;
}
