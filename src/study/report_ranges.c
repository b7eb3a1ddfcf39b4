#include "study/report_ranges.h"

#include <inttypes.h>

void wm_report_ranges(const struct wm_results *results, struct wm_text *text)
{
    if (!results->profiled)
        return;
    uint64_t beside = results->launches_beside;
    wm_text_format(text,
                   "Counted: %" PRIu64 " profiler range%s; %" PRIu64 " launch%s beside %s not.\n",
                   results->ranges, results->ranges == 1 ? "" : "s", beside,
                   beside == 1 ? "" : "es", beside == 1 ? "is" : "are");
}

const char *wm_report_no_kernel(const struct wm_results *results)
{
    if (!results->profiled || results->launches_beside == 0)
        return "No kernel was launched.";
    if (results->ranges == 0)
        return "Nothing was counted: the program never calls cudaProfilerStart. "
               "Leave --profiled out to count all of it.";
    return "Nothing was counted: no kernel was launched between cudaProfilerStart and "
           "cudaProfilerStop. Leave --profiled out to count all of the program.";
}
