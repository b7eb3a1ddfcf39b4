// Why sectors missed, for the text report. Private to study/.
#ifndef WM_STUDY_TABLES_MISSES_H
#define WM_STUDY_TABLES_MISSES_H

#include "base/text/text.h"
#include "engine/session/results.h"
#include "study/tables/columns.h"

extern const struct wm_report_table wm_miss_table, wm_missed_request_table, wm_evictor_table,
    wm_unused_table, wm_reuse_table, wm_reader_table, wm_sharer_table;

// Results must be explained ones.
void wm_report_misses(const struct wm_results *results, unsigned columns, struct wm_text *text);

#endif
