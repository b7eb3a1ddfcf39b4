#include "cuda/run/run_report.h"

#include "base/files/output_place.h"
#include "base/run/run_outcome.h"
#include "base/text/text.h"
#include "cuda/process.h"
#include "study/annotate/annotate.h"
#include "study/run_report/report.h"
#include "study/run_report/report_file.h"
#include "study/run_report/trace_events.h"
#include "warpmem/version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PROCESSES = 10000, MAX_ARGUMENTS = 4096, PATH_BYTES = 4096 };

enum wm_status wm_run_report_open(struct wm_run_report *report, struct wm_error *error)
{
    const char *folder = report->settings.run_folder;
    if (!folder) {
        report->number = 1;
        return WM_OK;
    }
    // Creating "N.claim" exclusively is what makes the number ours.
    for (unsigned number = 1; number <= MAX_PROCESSES; number++) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "%s/%u.claim", folder, number);
        int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
        if (file >= 0) {
            close(file);
            report->number = number;
            return WM_OK;
        }
        if (errno != EEXIST) {
            wm_fail(error, WM_IO, "cannot write here: %s", strerror(errno));
            return wm_error_place(error, "%s", folder);
        }
    }
    return wm_fail(error, WM_LIMIT, "more than %d programs in one run", (int)MAX_PROCESSES);
}

// Where marks are left; NULL: nowhere.
static const char *marks_of(const struct wm_run_report *report)
{
    return report->number ? report->settings.run_folder : NULL;
}

static void mark(const struct wm_run_report *report, const char *output, enum wm_status status)
{
    if (marks_of(report))
        wm_run_outcome_set(marks_of(report), report->number, output,
                           status == WM_OK ? WM_RUN_OUTCOME_WRITTEN : WM_RUN_OUTCOME_FAILED, 0);
}

// Marks a requested output. Why it could not be written is said by `warpmem run`, where it has
// started the process: here a descriptor has no name that its user knows.
static void mark_output(const struct wm_run_report *report, const char *output,
                        enum wm_status status, const struct wm_error *error)
{
    int reason = status != WM_OK ? wm_output_error_reason(error) : 0;
    if (reason != 0 && marks_of(report)) {
        wm_run_outcome_set(marks_of(report), report->number, output, WM_RUN_OUTCOME_REFUSED,
                           reason);
        return;
    }
    if (status != WM_OK)
        wm_cuda_print_error(error);
    mark(report, output, status);
}

static enum wm_status write_text(const struct wm_run_report *report,
                                 const struct wm_results *results,
                                 const struct wm_measured_advice *measured, struct wm_error *error)
{
    const struct wm_run_settings *settings = &report->settings;
    unsigned columns = (unsigned)settings->columns;
    if (!settings->report && !settings->run_folder)
        return WM_OK;
    struct wm_text text;
    wm_text_init(&text);
    if (settings->annotate)
        wm_annotate_text(results, measured, columns, settings->inline_chain, &text);
    else
        wm_report_text(results, columns, &text);
    enum wm_status status = WM_OK;
    char path[PATH_BYTES];
    if (text.failed || !text.data) {
        status = wm_fail_no_memory(error, "the report");
    } else if (settings->run_folder) {
        snprintf(path, sizeof path, "%s/%u.txt", settings->run_folder, report->number);
        status = wm_report_file_write(path, &text, error);
    } else {
        // Standard output has everything that the program itself has written first. No other
        // stream: a thread that waits for input in one holds its lock, and would hold up the
        // program's end.
        if (wm_output_is_in_place(settings->report))
            fflush(stdout);
        status = wm_report_file_write(
            wm_report_file_numbered(settings->report, report->number, path, sizeof path), &text,
            error);
    }
    wm_text_release(&text);
    return status;
}

