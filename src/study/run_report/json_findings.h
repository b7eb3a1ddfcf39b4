// What checks found, as JSON (docs/formats/results-json.md). Private to study/run_report/.
#ifndef WM_STUDY_RUN_REPORT_JSON_FINDINGS_H
#define WM_STUDY_RUN_REPORT_JSON_FINDINGS_H

#include "engine/session/results.h"

#include <jansson.h>

// New arrays: of host and kernels that used the same bytes unordered, for results whose numbers may
// differ from run to run by that; and of what was found, empty where nothing was. NULL: no memory.
json_t *wm_json_races(const struct wm_results *results);
json_t *wm_json_findings(const struct wm_results *results);

#endif
