// A study's rows, brought in step with its file.
#include "study/database/query.h"

#include <jansson.h>
#include <stdlib.h>

struct taking {
    struct wm_database *database;
    struct wm_study *study;
    struct wm_error *error;
    int64_t id;
    char version[128];
};

static enum wm_status execute(const struct taking *taking, const char *sql, const char *text)
{
    return wm_execute(taking->database, taking->error, sql, text ? "it" : "i", taking->id, text);
}

// ---- Workloads and machines ---------------------------------------------------------------------

// One of the two tables whose rows points are of, and what the file now has for it.
struct side {
    const char *table;
    uint32_t count;
    const char *(*label)(const struct wm_study *study, uint32_t index);
    const char *(*hash)(const struct wm_study *study, uint32_t index);
};

static const char *workload_label(const struct wm_study *study, uint32_t index)
{
    return study->workloads[index].label;
}

static const char *workload_hash(const struct wm_study *study, uint32_t index)
{
    return study->workloads[index].hash;
}

static const char *machine_label(const struct wm_study *study, uint32_t index)
{
    return study->machines[index].label;
}

static const char *machine_hash(const struct wm_study *study, uint32_t index)
{
    return study->machines[index].hash;
}

static bool has(const struct wm_study *study, const struct side *side, const char *label,
                const char *hash)
{
    for (uint32_t i = 0; i < side->count; i++)
        if (strcmp(side->label(study, i), label) == 0)
            return strcmp(side->hash(study, i), hash) == 0;
    return false;
}

// Keeps the row's done points aside and takes it away.
static enum wm_status drop_row(const struct taking *taking, const struct side *side, int64_t row)
{
    char keep[512], metrics[256], points[128], own[128];
    snprintf(keep, sizeof keep,
             "INSERT OR REPLACE INTO spare SELECT w.hash, m.hash, ?2, p.seconds, p.results FROM "
             "point p JOIN workload w ON w.id = p.workload_id JOIN machine m ON m.id = "
             "p.machine_id WHERE p.%s_id = ?1 AND p.status = 'done'",
             side->table);
    snprintf(metrics, sizeof metrics,
             "DELETE FROM metric WHERE point_id IN (SELECT id FROM point WHERE %s_id = ?)",
             side->table);
    snprintf(points, sizeof points, "DELETE FROM point WHERE %s_id = ?", side->table);
    snprintf(own, sizeof own, "DELETE FROM %s WHERE id = ?", side->table);
    WM_TRY(wm_execute(taking->database, taking->error, keep, "it", row, taking->version));
    WM_TRY(wm_execute(taking->database, taking->error, metrics, "i", row));
    WM_TRY(wm_execute(taking->database, taking->error, points, "i", row));
    return wm_execute(taking->database, taking->error, own, "i", row);
}

static enum wm_status drop_outdated(const struct taking *taking, const struct side *side)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT id, label, hash FROM %s WHERE study_id = ?", side->table);
    for (;;) { // one a turn: a row is not taken away under its own query
        sqlite3_stmt *statement;
        bool row;
        int64_t outdated = -1;
        WM_TRY(wm_query(taking->database, &statement, taking->error, sql, "i", taking->id));
        do {
            WM_TRY(wm_query_step(taking->database, statement, &row, taking->error));
            if (row && outdated < 0 &&
                !has(taking->study, side, (const char *)sqlite3_column_text(statement, 1),
                     (const char *)sqlite3_column_text(statement, 2)))
                outdated = sqlite3_column_int64(statement, 0);
        } while (row);
        if (outdated < 0)
            return WM_OK;
        WM_TRY(drop_row(taking, side, outdated));
    }
}

