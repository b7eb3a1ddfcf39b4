// Why sectors missed, for the text report. Private to study/.
#ifndef WM_STUDY_REPORT_MISSES_H
#define WM_STUDY_REPORT_MISSES_H

#include "base/text.h"
#include "engine/results.h"

// Results must be explained ones.
void wm_report_misses(const struct wm_results *results, unsigned columns, struct wm_text *text);

#endif
