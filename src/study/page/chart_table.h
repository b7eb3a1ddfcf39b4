// A figure as a table of numbers, ours and the paper's. Private to study/.
#ifndef WM_STUDY_PAGE_CHART_TABLE_H
#define WM_STUDY_PAGE_CHART_TABLE_H

#include "study/page/study_rows.h"

enum wm_chart { WM_CHART_BARS, WM_CHART_STACKED_BARS, WM_CHART_LINES };

// Places are groups of bars, or where the lines have their points; series are the bars of a group,
// or the lines. Each value is a sum of parts, one a metric. Everything lies in the arena, or is
// borrowed of the study.
struct wm_chart_table {
    enum wm_chart chart;
    const char *axis_title; // of the values
    const char *place_title, *series_title;
    const char *normalise; // a machine's label; NULL: values as they are
    const char **places, **series, **parts;
    uint32_t place_count, series_count, part_count;
    double *ours;  // [(place * series_count + series) * part_count + part]; NAN: undecided
    double *paper; // [place * series_count + series]; NAN: the paper does not say
    bool has_paper;
    bool has_means;          // over workloads
    bool geometric;          // these are geometric, else arithmetic
    bool is_mean;            // every value is one: places are not workloads
    uint32_t workload_count; // of the figure: what means are over
};

// Fills the table in. WM_INVALID when the specification is none or names what the study does not
// have (`error` says what, without the figure's name), WM_NO_MEMORY.
enum wm_status wm_chart_table_init(struct wm_chart_table *table, const struct wm_study_rows *study,
                                   const struct wm_stored_figure *figure, struct wm_arena *arena,
                                   struct wm_error *error);

// The sum of a value's parts.
double wm_chart_value(const struct wm_chart_table *table, uint32_t place, uint32_t series);

#endif
