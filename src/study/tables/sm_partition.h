// How each kernel's launches divided an SM, for the text report. Private to study/.
#ifndef WM_STUDY_TABLES_SM_PARTITION_H
#define WM_STUDY_TABLES_SM_PARTITION_H

#include "base/text/text.h"
#include "engine/session/results.h"
#include "study/tables/columns.h"

extern const struct wm_report_table wm_sm_partition_table;

// Adds a table behind an empty line: L1, shared memory, resident blocks. Nothing when all kernels
// had the same L1, unless misses were explained: then it is what they were measured on.
void wm_report_sm_partition(const struct wm_results *results, unsigned columns,
                            struct wm_text *text);

#endif
