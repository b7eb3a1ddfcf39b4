#include "cuda/run/measure.h"

#include "cuda/process.h"

#include "trace/recording_cut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Of the recording: it lies in TMPDIR, which may be memory. Some hundred million memory
// instructions of warps, or several times as many where they repeat.
#define MOST_BYTES (UINT64_C(1) << 30)

bool wm_run_measure_wanted(const struct wm_run_settings *settings)
{
    bool annotates = settings->annotate || settings->annotate_html || settings->annotate_json;
    return settings->measure != WM_RUN_BY_NONE && annotates && settings->memory &&
           !settings->record && settings->run_folder;
}

static void set_reason(struct wm_run_measure *measure, const char *reason)
{
    snprintf(measure->reason, sizeof measure->reason, "%s", reason);
}

static void give_up(struct wm_run_measure *measure, const struct wm_error *error)
{
    set_reason(measure, error->message);
    if (error->status == WM_LIMIT)
        set_reason(measure, "its recording grows beyond 1 GiB (warpmem record keeps one, which "
                            "warpmem annotate takes)");
    if (measure->path[0])
        unlink(measure->path);
    measure->path[0] = '\0';
}

void wm_run_measure_record(struct wm_run_measure *measure, const struct wm_run_settings *settings,
                           unsigned number, const struct wm_recording_header *header,
                           struct wm_recorder **recorder)
{
    struct wm_error error;
    wm_error_clear(&error);
    struct wm_recording_header own = *header;
    own.memory_only = settings->measure != WM_RUN_BY_CLOCK;
    snprintf(measure->path, sizeof measure->path, "%s/%u.accesses", settings->run_folder, number);
    if (wm_recorder_new(measure->path, &own, recorder, &error) != WM_OK) {
        give_up(measure, &error);
        return;
    }
    wm_recorder_limit_bytes(*recorder, MOST_BYTES);
    measure->records = true;
}

void wm_run_measure_begin(struct wm_run_measure *measure, const struct wm_machine *machine,
                          const struct wm_plugins *plugins,
                          const struct wm_session_options *options)
{
    measure->machine = machine;
    measure->plugins = plugins;
    measure->options = *options;
}

void wm_run_measure_end(struct wm_run_measure *measure, struct wm_recorder **recorder)
{
    struct wm_error error;
    wm_error_clear(&error);
    if (!measure->records || !*recorder)
        return;
    measure->records = false;
    measure->whole = wm_recorder_finish(*recorder, &error) == WM_OK;
    *recorder = NULL;
    if (!measure->whole)
        give_up(measure, &error);
    else if (measure->side_by_side)
        set_reason(measure, "kernels of several streams ran side by side, which a recording does "
                            "not have; with --serial-streams it is");
}

// A launch that failed has no whole recording: the launches before it become one of their own.
static enum wm_status leave_out_failed(struct wm_run_measure *measure, struct wm_error *error)
{
    static const struct wm_ranges all;
    char whole[sizeof measure->path + 8];
    struct wm_cut_result cut;
    struct wm_recording *recording = malloc(sizeof *recording);
    if (!recording)
        return wm_fail_no_memory(error, "measuring what is advised");
    snprintf(whole, sizeof whole, "%s.whole", measure->path);
    enum wm_status status = wm_recording_open(recording, measure->path, error);
    if (status == WM_OK) {
        status = wm_recording_cut(recording, whole, &all, &all, &cut, error);
        if (status == WM_NOT_FOUND)
            wm_fail(error, status, "no launch ran to its end");
        wm_recording_close(recording);
    }
    free(recording);
    if (status == WM_OK && rename(whole, measure->path) != 0)
        status = wm_fail(error, WM_IO, "cannot rename \"%s\": %s", whole, strerror(errno));
    return status;
}

static enum wm_status measure_recorded(struct wm_run_measure *measure,
                                       const struct wm_results *results,
                                       struct wm_measure_options *how,
                                       struct wm_measured_advice **measured, struct wm_error *error)
{
    if (results->failure && results->failure->ran)
        WM_TRY(leave_out_failed(measure, error));
    struct wm_recording *recording = malloc(sizeof *recording);
    if (!recording)
        return wm_fail_no_memory(error, "measuring what is advised");
    enum wm_status status = wm_recording_open(recording, measure->path, error);
    if (status == WM_OK) {
        how->recording = recording;
        status = wm_annotate_measure(results, how, measured, error);
        wm_recording_close(recording);
    }
    free(recording);
    return status;
}

void wm_run_measure_advice(struct wm_run_measure *measure, const struct wm_run_settings *settings,
                           const struct wm_results *results, struct wm_measured_advice **measured)
{
    struct wm_error error;
    wm_error_clear(&error);
    *measured = NULL;
    if (!measure->machine ||
        !(settings->annotate || settings->annotate_html || settings->annotate_json))
        return;
    if (!measure->whole && !measure->reason[0])
        set_reason(measure, settings->measure == WM_RUN_BY_NONE ? "that was not requested"
                            : measure->records                  ? "the run was stopped at its limit"
                                               : "there is no recording of the run");
    struct wm_measure_options how = {.reason = measure->reason[0] ? measure->reason : NULL,
                                     .machine = measure->machine,
                                     .plugins = measure->plugins,
                                     .options = measure->options};
    how.options.clock = settings->measure == WM_RUN_BY_CLOCK;
    how.options.at_safe_point = NULL;
    how.options.checker = NULL;
    how.options.limit_instructions = how.options.limit_ns = 0;
    enum wm_status status = how.reason ? wm_annotate_measure(results, &how, measured, &error)
                                       : measure_recorded(measure, results, &how, measured, &error);
    if (status != WM_OK) {
        if (!*measured) { // it could not be opened
            set_reason(measure, error.message);
            how.reason = measure->reason;
            (void)wm_annotate_measure(results, &how, measured, NULL);
        }
        wm_error_hint(&error, "what is advised has estimates alone");
        if (status != WM_NOT_FOUND) // the program's failure has been said
            wm_cuda_print_error(&error);
    }
    if (measure->path[0] && !measure->records)
        unlink(measure->path);
}
