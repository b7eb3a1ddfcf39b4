#include "study/report_failure.h"

#include <string.h>

void wm_report_failure(const struct wm_results *results, struct wm_text *text)
{
    const struct wm_run_failure *failure = results->failure;
    if (failure == NULL)
        return;
    const char *what = "The program's device failed: what is counted is what ran until then.";
    if (failure->status == WM_STOPPED)
        what = "The run was stopped at a limit: what is counted is what ran until then.";
    else if (!failure->ran)
        what = "A launch was refused: it is not among what is counted.";
    // Messages of several lines have been printed when it happened.
    wm_text_format(text, "\n%s\n  %s: %.*s\n", what, failure->place,
                   (int)strcspn(failure->message, "\n"), failure->message);
}

json_t *wm_failure_json(const struct wm_results *results)
{
    const struct wm_run_failure *failure = results->failure;
    return json_pack("{s:s, s:b, s:s, s:s}", "status", wm_status_name(failure->status), "ran",
                     (int)failure->ran, "place", failure->place, "message", failure->message);
}
