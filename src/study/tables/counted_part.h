// What is counted of a run, in reports for people: a profiler's ranges, chosen launches.
// Private to study/.
#ifndef WM_STUDY_TABLES_COUNTED_PART_H
#define WM_STUDY_TABLES_COUNTED_PART_H

#include "base/text/text.h"
#include "engine/session/results.h"

// Sentences, a line each, where only a profiler's ranges or chosen launches were counted; nothing
// else.
void wm_report_counted_part(const struct wm_results *results, struct wm_text *text);
// Why there is no kernel.
void wm_report_no_kernel(const struct wm_results *results, struct wm_text *text);

#endif
