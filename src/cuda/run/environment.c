#include "cuda/run/environment.h"

#include "base/host/processor.h"
#include "engine/check/check.h"
#include "study/run_report/report.h"
#include "study/run_report/width.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static enum wm_status refuse_columns(uint64_t columns, struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "\"%" PRIu64 "\" is neither 0 nor a width between %d and %d",
            columns, (int)WM_REPORT_LEAST_COLUMNS, (int)WM_REPORT_MOST_COLUMNS);
    return wm_error_place(error, "%s", wm_run_setting_variable(WM_RUN_SETTING_COLUMNS));
}

static enum wm_status settle_columns(struct wm_run_settings *settings, struct wm_error *error)
{
    uint64_t *columns = &settings->columns;
    bool standard = settings->report && strcmp(settings->report, "-") == 0;
    if (*columns == WM_RUN_NOT_SET)
        *columns = wm_report_width(standard ? STDOUT_FILENO : -1);
    else if (*columns == 0)
        *columns = WM_REPORT_UNLIMITED;
    else if (*columns < WM_REPORT_LEAST_COLUMNS || *columns > WM_REPORT_MOST_COLUMNS)
        return refuse_columns(*columns, error);
    return WM_OK;
}

enum wm_status wm_cuda_environment_read(struct wm_run_settings *settings, struct wm_error *error)
{
    enum { DEFAULT_SAMPLE_CYCLES = 1000 };
    wm_run_settings_init(settings);
    WM_TRY(wm_processor_check(error));
    WM_TRY(wm_run_settings_read_environment(settings, error));
    if (settings->timeline && settings->sample_cycles == 0)
        settings->sample_cycles = DEFAULT_SAMPLE_CYCLES;
    return settle_columns(settings, error);
}

enum wm_status wm_cuda_environment_checks(const struct wm_run_settings *settings, uint32_t *checks,
                                          struct wm_error *error)
{
    *checks = 0;
    if (!settings->checks || wm_check_list_read(settings->checks, checks, error) == WM_OK)
        return WM_OK;
    return wm_error_place(error, "%s", wm_run_setting_variable(WM_RUN_SETTING_CHECK));
}

enum wm_status wm_cuda_environment_machine(const struct wm_run_settings *settings,
                                           struct wm_plugins *plugins, struct wm_machine *machine,
                                           struct wm_error *error)
{
    for (uint32_t i = 0; i < settings->plugins.count; i++)
        WM_TRY(wm_plugins_load(plugins, settings->plugins.items[i], error));
    return wm_machine_load_with(plugins, settings->machine ? settings->machine : "v100",
                                settings->set.items, settings->set.count, machine, error);
}

enum wm_status wm_cuda_environment_launches(const struct wm_run_settings *settings,
                                            struct wm_launch_filter *filter, bool *chosen,
                                            struct wm_error *error)
{
    const struct wm_launch_filter_words words = {
        .kernels = settings->kernels.items,
        .kernel_count = settings->kernels.count,
        .launches = settings->launches,
        .skip = settings->launch_skip,
        .count = settings->launch_count,
    };
    *chosen = wm_launch_filter_wanted(&words);
    return wm_launch_filter_init(filter, &words, error);
}
