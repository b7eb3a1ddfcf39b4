// Points of a study: stored one by one, and read back as numbers.
#include "study/database/query.h"
#include "study/file/metric_counters.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

// Rows of points with the positions of their workload and machine in the study.
#define OF_STUDY \
    " FROM point p JOIN workload w ON w.id = p.workload_id JOIN machine m ON m.id = p.machine_id"

// The next row of a statement whose first two columns those positions are; rows of what the study
// does not have are passed over.
static enum wm_status next_row(struct wm_database *database, const struct wm_study *study,
                               sqlite3_stmt *statement, struct wm_point *point, bool *row,
                               struct wm_error *error)
{
    for (;;) {
        WM_TRY(wm_query_step(database, statement, row, error));
        if (!*row)
            return WM_OK;
        int64_t workload = sqlite3_column_int64(statement, 0);
        int64_t machine = sqlite3_column_int64(statement, 1);
        if (workload >= 0 && workload < study->workload_count && machine >= 0 &&
            machine < study->machine_count) {
            *point =
                (struct wm_point){.workload = (uint32_t)workload, .machine = (uint32_t)machine};
            return WM_OK;
        }
    }
}

static size_t index_of(const struct wm_study *study, const struct wm_point *point)
{
    return (size_t)point->workload * study->machine_count + point->machine;
}

enum wm_status wm_database_states(struct wm_database *database, const struct wm_study *study,
                                  uint8_t *states, struct wm_error *error)
{
    sqlite3_stmt *statement;
    struct wm_point point;
    bool row;
    memset(states, WM_POINT_ABSENT, (size_t)study->workload_count * study->machine_count);
    WM_TRY(wm_query(database, &statement, error,
                    "SELECT w.position, m.position, p.status = 'done'" OF_STUDY
                    " WHERE p.study_id = ?",
                    "i", database->study_id));
    for (;;) {
        WM_TRY(next_row(database, study, statement, &point, &row, error));
        if (!row)
            return WM_OK;
        states[index_of(study, &point)] =
            sqlite3_column_int(statement, 2) ? WM_POINT_DONE : WM_POINT_FAILED;
    }
}

enum wm_status wm_database_put_metrics(struct wm_database *database, const struct wm_study *study,
                                       int64_t point, const char *results, struct wm_error *error)
{
    int64_t place = 0;
    double values[WM_STUDY_MOST_METRICS];
    bool known[WM_STUDY_MOST_METRICS];
    json_error_t problem;
    json_t *json = json_loads(results, 0, &problem);
    if (!json)
        return wm_fail(error, WM_INVALID, "the replay's results are no JSON: %s", problem.text);
    enum wm_status status =
        wm_query_number(database, 0, &place, error,
                        "SELECT w.position * ?1 + m.position" OF_STUDY " WHERE p.id = ?2", "ii",
                        (int64_t)study->machine_count, point);
    if (status == WM_OK)
        wm_study_metric_values(study, (size_t)place, json, values, known);
    json_decref(json);
    WM_TRY(status);
    for (uint32_t i = 0; i < study->metric_count; i++)
        if (known[i])
            WM_TRY(wm_execute(database, error, "INSERT OR REPLACE INTO metric VALUES(?, ?, ?)",
                              "itr", point, study->metrics[i].name, values[i]));
    return WM_OK;
}

static enum wm_status put_point(struct wm_database *database, const struct wm_study *study,
                                const struct wm_point *point, struct wm_error *error)
{
    WM_TRY(wm_execute(database, error,
                      "INSERT INTO point(study_id, workload_id, machine_id, status, error, seconds,"
                      " results) VALUES(?1,"
                      " (SELECT id FROM workload WHERE study_id = ?1 AND label = ?2),"
                      " (SELECT id FROM machine WHERE study_id = ?1 AND label = ?3),"
                      " ?4, ?5, ?6, ?7)",
                      "itttt"
                      "rt",
                      database->study_id, study->workloads[point->workload].label,
                      study->machines[point->machine].label, point->results ? "done" : "failed",
                      point->results ? NULL : point->failure, point->seconds, point->results));
    if (!point->results)
        return WM_OK;
    return wm_database_put_metrics(database, study, sqlite3_last_insert_rowid(database->handle),
                                   point->results, error);
}

enum wm_status wm_database_put_point(struct wm_database *database, const struct wm_study *study,
                                     const struct wm_point *point, struct wm_error *error)
{
    WM_TRY(wm_transaction_begin(database, error));
    return wm_transaction_end(database, put_point(database, study, point, error), error);
}

