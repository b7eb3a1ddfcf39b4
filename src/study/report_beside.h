// The lines of the text report about the caches beside L1 and the TLBs.
#ifndef WM_STUDY_REPORT_BESIDE_H
#define WM_STUDY_REPORT_BESIDE_H

#include "base/text.h"
#include "engine/results.h"
#include "study/report_columns.h"

extern const struct wm_report_table wm_tlb_table, wm_beside_table;

// Adds a table of each behind an empty line, or nothing when no kernel used any.
void wm_report_beside(const struct wm_results *results, unsigned columns, struct wm_text *text);

#endif
