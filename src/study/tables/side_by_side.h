// Results of several machines or variants of one replay in one table, with their differences.
#ifndef WM_STUDY_TABLES_SIDE_BY_SIDE_H
#define WM_STUDY_TABLES_SIDE_BY_SIDE_H

#include "base/text/text.h"
#include "engine/session/results.h"
#include "study/tables/columns.h"

extern const struct wm_report_table wm_side_by_side_table;

// A row each, in their order; behind each number of the second row on, its difference from the
// first row's: in per cent, of hit rates in percentage points. Nothing for fewer than two.
void wm_report_side_by_side(const struct wm_results *const *results, uint32_t count,
                            struct wm_text *text);

#endif
