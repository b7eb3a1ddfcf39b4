// What each kernel's warps asked of memory, in the terms of profilers.
#ifndef WM_STUDY_REPORT_REQUESTS_H
#define WM_STUDY_REPORT_REQUESTS_H

#include "engine/results.h"
#include "study/report_columns.h"

extern const struct wm_report_table wm_request_table;

// Nothing where no request was made.
void wm_report_requests(const struct wm_results *results, unsigned columns, struct wm_text *text);

// "requests", "sect/req" and, where wanted, "used" of some instructions, from `column` of the last
// row.
void wm_report_request_cells(struct wm_text_table *table, uint32_t column,
                             const struct wm_cause_counters *counters, bool with_used);

#endif
