// What is counted of a run, in reports for people: a profiler's ranges, chosen launches.
#ifndef WM_STUDY_REPORT_RANGES_H
#define WM_STUDY_REPORT_RANGES_H

#include "base/text.h"
#include "engine/results.h"

// Sentences, a line each, where only a profiler's ranges or chosen launches were counted; nothing
// else.
void wm_report_ranges(const struct wm_results *results, struct wm_text *text);
// Why there is no kernel.
void wm_report_no_kernel(const struct wm_results *results, struct wm_text *text);

#endif
