// warpmem record: runs a CUDA program and keeps what it executed in a file, for warpmem replay.
#include "cli/commands.h"
#include "cli/run/program_run.h"

struct record_values {
    struct wm_run_values common;
    const char *output;
    bool memory_only, any_order, host_threads;
};

static int run(const struct wm_invocation *invocation)
{
    const struct record_values *values = invocation->values;
    if (!values->output)
        return wm_command_misuse(invocation, "-o FILE says where the recording goes");
    const struct wm_program_run request = {
        .values = &values->common,
        .record = values->output,
        .record_memory_only = values->memory_only,
        .record_any_order = values->any_order,
        .host_threads = values->host_threads,
        .no_report = true,
    };
    return wm_program_run(&request, invocation);
}

#define VALUE(name) offsetof(struct record_values, name)
static const struct wm_option options[] = {
    WM_MACHINE_OPTION(struct wm_run_values),
    WM_SETTING_OPTION(struct wm_run_values),
    WM_PLUGIN_OPTION(struct wm_run_values),
    {'o', "output", WM_OPTION_ARGUMENT, "FILE", VALUE(output), "where the recording goes",
     WM_COMPLETES_FILES},
    {0, "any-order", WM_OPTION_FLAG, NULL, VALUE(any_order),
     "run warps in the order that is quickest, not in the machine's: the same for programs whose "
     "accesses do not depend on it",
     WM_COMPLETES_NOTHING},
    {0, "memory-only", WM_OPTION_FLAG, NULL, VALUE(memory_only),
     "keep memory instructions and barriers; count the others", WM_COMPLETES_NOTHING},
    {0, "host-threads", WM_OPTION_FLAG, NULL, VALUE(host_threads),
     "keep the loads and stores of the program's own threads too (warpmem cc --trace-host), with "
     "what they launch and wait for",
     WM_COMPLETES_NOTHING},
    WM_LIMIT_OPTIONS(struct wm_run_values, limits),
    WM_FAIL_OPTION,
    {'q', "quiet", WM_OPTION_FLAG, NULL, offsetof(struct wm_run_values, quiet),
     "do not say what was recorded", WM_COMPLETES_NOTHING},
};
_Static_assert(VALUE(common) == 0, "the run's options");

static const struct wm_usage usage = {
    .synopsis = "-o FILE [options] [--] PROGRAM [arguments]",
    .description =
        "Runs a CUDA program as warpmem run does, without a memory system, and writes what it "
        "executed to a file: every instruction of every warp with its lanes, every address, and "
        "the copies between launches. warpmem replay drives it through any machine.\n"
        "The machine gives the device properties that the program reads, how wide its warps are, "
        "and in "
        "which order they run: a replay on that machine has exactly the numbers of a run, and on "
        "others too where the program's accesses do not depend on the order. The exit status is "
        "the program's own.",
    .examples = "warpmem record -o app.wmt -- ./app\n"
                "warpmem record -o app-gtx480.wmt -m gtx480 -- ./app\n"
                "warpmem replay app.wmt -m v100",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct record_values),
    .options_first = true,
    .min_operands = 1,
    .max_operands = UINT32_MAX,
};

const struct wm_command wm_command_record = {
    .name = "record",
    .summary = "run a CUDA program and keep what it executed in a file",
    .usage = &usage,
    .run = run,
};
