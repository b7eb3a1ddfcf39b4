// What requests each kernel's warps made of memory, in the terms of profilers. Private to study/.
#ifndef WM_STUDY_TABLES_REQUESTS_H
#define WM_STUDY_TABLES_REQUESTS_H

#include "engine/session/results.h"
#include "study/tables/columns.h"

extern const struct wm_report_table wm_request_table;

// Nothing where no request was made.
void wm_report_requests(const struct wm_results *results, unsigned columns, struct wm_text *text);

// "requests", "sect/req" and, with `with_used`, "used" of some instructions, from `column` of the
// last row.
void wm_report_request_cells(struct wm_text_table *table, uint32_t column,
                             const struct wm_instruction_counters *counters, bool with_used);

#endif