static enum wm_status put_workload(const struct taking *taking, uint32_t index)
{
    const struct wm_study_workload *workload = &taking->study->workloads[index];
    struct wm_text line;
    wm_text_init(&line);
    wm_text_add(&line, workload->program);
    for (uint32_t i = 0; i < workload->arguments.count; i++)
        wm_text_format(&line, " %s", workload->arguments.items[i]);
    enum wm_status status =
        line.failed ? wm_fail_no_memory(taking->error, "the study")
                    : wm_execute(taking->database, taking->error,
                                 "INSERT INTO workload(study_id, label, position, arguments, hash)"
                                 " VALUES(?, ?, ?, ?, ?) ON CONFLICT(study_id, label) DO UPDATE SET"
                                 " position = excluded.position, arguments = excluded.arguments",
                                 "ititt", taking->id, workload->label, (int64_t)index, line.data,
                                 workload->hash);
    wm_text_release(&line);
    return status;
}

static enum wm_status put_machine(const struct taking *taking, uint32_t index)
{
    const struct wm_study *study = taking->study;
    const struct wm_study_machine *machine = &study->machines[index];
    json_t *axes = json_object();
    for (uint32_t a = 0; a < study->names.axis_count; a++)
        json_object_set_new(
            axes, study->names.axes[a].name,
            json_string(study->names.axes[a].values[study->names.machines[index][a]]));
    char *text = json_dumps(axes, 0);
    json_decref(axes);
    enum wm_status status =
        !text ? wm_fail_no_memory(taking->error, "the study")
              : wm_execute(taking->database, taking->error,
                           "INSERT INTO machine(study_id, label, position, axes, description, hash)"
                           " VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(study_id, label) DO UPDATE SET"
                           " position = excluded.position, axes = excluded.axes",
                           "itittt", taking->id, machine->label, (int64_t)index, text,
                           machine->description, machine->hash);
    free(text);
    return status;
}

static enum wm_status put_sides(const struct taking *taking)
{
    const struct side sides[] = {
        {"workload", taking->study->workload_count, workload_label, workload_hash},
        {"machine", taking->study->machine_count, machine_label, machine_hash},
    };
    for (size_t i = 0; i < 2; i++)
        WM_TRY(drop_outdated(taking, &sides[i]));
    for (uint32_t i = 0; i < taking->study->workload_count; i++)
        WM_TRY(put_workload(taking, i));
    for (uint32_t i = 0; i < taking->study->machine_count; i++)
        WM_TRY(put_machine(taking, i));
    return WM_OK;
}

// ---- Metrics, figures and claims ----------------------------------------------------------------

// Whether the metrics of points have to be found again: some other expression than before.
static enum wm_status metrics_changed(const struct taking *taking, bool *changed)
{
    const struct wm_study *study = taking->study;
    int64_t count = 0;
    WM_TRY(wm_query_number(taking->database, 0, &count, taking->error,
                           "SELECT count(*) FROM metric_definition WHERE study_id = ?", "i",
                           taking->id));
    *changed = count != study->metric_count;
    for (uint32_t i = 0; i < study->metric_count && !*changed; i++) {
        WM_TRY(wm_query_number(taking->database, 0, &count, taking->error,
                               "SELECT count(*) FROM metric_definition WHERE study_id = ? AND "
                               "name = ? AND expression = ?",
                               "itt", taking->id, study->metrics[i].name, study->metrics[i].text));
        *changed = count == 0;
    }
    return WM_OK;
}

// A claim keeps its verdict while its statement stays; the next check decides it again.
static enum wm_status put_claims(const struct taking *taking)
{
    static const char sql[] =
        "INSERT INTO claim VALUES(?, ?, ?, ?, ?, ?, ?, NULL, 'not known yet') "
        "ON CONFLICT(study_id, id) DO UPDATE SET position = excluded.position, "
        "place = excluded.place, text = excluded.text, paper = excluded.paper, "
        "holds = iif(statement = excluded.statement, holds, NULL), "
        "ours = iif(statement = excluded.statement, ours, excluded.ours), "
        "statement = excluded.statement";
    const struct wm_study *study = taking->study;
    WM_TRY(execute(taking, "UPDATE claim SET position = -1 WHERE study_id = ?", NULL));
    for (uint32_t i = 0; i < study->claim_count; i++)
        WM_TRY(wm_execute(taking->database, taking->error, sql, "ititttt", taking->id,
                          study->claims[i].id, (int64_t)i, study->claims[i].place,
                          study->claims[i].text, study->claims[i].statement,
                          study->claims[i].paper));
    return execute(taking, "DELETE FROM claim WHERE study_id = ? AND position = -1", NULL);
}