// The command line as the kernel keeps it: `text` holds the bytes, `arguments` points into it.
static void read_command(char *text, size_t size, const char **arguments)
{
    uint32_t count = 0;
    size_t length = 0;
    FILE *file = fopen("/proc/thread-self/cmdline", "re");
    if (file) {
        length = fread(text, 1, size - 1, file);
        fclose(file);
    }
    text[length] = '\0';
    for (size_t at = 0; at < length && count < MAX_ARGUMENTS - 1; at += strlen(text + at) + 1)
        arguments[count++] = text + at;
    arguments[count] = NULL;
}

// A list that names what is not there is most often one of another build of the program.
static void note_unmet(const struct wm_results *results)
{
    enum { MOST = 10 };
    uint32_t count = results->unmet_bypass_count;
    for (uint32_t i = 0; i < count && i < MOST; i++)
        fprintf(stderr, "warpmem: bypass list: %s named no memory instruction that ran\n",
                results->unmet_bypasses[i]);
    if (count > MOST)
        fprintf(stderr, "warpmem: bypass list: and %u more named none\n", count - MOST);
}

typedef enum wm_status file_writer(const struct wm_results *results, const char *path,
                                   struct wm_error *error);

typedef enum wm_status advice_writer(const struct wm_results *results,
                                     const struct wm_measured_advice *measured, const char *path,
                                     struct wm_error *error);

// The files of results, besides the text, by the setting that names one.
static const struct output {
    enum wm_run_setting setting;
    file_writer *write;      // of the results; or
    advice_writer *annotate; // of these and what was measured of advice
} outputs[] = {
    {WM_RUN_SETTING_JSON, .write = wm_report_json},
    {WM_RUN_SETTING_CSV, .write = wm_report_csv},
    {WM_RUN_SETTING_TIMELINE, .write = wm_report_timeline},
    {WM_RUN_SETTING_ANNOTATE_JSON, .annotate = wm_annotate_json},
    {WM_RUN_SETTING_ANNOTATE_HTML, .annotate = wm_annotate_html},
};
enum { OUTPUTS = sizeof outputs / sizeof outputs[0] };

// NULL: not requested.
static const char *path_of(const struct wm_run_report *report, const struct output *output)
{
    return wm_run_setting_text(&report->settings, output->setting);
}

static void write_file(const struct wm_run_report *report, const struct wm_results *results,
                       const struct wm_measured_advice *measured, const struct output *output)
{
    char buffer[PATH_BYTES];
    struct wm_error error;
    wm_error_clear(&error);
    const char *path = path_of(report, output);
    if (!path)
        return;
    path = wm_report_file_numbered(path, report->number, buffer, sizeof buffer);
    enum wm_status status = output->write != NULL
                                ? output->write(results, path, &error)
                                : output->annotate(results, measured, path, &error);
    mark_output(report, wm_run_setting_variable(output->setting), status, &error);
}

// There are no results, for which a reason has been printed.
static void mark_failed(const struct wm_run_report *report)
{
    mark(report, WM_RUN_TEXT, WM_IO);
    for (size_t i = 0; i < OUTPUTS; i++)
        mark(report, wm_run_setting_variable(outputs[i].setting), WM_IO);
}

static void write_all(struct wm_run_report *report, struct wm_session *session,
                      const char *const *command)
{
    struct wm_results *results = NULL;
    struct wm_error error;
    wm_error_clear(&error);
    if (wm_session_results(session, command, &results, &error) != WM_OK) {
        wm_cuda_print_error(&error);
        mark_failed(report);
        return;
    }
    const struct wm_run_failure failure = {
        .status = report->failure.status,
        .place = report->failure.place,
        .message = report->failure.message,
        .ran = report->failure_ran,
        .refused = report->refused,
    };
    if (failure.status != WM_OK)
        results->failure = &failure;
    note_unmet(results);
    struct wm_measured_advice *measured;
    wm_run_measure_advice(&report->measure, &report->settings, results, &measured);
    enum wm_status status = write_text(report, results, measured, &error);
    if (status != WM_OK)
        wm_cuda_print_error(&error);
    mark(report, WM_RUN_TEXT, status);
    for (size_t i = 0; i < OUTPUTS; i++)
        write_file(report, results, measured, &outputs[i]);
    wm_measured_advice_free(measured);
    wm_results_free(results);
}

