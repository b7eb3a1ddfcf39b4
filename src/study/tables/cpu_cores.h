// The table of the text report about CPU cores in time. Private to study/.
#ifndef WM_STUDY_TABLES_CPU_CORES_H
#define WM_STUDY_TABLES_CPU_CORES_H

#include "base/text/text.h"
#include "engine/session/results.h"
#include "study/tables/columns.h"

extern const struct wm_report_table wm_cpu_core_table;

// Adds a table of the cores that executed anything, behind an empty line: the first of them, and
// all; nothing where none did.
void wm_report_cpu_cores(const struct wm_results *results, unsigned columns, struct wm_text *text);

#endif