static enum wm_status put_definitions(const struct taking *taking)
{
    const struct wm_study *study = taking->study;
    WM_TRY(execute(taking, "DELETE FROM metric_definition WHERE study_id = ?", NULL));
    WM_TRY(execute(taking, "DELETE FROM figure WHERE study_id = ?", NULL));
    for (uint32_t i = 0; i < study->metric_count; i++)
        WM_TRY(wm_execute(taking->database, taking->error,
                          "INSERT INTO metric_definition VALUES(?, ?, ?, ?, ?, ?)", "itittt",
                          taking->id, study->metrics[i].name, (int64_t)i, study->metrics[i].text,
                          study->metrics[i].title, study->metrics[i].unit));
    for (uint32_t i = 0; i < study->figure_count; i++)
        WM_TRY(wm_execute(taking->database, taking->error,
                          "INSERT INTO figure VALUES(?, ?, ?, ?, ?)", "ititt", taking->id,
                          study->figures[i].id, (int64_t)i, study->figures[i].title,
                          study->figures[i].specification));
    return put_claims(taking);
}

// Metrics of done points that have none.
static enum wm_status measure_points(const struct taking *taking)
{
    static const char sql[] =
        "SELECT id, results FROM point WHERE study_id = ?1 AND status = 'done' AND id > ?2 AND "
        "NOT EXISTS (SELECT 1 FROM metric WHERE point_id = point.id) ORDER BY id LIMIT 1";
    int64_t last = -1;
    for (;;) {
        sqlite3_stmt *statement;
        bool row;
        WM_TRY(wm_query(taking->database, &statement, taking->error, sql, "ii", taking->id, last));
        WM_TRY(wm_query_step(taking->database, statement, &row, taking->error));
        if (!row)
            return WM_OK;
        last = sqlite3_column_int64(statement, 0);
        char *results = strdup((const char *)sqlite3_column_text(statement, 1));
        sqlite3_finalize(statement);
        enum wm_status status = results ? wm_database_put_metrics(taking->database, taking->study,
                                                                  last, results, taking->error)
                                        : wm_fail_no_memory(taking->error, "the study");
        free(results);
        WM_TRY(status);
    }
}

static enum wm_status drop_metrics(const struct taking *taking)
{
    return execute(taking,
                   "DELETE FROM metric WHERE point_id IN (SELECT id FROM point WHERE study_id = ?)",
                   NULL);
}

// ---- The study ----------------------------------------------------------------------------------

// Finds the study's row or makes it; `taking->version` is then what its points are of.
static enum wm_status put_study(struct taking *taking, const char *version)
{
    const struct wm_study *study = taking->study;
    sqlite3_stmt *statement;
    bool row;
    WM_TRY(wm_query(taking->database, &statement, taking->error,
                    "SELECT id, version FROM study WHERE name = ?", "t", study->name));
    WM_TRY(wm_query_step(taking->database, statement, &row, taking->error));
    snprintf(taking->version, sizeof taking->version, "%s", version ? version : "");
    if (row) {
        taking->id = sqlite3_column_int64(statement, 0);
        snprintf(taking->version, sizeof taking->version, "%s",
                 (const char *)sqlite3_column_text(statement, 1));
        sqlite3_finalize(statement);
        return wm_execute(taking->database, taking->error,
                          "UPDATE study SET title = ?, paper = ?, file = ?, hash = ? WHERE id = ?",
                          "tttti", study->title, study->paper, study->tree.text, study->hash,
                          taking->id);
    }
    WM_TRY(wm_execute(taking->database, taking->error,
                      "INSERT INTO study(name, title, paper, file, hash, version) "
                      "VALUES(?, ?, ?, ?, ?, ?)",
                      "tttttt", study->name, study->title, study->paper, study->tree.text,
                      study->hash, taking->version));
    taking->id = sqlite3_last_insert_rowid(taking->database->handle);
    return WM_OK;
}

