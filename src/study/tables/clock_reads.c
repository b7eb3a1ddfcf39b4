#include "study/tables/clock_reads.h"

#include <inttypes.h>
#include <string.h>

const char *wm_report_clock_unit(const struct wm_kernel_result *kernel)
{
    static const char *const names[] = {
        [WM_CLOCKS_INSTRUCTIONS] = "instructions", [WM_CLOCKS_CYCLES] = "cycles"};
    return names[kernel->clocks];
}

void wm_report_clock_reads(const struct wm_results *results, struct wm_text *text)
{
    enum { MOST = 3 };
    bool recorded = strcmp(results->engine, "clock") == 0; // then a live run's clocks count cycles
    uint32_t count = 0;
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        const struct wm_kernel_result *kernel = &results->kernels[i];
        if (kernel->clocks != WM_CLOCKS_INSTRUCTIONS || ++count > MOST)
            continue;
        if (count == 1)
            wm_text_add(
                text, recorded ? "\nClocks (clock64, %clock, %globaltimer) counted instructions, "
                                 "not time, in\nthe recorded run. They are read by:\n"
                               : "\nClocks (clock64, %clock, %globaltimer) count instructions, not "
                                 "time; with\n--engine clock they count time. They are read by:\n");
        wm_text_format(text, "  %s\n",
                       wm_kernel_name_within(&kernel->shown, WM_KERNEL_NAME_COLUMNS));
    }
    if (count > MOST)
        wm_text_format(text, "  and %" PRIu32 " more\n", count - MOST);
}
