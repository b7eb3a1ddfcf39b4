#include "cli/run/outputs.h"

#include "base/files/output_place.h"
#include "base/run/run_outcome.h"
#include "cli/framework/absolute_path.h"
#include "cli/framework/write_signals.h"
#include "cli/options/output_option.h"
#include "cli/run/reports_folder.h"
#include "cli/trace/recording_text.h"
#include "study/run_report/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

// ---- Planning ----------------------------------------------------------------------------------

// Numbers from here on are unlikely to be in the program's way.
enum { INHERITED_FROM = 200 };

// Standard output, or another descriptor of ours, by a number that the process inherits: its own
// standard output may be something else.
static enum wm_status inherit(struct wm_run_outputs *outputs, struct wm_arena *arena,
                              int descriptor, const char **result, struct wm_error *error)
{
    int inherited = fcntl(descriptor, F_DUPFD, INHERITED_FROM);
    if (inherited < 0)
        return wm_fail(error, WM_IO, "cannot hand on descriptor %d: %s", descriptor,
                       strerror(errno));
    outputs->inherited[outputs->inherited_count++] = inherited;
    char name[32];
    int length = snprintf(name, sizeof name, "/proc/self/fd/%d", inherited);
    *result = wm_arena_copy_text(arena, name, (size_t)length);
    return *result ? WM_OK : wm_fail_no_memory(error, "the names of the outputs");
}

static enum wm_status plan_path(struct wm_run_outputs *outputs, struct wm_arena *arena,
                                const char *path, const char **result, struct wm_error *error)
{
    struct wm_output_place place;
    *result = NULL;
    if (!path)
        return WM_OK;
    enum wm_status status = wm_output_place_find(&place, path, error);
    if (status == WM_OK)
        status = place.descriptor >= 0 ? inherit(outputs, arena, place.descriptor, result, error)
                                       : wm_absolute_path(arena, path, result, error);
    wm_output_place_release(&place);
    return status;
}

enum wm_status wm_run_outputs_plan(const struct wm_program_run *request, const char *program,
                                   struct wm_arena *arena, struct wm_run_outputs *outputs,
                                   struct wm_error *error)
{
    struct wm_output_option options[WM_RUN_OUTPUTS + 2];
    size_t count = 0;
    *outputs = (struct wm_run_outputs){.request = request, .report = WM_OUTPUT_STANDARD};
    for (size_t i = 0; i < WM_RUN_OUTPUTS; i++)
        options[count++] =
            (struct wm_output_option){request->outputs[i].option, request->outputs[i].path};
    options[count++] = (struct wm_output_option){"--output", request->record};
    options[count++] = (struct wm_output_option){"--report", request->values->report};
    WM_TRY(wm_output_options_check(options, count, &outputs->standard, error));
    WM_TRY(wm_output_options_avoid_inputs(options, count, &program, 1, error));
    for (size_t i = 0; i < WM_RUN_OUTPUTS; i++)
        WM_TRY(plan_path(outputs, arena, request->outputs[i].path, &outputs->paths[i], error));
    WM_TRY(plan_path(outputs, arena, request->record, &outputs->record, error));
    const char *report = request->values->report;
    if (!report || strcmp(report, WM_OUTPUT_STANDARD) == 0) {
        outputs->standard = outputs->standard && !report;
        return WM_OK;
    }
    // Written when the program has ended, by this process.
    return wm_absolute_path(arena, report, &outputs->report, error);
}

void wm_run_outputs_release(struct wm_run_outputs *outputs)
{
    for (unsigned i = 0; i < outputs->inherited_count; i++)
        close(outputs->inherited[i]);
    outputs->inherited_count = 0;
}

// ---- Delivering --------------------------------------------------------------------------------

// Why an output could not be written, by the name that the command line has for it.
static void print_refused(struct wm_run_outputs *outputs, const char *path, int reason,
                          const struct wm_invocation *invocation)
{
    struct wm_error error;
    if (reason == EPIPE && wm_write_signals_pipe_ends()) {
        outputs->reader_left = true;
        return;
    }
    wm_output_refused(path, reason, &error);
    wm_command_fail(invocation, &error);
}

// What one of the run's processes was to write. False when it has not.
static bool look_at(struct wm_run_outputs *outputs, const char *folder, unsigned number,
                    const struct wm_run_output *output, const struct wm_invocation *invocation)
{
    char buffer[PATH_MAX];
    int reason;
    enum wm_run_outcome mark =
        wm_run_outcome_get(folder, number, wm_run_setting_variable(output->setting), &reason);
    const char *path = wm_report_file_numbered(output->path, number, buffer, sizeof buffer);
    if (mark == WM_RUN_OUTCOME_NONE)
        fprintf(invocation->err, "warpmem: %s was not written\n", path);
    else if (mark == WM_RUN_OUTCOME_REFUSED)
        print_refused(outputs, path, reason, invocation);
    return mark == WM_RUN_OUTCOME_WRITTEN;
}

