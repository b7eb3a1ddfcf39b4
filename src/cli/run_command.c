// warpmem run: starts a CUDA program with warpmem's runtime library in front of NVIDIA's, and
// prints what its memory traffic was when it has ended.
#include "cli/commands.h"
#include "cli/part_text.h"
#include "cli/program_run.h"

struct run_values {
    const char *machine;
    struct wm_option_list settings, plugins;
    const char *json, *csv, *report;
    bool quiet, no_memory, explain;
};

static enum wm_status check(const struct run_values *values, const struct wm_invocation *invocation,
                            struct wm_error *error)
{
    if (values->quiet && values->report)
        wm_fail(error, WM_INVALID, "--quiet and --report contradict each other");
    else if (values->explain && values->no_memory)
        wm_fail(error, WM_INVALID, "--explain and --no-memory contradict each other");
    else
        return WM_OK;
    return wm_error_place(error, "%s", invocation->path);
}

static int run(const struct wm_invocation *invocation)
{
    const struct run_values *values = invocation->values;
    struct wm_error error;
    wm_error_clear(&error);
    if (check(values, invocation, &error) != WM_OK) {
        wm_command_fail(invocation, &error);
        return WM_EXIT_MISUSE;
    }
    struct wm_program_run asked = {
        .machine = values->machine,
        .settings = &values->settings,
        .plugins = &values->plugins,
        .report = values->report ? values->report : "-",
        .quiet = values->quiet,
        .memory = !values->no_memory,
        .explain = values->explain,
        .outputs = {{"--json", "WARPMEM_JSON", values->json},
                    {"--csv", "WARPMEM_CSV", values->csv}},
    };
    return wm_program_run(&asked, invocation);
}

#define VALUE(name) offsetof(struct run_values, name)
static const struct wm_option options[] = {
    {'m', "machine", WM_OPTION_ARGUMENT, "NAME", VALUE(machine),
     "the machine: a preset, or a file with a slash or .yaml in its name (default v100)"},
    {0, "set", WM_OPTION_LIST, "KEY=VALUE", VALUE(settings),
     "change one key of the machine (gpu.sm.count=8)"},
    WM_PLUGIN_OPTION(struct run_values),
    {0, "report", WM_OPTION_ARGUMENT, "FILE", VALUE(report),
     "write the text report to FILE instead of standard output (-)"},
    {0, "json", WM_OPTION_ARGUMENT, "FILE", VALUE(json), "write everything counted as JSON"},
    {0, "csv", WM_OPTION_ARGUMENT, "FILE", VALUE(csv), "write everything counted as CSV"},
    {'q', "quiet", WM_OPTION_FLAG, NULL, VALUE(quiet), "print no report"},
    {0, "explain", WM_OPTION_FLAG, NULL, VALUE(explain),
     "explain misses (cold, capacity, conflict, who evicted) and count bank conflicts"},
    {0, "no-memory", WM_OPTION_FLAG, NULL, VALUE(no_memory),
     "execute only, without the memory system"},
};

static const struct wm_usage usage = {
    .synopsis = "[options] [--] PROGRAM [arguments]",
    .description =
        "Runs a CUDA program on the described machine, without a GPU, and reports where its bytes "
        "went: kernels, hit rates, bytes at every boundary, and the instructions that cost most. "
        "The program is one built by nvcc -cudart shared (CUDA 12 or 13) or by warpmem cc.\n"
        "The exit status is the program's own, or 128 plus the number of the signal that ended "
        "it; 2 when it could not be started, with the reason.",
    .examples =
        "warpmem run ./vecadd\n"
        "warpmem run -m gtx480 --set gpu.l1.size=32KiB --set gpu.l1.ways=6 -- ./bfs graph.txt\n"
        "warpmem run --json out.json --quiet ./gemm 512",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct run_values),
    .options_first = true,
    .min_operands = 1,
    .max_operands = UINT32_MAX,
};

const struct wm_command wm_command_run = {
    .name = "run",
    .summary = "run a CUDA program and report its memory traffic",
    .usage = &usage,
    .run = run,
};
