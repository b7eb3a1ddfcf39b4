// How each kernel's launches divided an SM, for the text report. Private to study/.
#ifndef WM_STUDY_REPORT_ARRAY_H
#define WM_STUDY_REPORT_ARRAY_H

#include "base/text.h"
#include "engine/results.h"
#include "study/report_columns.h"

extern const struct wm_report_table wm_array_table;

// Adds a table behind an empty line: L1, shared memory, resident blocks. Nothing when all kernels
// had the same L1, unless misses were explained: then it is what they were measured on.
void wm_report_array(const struct wm_results *results, unsigned columns, struct wm_text *text);

#endif
