// How long loads took, in the report for people (docs/engine-clock.md, "What it says").
// Private to study/.
#ifndef WM_STUDY_TABLES_LOAD_LATENCY_H
#define WM_STUDY_TABLES_LOAD_LATENCY_H

#include "base/text/text.h"
#include "engine/session/results.h"
#include "study/tables/columns.h"

extern const struct wm_report_table wm_served_table, wm_slow_load_table;

// Loads of all kernels by the level that served them, with their cycles in powers of two, and the
// loads that took most of all loads' cycles. Nothing of an untimed run.
void wm_report_load_latency(const struct wm_results *results, unsigned columns,
                            struct wm_text *text);

#endif
