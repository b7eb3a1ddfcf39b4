// Reports of a run: one screen for people, all of it for scripts. Written from wm_results and the
// counters' declarations; files are written under a temporary name and renamed when complete.
#ifndef WM_STUDY_RUN_REPORT_REPORT_H
#define WM_STUDY_RUN_REPORT_REPORT_H

#include "base/error.h"
#include "base/text/text.h"
#include "engine/session/results.h"

#include <limits.h>
#include <stdio.h>

// The width of reports for people: when 0 is given, and the range of what can be given.
enum { WM_REPORT_COLUMNS = 80, WM_REPORT_LEAST_COLUMNS = 40, WM_REPORT_MOST_COLUMNS = 1000 };
// Nothing is cut.
#define WM_REPORT_UNLIMITED UINT_MAX

// One screen: kernels, hit rates, bytes at each boundary, the five instructions that cost most with
// their source lines. `columns` is the width to keep to, or WM_REPORT_UNLIMITED.
void wm_report_text(const struct wm_results *results, unsigned columns, struct wm_text *text);
// Everything, documented in docs/formats/results-json.md and results-csv.md.
enum wm_status wm_report_json(const struct wm_results *results, const char *path,
                              struct wm_error *error);
// The JSON to a stream; false when out of memory. What cannot be written is the stream's error.
bool wm_report_json_stream(const struct wm_results *results, FILE *stream);
enum wm_status wm_report_csv(const struct wm_results *results, const char *path,
                             struct wm_error *error);

#endif
