// Clocks that kernels read where there is no time, for people.
#ifndef WM_STUDY_REPORT_CLOCKS_H
#define WM_STUDY_REPORT_CLOCKS_H

#include "base/text.h"
#include "engine/results.h"

// What a kernel's clocks count, where it reads one: "cycles" or "instructions"; else NULL.
const char *wm_report_clocks_count(const struct wm_kernel_result *kernel);

// A line that says that they count instructions, and which kernels read them; nothing where there
// is time, or no kernel did.
void wm_report_clocks(const struct wm_results *results, struct wm_text *text);

#endif
