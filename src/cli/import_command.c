// warpmem import: traces of other tools as a recording, for warpmem replay.
#include "cli/commands.h"
#include "cli/import_trace.h"
#include "cli/recording_text.h"

struct import_values {
    const char *output;
    bool quiet;
};

static int run(const struct wm_invocation *invocation)
{
    const struct import_values *values = invocation->values;
    if (!values->output)
        return wm_command_misuse(invocation, "-o FILE says where the recording goes");
    struct wm_error error;
    wm_error_clear(&error);
    enum wm_status status = wm_import_trace(invocation->operands[0], values->output,
                                            values->quiet ? NULL : invocation->err, &error);
    if (status != WM_OK)
        return wm_command_fail(invocation, &error);
    if (!values->quiet)
        wm_recording_say(values->output, invocation->err);
    return WM_EXIT_OK;
}

#define VALUE(name) offsetof(struct import_values, name)
static const struct wm_option options[] = {
    {'o', "output", WM_OPTION_ARGUMENT, "FILE", VALUE(output), "where the recording goes",
     WM_COMPLETES_FILES},
    {'q', "quiet", WM_OPTION_FLAG, NULL, VALUE(quiet), "do not say what was imported",
     WM_COMPLETES_NOTHING},
};

static const struct wm_usage usage = {
    .synopsis = "-o FILE [options] TRACE",
    .description =
        "Turns a trace of another tool into a recording, for warpmem replay. TRACE is the "
        "kernelslist.g of Accel-Sim's tracer, whose kernel traces lie beside it, or one "
        "kernel-N.traceg; plain, or packed with gzip, xz, zstd, bzip2 or lz4.\n"
        "The recording is written whole or not at all.",
    .examples = "warpmem import -o bfs.wmt traces/kernelslist.g\n"
                "warpmem replay bfs.wmt -m v100",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct import_values),
    .min_operands = 1,
    .max_operands = 1,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_import = {
    .name = "import",
    .summary = "turn a trace of another tool into a recording",
    .usage = &usage,
    .run = run,
};
