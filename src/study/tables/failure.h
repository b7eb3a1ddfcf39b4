// The end of a report: that a launch did not run to its end. Private to study/.
#ifndef WM_STUDY_TABLES_FAILURE_H
#define WM_STUDY_TABLES_FAILURE_H

#include "base/text/text.h"
#include "engine/session/results.h"

#include <jansson.h>

// Two lines and an empty one before them; nothing when all launches ran.
void wm_report_failure(const struct wm_results *results, struct wm_text *text);
// The same as an object; NULL without memory. `results` have a failure.
json_t *wm_failure_json(const struct wm_results *results);

#endif
