#include "study/tables/counted_part.h"

#include "study/run_report/result_sums.h"

#include <inttypes.h>

void wm_report_counted_part(const struct wm_results *results, struct wm_text *text)
{
    uint64_t not_counted = results->launches_not_counted;
    if (!results->profiled && results->filter == NULL)
        return;
    wm_text_add(text, "Counted: ");
    if (results->profiled)
        wm_text_format(text, "%" PRIu64 " profiler range%s%s", results->ranges,
                       results->ranges == 1 ? "" : "s",
                       results->filter != NULL ? ", of them " : "");
    if (results->filter != NULL)
        wm_text_format(text, "launches by %s", results->filter);
    wm_text_format(text, "; %" PRIu64 " other launch%s %s not.\n", not_counted,
                   not_counted == 1 ? "" : "es", not_counted == 1 ? "is" : "are");
}

// The kernels that there were, for a pattern that means none of them.
static void add_left_out(const struct wm_results *results, struct wm_text *text)
{
    enum { MOST = 8 };
    wm_text_format(text, "The run's %" PRIu64 " launch%s of", results->launches_not_counted,
                   results->launches_not_counted == 1 ? " was" : "es were");
    for (uint32_t i = 0; i < results->left_out_count && i < MOST; i++)
        wm_text_format(text, "%s %s", i > 0 ? "," : "",
                       wm_kernel_name_within(&results->left_out[i], WM_KERNEL_NAME_COLUMNS));
    if (results->left_out_count > MOST)
        wm_text_format(text, ", and %" PRIu32 " more", results->left_out_count - MOST);
    wm_text_add(text, ".\n");
}

void wm_report_no_kernel(const struct wm_results *results, struct wm_text *text)
{
    if (results->launches_not_counted == 0) {
        wm_text_add(text, "No kernel was launched.\n");
    } else if (results->profiled && results->ranges == 0) {
        wm_text_add(text, "Nothing was counted: the program never calls cudaProfilerStart. "
                          "Leave --profiled out to count all of it.\n");
    } else if (results->filter != NULL) {
        wm_text_format(text, "Nothing was counted: no launch is one of %s.\n", results->filter);
        add_left_out(results, text);
    } else {
        wm_text_add(text, "Nothing was counted: no kernel was launched between cudaProfilerStart "
                          "and cudaProfilerStop. Leave --profiled out to count all of the "
                          "program.\n");
    }
}
