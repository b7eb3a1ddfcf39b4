// A run over time in the Chrome trace-event format, which Perfetto opens
// (docs/formats/timeline.md).
#ifndef WM_STUDY_RUN_REPORT_TRACE_EVENTS_H
#define WM_STUDY_RUN_REPORT_TRACE_EVENTS_H

#include "base/error.h"
#include "engine/session/results.h"

// WM_INVALID when the run kept no timeline; else as wm_report_json.
enum wm_status wm_report_timeline(const struct wm_results *results, const char *path,
                                  struct wm_error *error);

#endif
