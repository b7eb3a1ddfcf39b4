#include "cli/run/annotate_recording.h"

#include "cli/options/output_option.h"
#include "cli/options/report_option.h"
#include "cli/parts/machine_text.h"
#include "engine/replay/many_machines.h"
#include "study/annotate/annotate.h"
#include "trace/recording_state.h"
#include "trace/section/layout.h"

#include <stdlib.h>
#include <string.h>

// Everything of one annotation; NULL until it is made.
struct annotation {
    const struct wm_program_run *request;
    struct wm_plugins plugins;
    struct wm_machine *machine;
    struct wm_launch_filter filter;
    struct wm_recording *recording;
    bool open, standard; // the recording is; a file of the annotation is standard output
    struct wm_session_options options;
    struct wm_replay_variant replayed;
    struct wm_measured_advice *measured;
};

bool wm_is_recording(const char *path)
{
    static const char magic[] = WM_SECTION_MAGIC;
    char head[sizeof magic - 1];
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    bool is =
        fread(head, 1, sizeof head, file) == sizeof head && memcmp(head, magic, sizeof head) == 0;
    fclose(file);
    return is;
}

static enum wm_status check_outputs(struct annotation *annotation, struct wm_error *error)
{
    struct wm_output_option outputs[WM_RUN_OUTPUTS + 1];
    for (size_t i = 0; i < WM_RUN_OUTPUTS; i++)
        outputs[i] = (struct wm_output_option){annotation->request->outputs[i].option,
                                               annotation->request->outputs[i].path};
    outputs[WM_RUN_OUTPUTS] =
        (struct wm_output_option){"--report", annotation->request->values->report};
    return wm_output_options_check(outputs, WM_RUN_OUTPUTS + 1, &annotation->standard, error);
}

static enum wm_status prepare(struct annotation *annotation, const char *path,
                              struct wm_error *error)
{
    const struct wm_program_run *request = annotation->request;
    const struct wm_run_values *values = request->values;
    bool filtered;
    WM_TRY(check_outputs(annotation, error));
    WM_TRY(wm_plugin_option_load(&values->plugins, &annotation->plugins, error));
    WM_TRY(wm_launch_options_read(request->chosen, &annotation->filter, &filtered, error));
    annotation->machine = malloc(sizeof *annotation->machine);
    annotation->recording = malloc(sizeof *annotation->recording);
    if (!annotation->machine || !annotation->recording)
        return wm_fail_no_memory(error, "the machine and the recording");
    WM_TRY(wm_machine_load_with(&annotation->plugins, values->machine ? values->machine : "v100",
                                (const char *const *)values->settings.items, values->settings.count,
                                annotation->machine, error));
    annotation->options = (struct wm_session_options){
        .memory = true,
        .clock = request->clock,
        .explain = true,
        .profiled = request->profiled,
        .filter = filtered ? &annotation->filter : NULL,
        .progress = !values->quiet,
    };
    WM_TRY(wm_engine_check(annotation->machine, &annotation->options, error));
    WM_TRY(wm_recording_open(annotation->recording, path, error));
    annotation->open = true;
    return wm_recording_require_whole(annotation->recording, error);
}

static enum wm_status replay(struct annotation *annotation, const struct wm_invocation *invocation,
                             struct wm_error *error)
{
    annotation->replayed.machine = annotation->machine;
    WM_TRY(wm_replay_many(annotation->recording, &annotation->replayed, 1, 1, &annotation->options,
                          error));
    const char *how = annotation->request->measure;
    struct wm_measure_options options = {
        .reason = strcmp(how, "none") == 0 ? "that was not requested" : NULL,
        .recording = annotation->recording,
        .machine = annotation->machine,
        .plugins = &annotation->plugins,
        .options = annotation->options};
    options.options.clock = strcmp(how, "clock") == 0;
    struct wm_error unmeasured;
    wm_error_clear(&unmeasured);
    // Without what is measured there is the rest.
    if (wm_annotate_measure(annotation->replayed.results, &options, &annotation->measured,
                            &unmeasured) != WM_OK) {
        wm_error_hint(&unmeasured, "what is advised has estimates alone");
        wm_command_fail(invocation, &unmeasured);
    }
    return WM_OK;
}

static enum wm_status write_text(const struct annotation *annotation,
                                 const struct wm_invocation *invocation, struct wm_error *error)
{
    const char *path = annotation->request->values->report;
    struct wm_text text;
    wm_text_init(&text);
    wm_annotate_text(annotation->replayed.results, annotation->measured,
                     wm_report_option_width(path), annotation->request->inline_chain, &text);
    enum wm_status status =
        wm_report_option_put(path, annotation->standard, invocation, &text, error);
    wm_text_release(&text);
    return status;
}

static enum wm_status deliver(const struct annotation *annotation,
                              const struct wm_invocation *invocation, struct wm_error *error)
{
    const struct wm_results *results = annotation->replayed.results;
    const struct wm_run_output *outputs = annotation->request->outputs;
    if (outputs[0].path)
        WM_TRY(wm_annotate_html(results, annotation->measured, outputs[0].path, error));
    if (outputs[1].path)
        WM_TRY(wm_annotate_json(results, annotation->measured, outputs[1].path, error));
    return annotation->request->values->quiet ? WM_OK : write_text(annotation, invocation, error);
}

static void release(struct annotation *annotation)
{
    wm_measured_advice_free(annotation->measured);
    wm_results_free(annotation->replayed.results);
    if (annotation->open)
        wm_recording_close(annotation->recording);
    free(annotation->recording);
    free(annotation->machine);
    wm_launch_filter_release(&annotation->filter);
    wm_plugins_release(&annotation->plugins);
}

int wm_annotate_recording(const struct wm_program_run *request,
                          const struct wm_invocation *invocation)
{
    const struct wm_run_values *values = request->values;
    if (values->quiet && values->report)
        return wm_command_misuse(invocation, "--quiet and --report contradict each other");
    if (values->limits.instructions || values->limits.time || values->fail_on_error ||
        request->serial_streams || request->host_threads)
        return wm_command_misuse(invocation,
                                 "a recording runs no program: no limits, no --fail-on-error, no "
                                 "--serial-streams and no --host-threads");
    if (invocation->operand_count > 1)
        return wm_command_misuse(invocation, "a recording has no arguments");
    struct annotation annotation = {.request = request};
    struct wm_error error;
    wm_error_clear(&error);
    enum wm_status status = prepare(&annotation, invocation->operands[0], &error);
    if (status == WM_OK)
        status = replay(&annotation, invocation, &error);
    if (status == WM_OK)
        status = deliver(&annotation, invocation, &error);
    release(&annotation);
    return status == WM_OK ? WM_EXIT_OK : wm_command_fail(invocation, &error);
}