// A recording is there while it is written: of a process that was killed, a part is.
static bool look_at_recording(struct wm_run_outputs *outputs, const char *folder, unsigned number,
                              const struct wm_invocation *invocation)
{
    char buffer[PATH_MAX];
    int reason;
    enum wm_run_outcome mark = wm_run_outcome_get(folder, number, WM_RUN_RECORDING, &reason);
    const char *path =
        wm_report_file_numbered(outputs->request->record, number, buffer, sizeof buffer);
    if (mark == WM_RUN_OUTCOME_REFUSED)
        print_refused(outputs, path, reason, invocation);
    else if (mark != WM_RUN_OUTCOME_FAILED && !outputs->request->values->quiet)
        wm_recording_print_summary(path, invocation->err);
    return mark == WM_RUN_OUTCOME_WRITTEN;
}

static bool look_at_files(struct wm_run_outputs *outputs, const char *folder, uint32_t processes,
                          const struct wm_invocation *invocation)
{
    bool good = true;
    for (size_t i = 0; i < WM_RUN_OUTPUTS; i++) {
        const struct wm_run_output *output = &outputs->request->outputs[i];
        for (uint32_t number = 1; output->path && number <= (processes ? processes : 1); number++)
            good &= look_at(outputs, folder, number, output, invocation);
    }
    if (!outputs->request->record)
        return good;
    if (processes == 0) // for which the reason has been said
        return false;
    for (uint32_t number = 1; number <= processes; number++)
        good &= look_at_recording(outputs, folder, number, invocation);
    return good;
}

static enum wm_status write_report(const struct wm_run_outputs *outputs, const struct wm_text *text,
                                   const struct wm_invocation *invocation, struct wm_error *error)
{
    if (strcmp(outputs->report, WM_OUTPUT_STANDARD) != 0)
        return wm_report_file_write(outputs->report, text, error);
    // What cannot be written is found at the command's end (wm_command_main).
    fwrite(text->data, 1, text->length, outputs->standard ? invocation->err : invocation->out);
    return WM_OK;
}

// Processes that used the device and ended without a report, but for those that said why.
static uint32_t count_silent(const char *folder, uint32_t processes)
{
    uint32_t count = 0;
    for (uint32_t number = 1; number <= processes; number++)
        count += wm_run_outcome_get(folder, number, WM_RUN_TEXT, NULL) == WM_RUN_OUTCOME_NONE;
    return count;
}

static bool deliver_findings(const char *folder, uint32_t processes, FILE *err)
{
    struct wm_text findings;
    wm_text_init(&findings);
    bool found = wm_run_folder_findings(folder, processes, &findings) > 0;
    if (findings.data)
        fputs(findings.data, err);
    wm_text_release(&findings);
    return found;
}

// Of a program without CUDA there are its CPU threads to report.
static void print_nothing_reported(const struct wm_run_outputs *outputs, const char *program,
                                   FILE *err)
{
    fprintf(err, "warpmem: %s made no CUDA call that reached a device: nothing to report\n",
            program);
    if (outputs->instrumented && !outputs->request->host_threads)
        fprintf(err, "hint: --host-threads has its threads on the CPU cores of a machine, as "
                     "machines/examples/cpu-gpu-shared-llc.yaml\n");
}

// Whether one of the processes has left that mark.
static bool any_marked(const char *folder, uint32_t processes, const char *what)
{
    for (uint32_t number = 1; number <= processes; number++)
        if (wm_run_outcome_get(folder, number, what, NULL) == WM_RUN_OUTCOME_FAILED)
            return true;
    return false;
}

int wm_run_outputs_deliver(struct wm_run_outputs *outputs, const char *folder, const char *program,
                           const struct wm_child_end *end, const struct wm_invocation *invocation)
{
    const struct wm_program_run *request = outputs->request;
    struct wm_error error;
    struct wm_text text;
    wm_error_clear(&error);
    wm_text_init(&text);
    struct wm_run_reports reports = wm_run_folder_collect(folder, &text);
    if (end->signal)
        fprintf(invocation->err, "warpmem: %s was ended by signal %d (%s)\n", program, end->signal,
                strsignal(end->signal));
    if (reports.started == 0)
        print_nothing_reported(outputs, program, invocation->err);
    else if (count_silent(folder, reports.started) > 0)
        fprintf(invocation->err, "warpmem: the program ended before it could write its report\n");
    bool good = !deliver_findings(folder, reports.started, invocation->err);
    if (text.failed)
        wm_fail_no_memory(&error, "the report");
    else if (text.data && !request->values->quiet && !request->no_report)
        write_report(outputs, &text, invocation, &error);
    wm_text_release(&text);
    if (error.status != WM_OK) {
        wm_command_fail(invocation, &error);
        good = false;
    }
    good &= look_at_files(outputs, folder, reports.started, invocation);
    good &= reports.reported == reports.started;
    if (any_marked(folder, reports.started, WM_RUN_LIMIT))
        return WM_EXIT_LIMIT;
    if (request->values->fail_on_error && any_marked(folder, reports.started, WM_RUN_FAILURE))
        good = false;
    if (end->status != 0)
        return end->status;
    return good ? WM_EXIT_OK : WM_EXIT_FAILURE;
}
