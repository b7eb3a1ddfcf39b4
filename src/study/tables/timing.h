// What the clock engine says, in the report for people (docs/engine-clock.md, "What it says").
// Private to study/.
#ifndef WM_STUDY_TABLES_TIMING_H
#define WM_STUDY_TABLES_TIMING_H

#include "base/text/text.h"
#include "engine/session/results.h"
#include "study/tables/columns.h"

extern const struct wm_report_table wm_cycle_table, wm_rate_table, wm_stall_table, wm_l1_load_table;

// The kernels that took most cycles: how long, where their warps waited, what held up their
// load/store units, and how much of its peak each link carried. Nothing of an untimed run.
void wm_report_time(const struct wm_results *results, unsigned columns, struct wm_text *text);

#endif
