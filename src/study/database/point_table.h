// The numbers of a figure, or of a metric, machine by machine: as text, CSV or JSON.
#ifndef WM_STUDY_DATABASE_POINT_TABLE_H
#define WM_STUDY_DATABASE_POINT_TABLE_H

#include "base/text/text.h"
#include "study/file/study_file.h"

enum wm_point_format { WM_POINT_TEXT, WM_POINT_CSV, WM_POINT_JSON };

// A metric on a machine, over the workloads; all in the arena of the study. NAN where one is not
// known.
struct wm_point_series {
    const char *metric, *machine;
    double *values; // by workload of the figure
    double mean;    // over them; NAN when one is not known
    double *paper;  // by workload: the paper's, NAN where it gives none
    double paper_mean;
};

struct wm_point_table {
    const char *id, *title;
    const char *normalise; // label of a machine; NULL: values are as measured
    bool has_mean, has_paper;
    bool geometric;               // the mean
    const char *const *workloads; // labels
    uint32_t workload_count;
    struct wm_point_series *rows; // metric by metric, machine by machine
    uint32_t row_count;
};

// Makes the table of a figure, or, when none has the name, of a metric, on values as
// wm_database_values gives them. WM_NOT_FOUND with the nearest name in the hint.
enum wm_status wm_point_table_make(struct wm_study *study, const char *name, const double *values,
                                   struct wm_point_table *table, struct wm_error *error);

// Appends the table. Of several tables in one output `first` is true for the first: CSV has its
// head once.
void wm_point_table_print(const struct wm_point_table *table, enum wm_point_format format,
                          bool first, struct wm_text *text);

#endif