static enum wm_status fill_values(struct wm_database *database, const struct wm_study *study,
                                  double *values, struct wm_error *error)
{
    sqlite3_stmt *statement;
    struct wm_point point;
    bool row;
    WM_TRY(wm_query(database, &statement, error,
                    "SELECT w.position, m.position, d.position, v.value" OF_STUDY
                    " JOIN metric v ON v.point_id = p.id JOIN metric_definition d ON d.study_id ="
                    " p.study_id AND d.name = v.name WHERE p.study_id = ?",
                    "i", database->study_id));
    for (;;) {
        WM_TRY(next_row(database, study, statement, &point, &row, error));
        if (!row)
            return WM_OK;
        int64_t metric = sqlite3_column_int64(statement, 2);
        if (metric >= 0 && metric < study->metric_count)
            values[index_of(study, &point) * study->metric_count + (size_t)metric] =
                sqlite3_column_double(statement, 3);
    }
}

enum wm_status wm_database_values(struct wm_database *database, const struct wm_study *study,
                                  double **values, struct wm_error *error)
{
    size_t count = (size_t)study->workload_count * study->machine_count * study->metric_count;
    *values = malloc((count + 1) * sizeof **values);
    if (!*values)
        return wm_fail_no_memory(error, "the study's numbers");
    for (size_t i = 0; i < count; i++)
        (*values)[i] = NAN;
    enum wm_status status = fill_values(database, study, *values, error);
    if (status != WM_OK) {
        free(*values);
        *values = NULL;
    }
    return status;
}

enum wm_status wm_database_failures(struct wm_database *database, const struct wm_study *study,
                                    void (*visit)(void *context, uint32_t workload,
                                                  uint32_t machine, const char *failure),
                                    void *context, struct wm_error *error)
{
    sqlite3_stmt *statement;
    struct wm_point point;
    bool row;
    WM_TRY(wm_query(database, &statement, error,
                    "SELECT w.position, m.position, p.error" OF_STUDY
                    " WHERE p.study_id = ? AND p.status = 'failed' ORDER BY w.position, m.position",
                    "i", database->study_id));
    for (;;) {
        WM_TRY(next_row(database, study, statement, &point, &row, error));
        if (!row)
            return WM_OK;
        const char *failure = (const char *)sqlite3_column_text(statement, 2);
        visit(context, point.workload, point.machine, failure ? failure : "");
    }
}

// ---- Claims -------------------------------------------------------------------------------------

struct numbers {
    const struct wm_study *study;
    const double *values;
};

static bool metric_of(const void *context, uint32_t metric, uint32_t workload, uint32_t machine,
                      double *value)
{
    const struct numbers *numbers = context;
    const struct wm_study *study = numbers->study;
    machine = wm_study_machine_for(study, machine, workload);
    if (machine == WM_STUDY_NO_MACHINE)
        return false;
    *value =
        numbers->values[((size_t)workload * study->machine_count + machine) * study->metric_count +
                        metric];
    return !isnan(*value);
}

enum wm_status wm_study_check_claims(struct wm_study *study, const double *values,
                                     struct wm_claim_result *results, struct wm_error *error)
{
    const struct numbers numbers = {study, values};
    const struct wm_expression_source source = {.metric = metric_of, .context = &numbers};
    for (uint32_t i = 0; i < study->claim_count; i++) {
        struct wm_text ours;
        wm_text_init(&ours);
        results[i].verdict =
            wm_claim_check(study->claims[i].expression, &study->names, &source, &ours);
        results[i].ours = ours.failed ? NULL
                                      : wm_arena_copy_text(&study->arena,
                                                           ours.data ? ours.data : "", ours.length);
        wm_text_release(&ours);
        if (!results[i].ours)
            return wm_fail_no_memory(error, "the claims");
    }
    return WM_OK;
}

static enum wm_status put_claim(struct wm_database *database, const struct wm_study_claim *claim,
                                const struct wm_claim_result *result, struct wm_error *error)
{
    if (result->verdict == WM_CLAIM_UNKNOWN)
        return wm_execute(database, error,
                          "UPDATE claim SET holds = NULL, ours = ? WHERE study_id = ? AND id = ?",
                          "tit", result->ours, database->study_id, claim->id);
    return wm_execute(database, error,
                      "UPDATE claim SET holds = ?, ours = ? WHERE study_id = ? AND id = ?", "itit",
                      (int64_t)(result->verdict == WM_CLAIM_HOLDS), result->ours,
                      database->study_id, claim->id);
}

enum wm_status wm_database_put_claims(struct wm_database *database, const struct wm_study *study,
                                      const struct wm_claim_result *results, struct wm_error *error)
{
    WM_TRY(wm_transaction_begin(database, error));
    enum wm_status status = WM_OK;
    for (uint32_t i = 0; i < study->claim_count && status == WM_OK; i++)
        status = put_claim(database, &study->claims[i], &results[i], error);
    return wm_transaction_end(database, status, error);
}