enum { COMMAND_BYTES = 65536 };

// The machine is named where its order is the recording's.
static enum wm_status open_recording(struct wm_run_report *report, const struct wm_machine *machine,
                                     const char *const *command, struct wm_recorder **recorder,
                                     struct wm_error *error)
{
    struct wm_text yaml;
    wm_text_init(&yaml);
    wm_machine_print(machine, &yaml);
    char buffer[PATH_BYTES];
    bool ordered = !report->settings.record_any_order;
    struct wm_recording_header header = {
        .writer = "warpmem " WARPMEM_VERSION,
        .source = "program",
        .machine = ordered ? machine->name : "",
        .machine_yaml = ordered && !yaml.failed ? yaml.data : "",
        .command = command,
        .lanes = machine->sm.warp_width,
        .memory_only = report->settings.record_memory_only,
    };
    enum wm_status status = WM_OK;
    if (report->settings.record)
        status = wm_recorder_new(
            wm_report_file_numbered(report->settings.record, report->number, buffer, sizeof buffer),
            &header, recorder, error);
    else
        wm_run_measure_record(&report->measure, &report->settings, report->number, &header,
                              recorder);
    wm_text_release(&yaml);
    return status;
}

enum wm_status wm_run_report_record(struct wm_run_report *report, const struct wm_machine *machine,
                                    struct wm_recorder **recorder, struct wm_error *error)
{
    *recorder = NULL;
    if (!report->settings.record && !wm_run_measure_wanted(&report->settings))
        return WM_OK;
    char *text = malloc(COMMAND_BYTES);
    const char **command = malloc(MAX_ARGUMENTS * sizeof *command);
    enum wm_status status;
    if (text && command) {
        read_command(text, COMMAND_BYTES, command);
        status = open_recording(report, machine, command, recorder, error);
    } else {
        status = wm_fail_no_memory(error, "a recording");
    }
    free(text);
    free(command);
    return status;
}

void wm_run_report_failed(const struct wm_run_report *report, const struct wm_error *error)
{
    // The recording is the one output that is opened with the device.
    mark_output(report, WM_RUN_RECORDING, error->status, error);
    mark_failed(report);
}

void wm_run_report_end_recording(const struct wm_run_report *report, struct wm_recorder *recorder)
{
    struct wm_error error;
    wm_error_clear(&error);
    if (!recorder)
        return;
    enum wm_status status = wm_recorder_finish(recorder, &error);
    mark_output(report, WM_RUN_RECORDING, status, &error);
}

void wm_run_report_note(struct wm_run_report *report, const struct wm_error *failure, bool ran)
{
    report->refused += !ran && failure->status != WM_STOPPED;
    if (report->failure.status == WM_OK) {
        report->failure = *failure;
        report->failure_ran = ran;
        mark(report, WM_RUN_FAILURE, failure->status);
    }
    if (failure->status == WM_STOPPED)
        mark(report, WM_RUN_LIMIT, failure->status);
}

static bool is_requested(const struct wm_run_report *report)
{
    bool requested = report->settings.report || report->settings.run_folder;
    for (size_t i = 0; i < OUTPUTS; i++)
        requested = requested || path_of(report, &outputs[i]);
    return requested;
}

void wm_run_report_write(struct wm_run_report *report, struct wm_session *session)
{
    if (report->written)
        return;
    report->written = true;
    if (!is_requested(report))
        return;
    char *text = malloc(COMMAND_BYTES);
    const char **arguments = calloc(MAX_ARGUMENTS, sizeof *arguments);
    if (text && arguments)
        read_command(text, COMMAND_BYTES, arguments);
    write_all(report, session, text && arguments ? arguments : NULL);
    free(arguments);
    free(text);
}
