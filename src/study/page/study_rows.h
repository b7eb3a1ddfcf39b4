// A study as its results database holds it, in memory: all but the results of its points, which
// are large and read one at a time. Private to study/.
#ifndef WM_STUDY_PAGE_STUDY_ROWS_H
#define WM_STUDY_PAGE_STUDY_ROWS_H

#include "base/containers/arena.h"
#include "base/error.h"
#include "study/expressions/expression.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct wm_workload_row {
    int64_t id;
    const char *label, *arguments;
};

struct wm_plugin_row {
    int64_t machine; // its id
    const char *file, *hash, *entries;
};

struct wm_machine_row {
    int64_t id;
    const char *label, *description; // the effective one, YAML
    json_t *axes;                    // borrowed of the study; an object, axis to value
};

struct wm_metric_row {
    const char *name;
    double value;
};

struct wm_point_row {
    int64_t id;
    uint32_t workload, machine; // indices
    bool done;
    const char *error;                   // of a failed one
    const struct wm_metric_row *metrics; // by name
    uint32_t metric_count;
};

struct wm_metric_definition {
    const char *name, *expression, *title, *unit;
};

struct wm_claim_row {
    const char *id, *place, *text, *statement, *paper, *ours; // "" where the database has none
    enum wm_verdict verdict;
};

struct wm_stored_figure {
    const char *id, *title;
    json_t *specification; // borrowed of the study; an object
};

// Everything in it lies in the arena, but for the JSON values.
struct wm_study_rows {
    int64_t id;
    const char *name, *title, *paper, *version;
    const struct wm_workload_row *workloads;
    const struct wm_machine_row *machines;
    const struct wm_point_row *points;
    const struct wm_claim_row *claims;
    const struct wm_stored_figure *figures;
    const struct wm_metric_definition *definitions;
    const struct wm_plugin_row *plugins; // machine by machine
    uint32_t workload_count, machine_count, point_count, claim_count, figure_count,
        definition_count, plugin_count;
};

// A database opened for reading, and its studies.
struct wm_results_file {
    const char *path; // borrowed
    sqlite3 *database;
    struct wm_arena arena;
    json_t *values; // an array that owns every JSON value of the rows
    const struct wm_study_rows *studies;
    uint32_t study_count;
};

// Opens and checks; WM_NOT_FOUND, WM_INVALID with the reason and the hint, WM_IO, WM_NO_MEMORY.
// Close also after a failure.
enum wm_status wm_results_file_open(struct wm_results_file *file, const char *path,
                                    struct wm_error *error);
void wm_results_file_close(struct wm_results_file *file);

// The results of a point, a JSON object (docs/formats/results-json.md); decref it.
enum wm_status wm_results_file_point(const struct wm_results_file *file, int64_t point,
                                     json_t **results, struct wm_error *error);

// The metric's value at a point; NAN when it has none.
double wm_point_metric(const struct wm_point_row *point, const char *metric);
// The point of that workload on that machine; NULL when there is none.
const struct wm_point_row *wm_study_point(const struct wm_study_rows *study, uint32_t workload,
                                          uint32_t machine);

#endif
