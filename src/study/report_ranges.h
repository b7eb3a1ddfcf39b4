// A profiler's ranges in reports for people.
#ifndef WM_STUDY_REPORT_RANGES_H
#define WM_STUDY_REPORT_RANGES_H

#include "base/text.h"
#include "engine/results.h"

// A sentence and a newline where only a profiler's ranges were counted; nothing else.
void wm_report_ranges(const struct wm_results *results, struct wm_text *text);
// Why there is no kernel, as a sentence; a literal.
const char *wm_report_no_kernel(const struct wm_results *results);

#endif
