// Where a run's numbers may differ from run to run, for people. Private to study/.
#ifndef WM_STUDY_TABLES_HOST_RACES_H
#define WM_STUDY_TABLES_HOST_RACES_H

#include "base/text/text.h"
#include "engine/session/results.h"

// A line for each instruction that reads what the host, or another process, can write meanwhile,
// under one that says what follows; nothing where there is none.
void wm_report_host_races(const struct wm_results *results, struct wm_text *text);

#endif
