// Clocks that kernels read where there is no time, for people. Private to study/.
#ifndef WM_STUDY_TABLES_CLOCK_READS_H
#define WM_STUDY_TABLES_CLOCK_READS_H

#include "base/text/text.h"
#include "engine/session/results.h"

// What a kernel's clocks count, where it reads one: "cycles" or "instructions"; else NULL.
const char *wm_report_clock_unit(const struct wm_kernel_result *kernel);

// A line that says that they count instructions, and which kernels read them; nothing where there
// is time, or no kernel did.
void wm_report_clock_reads(const struct wm_results *results, struct wm_text *text);

#endif
