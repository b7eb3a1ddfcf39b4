// warpmem import: traces of other tools as a recording, for warpmem replay.
#include "cli/commands.h"
#include "cli/options/output_option.h"
#include "cli/trace/import_trace.h"
#include "cli/trace/recording_text.h"

struct import_values {
    const char *output, *format, *kernels;
    bool quiet, data_only, shared, unordered;
};

static int run(const struct wm_invocation *invocation)
{
    const struct import_values *values = invocation->values;
    if (!values->output)
        return wm_command_misuse(invocation, "-o FILE says where the recording goes");
    struct wm_error error;
    wm_error_clear(&error);
    if (wm_output_option_check(values->output, invocation->operands, invocation->operand_count,
                               &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    const struct wm_import_options options = {
        .paths = (const char *const *)invocation->operands,
        .count = invocation->operand_count,
        .format = values->format,
        .output = values->output,
        .data_only = values->data_only,
        .shared = values->shared,
        .unordered = values->unordered,
        .kernels = values->kernels,
    };
    enum wm_status status =
        wm_import_traces(&options, values->quiet ? NULL : invocation->err, &error);
    if (status != WM_OK)
        return wm_command_fail(invocation, &error);
    if (!values->quiet)
        wm_recording_print_summary(values->output, invocation->err);
    return WM_EXIT_OK;
}

#define VALUE(name) offsetof(struct import_values, name)
static const struct wm_option options[] = {
    {'o', "output", WM_OPTION_ARGUMENT, "FILE", VALUE(output), "where the recording goes",
     WM_COMPLETES_FILES},
    {0, "format", WM_OPTION_ARGUMENT, "KIND", VALUE(format),
     "accelsim, champsim, lackey or dinero (default: as the names of the files say)",
     WM_COMPLETES_NOTHING},
    {0, "data-only", WM_OPTION_FLAG, NULL, VALUE(data_only),
     "of CPU cores: leave instructions out, keep loads and stores", WM_COMPLETES_NOTHING},
    {0, "shared", WM_OPTION_FLAG, NULL, VALUE(shared),
     "of several cores: equal addresses are the same memory", WM_COMPLETES_NOTHING},
    {0, "unordered", WM_OPTION_FLAG, NULL, VALUE(unordered),
     "of threads: leave out what one waits for, and let them take turns", WM_COMPLETES_NOTHING},
    {0, "kernels", WM_OPTION_ARGUMENT, "FILE", VALUE(kernels),
     "of threads: the recording of the kernels that the same run of the program launched, which "
     "the new one has too",
     WM_COMPLETES_FILES},
    {'q', "quiet", WM_OPTION_FLAG, NULL, VALUE(quiet), "do not say what was imported",
     WM_COMPLETES_NOTHING},
};

static const struct wm_usage usage = {
    .synopsis = "-o FILE [options] TRACE [TRACE…]",
    .description =
        "Turns a trace of another tool into a recording, for warpmem replay. TRACE is the "
        "kernelslist.g of Accel-Sim's tracer, whose kernel traces lie in its folder, or one "
        "kernel-N.traceg; plain, or packed with gzip, xz, zstd, bzip2 or lz4.\n"
        "Or it is of a CPU core: of ChampSim (.champsim, .champsimtrace, .trace), of Valgrind's "
        "lackey (.lackey) or of Dinero (.din, .xdin), for a machine such as cpu-core2. Several of "
        "these are as many cores.\n"
        "The recording is written whole or not at all.",
    .examples = "warpmem import -o app.wmt traces/kernelslist.g\n"
                "warpmem replay app.wmt -m v100\n"
                "warpmem import -o mcf.wmt mcf.champsimtrace.xz\n"
                "warpmem replay mcf.wmt -m cpu-core2",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct import_values),
    .min_operands = 1,
    .max_operands = 256,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_import = {
    .name = "import",
    .summary = "turn a trace of another tool into a recording",
    .usage = &usage,
    .run = run,
};