// Points of another build go, unless they are to be kept with this one's.
static enum wm_status put_version(struct taking *taking, const struct wm_database_version *version,
                                  const char **other_version)
{
    if (!version->name || strcmp(version->name, taking->version) == 0)
        return WM_OK;
    int64_t points = 0;
    WM_TRY(wm_query_number(taking->database, 0, &points, taking->error,
                           "SELECT count(*) FROM point WHERE study_id = ?", "i", taking->id));
    if (other_version && points > 0)
        *other_version =
            wm_arena_copy_text(&taking->study->arena, taking->version, strlen(taking->version));
    WM_TRY(drop_metrics(taking));
    if (!version->keep) {
        WM_TRY(execute(taking, "DELETE FROM point WHERE study_id = ?", NULL));
        WM_TRY(wm_execute(taking->database, taking->error, "DELETE FROM spare WHERE version <> ?",
                          "t", version->name));
    }
    WM_TRY(wm_execute(taking->database, taking->error, "UPDATE study SET version = ? WHERE id = ?",
                      "ti", version->name, taking->id));
    snprintf(taking->version, sizeof taking->version, "%s", version->name);
    return WM_OK;
}

// Points kept aside whose workload and machine are there again.
static enum wm_status take_spare(const struct taking *taking)
{
    return execute(taking,
                   "INSERT OR IGNORE INTO point(study_id, workload_id, machine_id, status, seconds,"
                   " results) SELECT ?1, w.id, m.id, 'done', s.seconds, s.results FROM spare s "
                   "JOIN workload w ON w.hash = s.workload AND w.study_id = ?1 "
                   "JOIN machine m ON m.hash = s.machine AND m.study_id = ?1 "
                   "WHERE s.version = ?2",
                   taking->version);
}

// Which plug-ins machines name entries of. Databases of before have no table for it.
static enum wm_status put_plugins(const struct taking *taking)
{
    static const char sql[] =
        "INSERT INTO plugin SELECT ?1, id, ?2, ?3, ?4, ?5 FROM machine WHERE study_id = ?1 AND "
        "label = ?6";
    const struct wm_study *study = taking->study;
    WM_TRY(wm_execute(taking->database, taking->error, WM_PLUGIN_TABLE, ""));
    WM_TRY(execute(taking, "DELETE FROM plugin WHERE study_id = ?", NULL));
    for (uint32_t m = 0; m < study->machine_count; m++)
        for (uint32_t i = 0; i < study->plugin_count; i++) {
            const struct wm_study_plugin *plugin = &study->plugins[i];
            if (study->machines[m].plugins >> i & 1)
                WM_TRY(wm_execute(taking->database, taking->error, sql, "iitttt", taking->id,
                                  (int64_t)i, plugin->name, plugin->hash, plugin->entries,
                                  study->machines[m].label));
        }
    return WM_OK;
}

static enum wm_status take(struct taking *taking, const struct wm_database_version *version,
                           const char **other_version)
{
    bool changed;
    WM_TRY(put_study(taking, version->name));
    WM_TRY(put_version(taking, version, other_version));
    WM_TRY(put_sides(taking));
    WM_TRY(put_plugins(taking));
    WM_TRY(metrics_changed(taking, &changed));
    if (changed)
        WM_TRY(drop_metrics(taking));
    WM_TRY(put_definitions(taking));
    WM_TRY(take_spare(taking));
    return measure_points(taking);
}

enum wm_status wm_database_sync_study(struct wm_database *database, struct wm_study *study,
                                      const struct wm_database_version *version,
                                      const char **other_version, struct wm_error *error)
{
    struct taking taking = {.database = database, .study = study, .error = error};
    if (other_version)
        *other_version = NULL;
    WM_TRY(wm_transaction_begin(database, error));
    enum wm_status status = take(&taking, version, other_version);
    database->study_id = taking.id;
    return wm_transaction_end(database, status, error);
}

enum wm_status wm_database_retry(struct wm_database *database, struct wm_error *error)
{
    return wm_execute(database, error, "DELETE FROM point WHERE study_id = ? AND status = 'failed'",
                      "i", database->study_id);
}
