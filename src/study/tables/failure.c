#include "study/tables/failure.h"

#include <inttypes.h>
#include <string.h>

static void what_happened(const struct wm_run_failure *failure, struct wm_text *text)
{
    if (failure->status == WM_STOPPED)
        wm_text_add(text, "The run was stopped at a limit: what is counted is what ran until then");
    else if (failure->ran)
        wm_text_add(text, "The program's device failed: what is counted is what ran until then");
    else if (failure->refused <= 1)
        wm_text_add(text, "A launch was refused: it is not among what is counted");
    else
        wm_text_format(text,
                       "%" PRIu64 " launches were refused: they are not among what is counted. The "
                       "first",
                       failure->refused);
    wm_text_add(text, failure->ran || failure->refused <= 1 ? "." : ":");
}

void wm_report_failure(const struct wm_results *results, struct wm_text *text)
{
    const struct wm_run_failure *failure = results->failure;
    if (failure == NULL)
        return;
    wm_text_add(text, "\n");
    what_happened(failure, text);
    // Messages of several lines have been printed when it happened.
    wm_text_format(text, "\n  %s: %.*s\n", failure->place, (int)strcspn(failure->message, "\n"),
                   failure->message);
}

json_t *wm_failure_json(const struct wm_results *results)
{
    const struct wm_run_failure *failure = results->failure;
    return json_pack("{s:s, s:b, s:I, s:s, s:s}", "status", wm_status_name(failure->status), "ran",
                     (int)failure->ran, "refused", (json_int_t)failure->refused, "place",
                     failure->place, "message", failure->message);
}
