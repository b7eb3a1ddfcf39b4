// warpmem export: a recording as traces for Accel-Sim.
#include "cli/commands.h"
#include "source/accelsim/export.h"

#include <inttypes.h>
#include <stdlib.h>

struct export_values {
    const char *output;
    bool quiet;
};

static void say(const struct wm_accelsim_export *export, FILE *stream)
{
    fprintf(stream, "warpmem: %s: %" PRIu64 " launch%s, %" PRIu64 " warp instructions\n",
            export->folder, export->launches, export->launches == 1 ? "" : "es",
            export->warp_instructions);
    if (export->left_out > 0)
        fprintf(stream,
                "warpmem: %s: %" PRIu64 " warp instructions are missing, which the recording only "
                "counts (--memory-only)\n",
                export->folder, export->left_out);
}

static enum wm_status write_traces(const struct wm_invocation *invocation,
                                   struct wm_accelsim_export *export, struct wm_error *error)
{
    struct wm_recording *recording = malloc(sizeof *recording);
    if (recording == NULL)
        return wm_fail_no_memory(error, "a recording");
    const struct export_values *values = invocation->values;
    enum wm_status status = wm_recording_open(recording, invocation->operands[0], error);
    if (status == WM_OK) {
        if (recording->cores_section != 0 && !values->quiet)
            fprintf(invocation->err,
                    "warpmem: %s: without the program's threads: Accel-Sim's "
                    "traces have kernels alone\n",
                    export->folder);
        status = wm_accelsim_export(export, recording, error);
        wm_recording_close(recording);
    }
    free(recording);
    return status;
}

static int run(const struct wm_invocation *invocation)
{
    const struct export_values *values = invocation->values;
    if (!values->output)
        return wm_command_misuse(invocation, "-o FOLDER says where the traces go");
    struct wm_error error;
    wm_error_clear(&error);
    struct wm_accelsim_export export = {.folder = values->output,
                                        .writer = "warpmem " WARPMEM_VERSION};
    if (write_traces(invocation, &export, &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    if (!values->quiet)
        say(&export, invocation->err);
    return WM_EXIT_OK;
}

#define VALUE(name) offsetof(struct export_values, name)
static const struct wm_option options[] = {
    {'o', "output", WM_OPTION_ARGUMENT, "FOLDER", VALUE(output),
     "where the traces go: a new folder, or an empty one", WM_COMPLETES_FILES},
    {'q', "quiet", WM_OPTION_FLAG, NULL, VALUE(quiet), "do not say what was exported",
     WM_COMPLETES_NOTHING},
};

static const struct wm_usage usage = {
    .synopsis = "-o FOLDER [options] RECORDING",
    .description =
        "Writes a recording as traces for Accel-Sim: kernelslist.g and a kernel-N.traceg for each "
        "launch, as version 5 of its tracer has them, with the nearest SASS name for each PTX "
        "instruction. warpmem import reads them back: a replay then has the same memory traffic.",
    .examples = "warpmem export -o traces app.wmt\n"
                "warpmem import -o same.wmt traces/kernelslist.g",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct export_values),
    .min_operands = 1,
    .max_operands = 1,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_export = {
    .name = "export",
    .summary = "write a recording as traces for Accel-Sim",
    .usage = &usage,
    .run = run,
};
