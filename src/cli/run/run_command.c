// warpmem run: starts a CUDA program with warpmem's runtime library in front of NVIDIA's, and
// prints what its memory traffic was when it has ended.
#include "cli/commands.h"
#include "cli/options/engine_option.h"
#include "cli/run/program_run.h"
#include "engine/check/check.h"

struct run_values {
    struct wm_run_values common;
    struct wm_engine_values engine;
    struct wm_launch_values chosen;
    const char *json, *csv, *checks;
    bool no_memory, explain, profiled, serial_streams, host_threads;
};

static int run(const struct wm_invocation *invocation)
{
    const struct run_values *values = invocation->values;
    if (values->explain && values->no_memory)
        return wm_command_misuse(invocation, "--explain and --no-memory contradict each other");
    uint32_t checks;
    struct wm_error error;
    wm_error_clear(&error);
    if (values->checks && wm_check_list_read(values->checks, &checks, &error) != WM_OK) {
        wm_error_place(&error, "--check");
        wm_command_fail(invocation, &error);
        return WM_EXIT_MISUSE;
    }
    struct wm_engine_choice engine;
    int misuse = wm_engine_options_read(invocation, &values->engine, &engine);
    if (misuse != WM_EXIT_OK)
        return misuse;
    if (engine.clock && values->no_memory)
        return wm_command_misuse(invocation,
                                 "--no-memory and --engine clock contradict each other");
    if (values->host_threads && (values->no_memory || values->serial_streams))
        return wm_command_misuse(invocation,
                                 "--host-threads contradicts --no-memory and --serial-streams");
    const struct wm_program_run request = {
        .values = &values->common,
        .memory = !values->no_memory,
        .clock = engine.clock,
        .sample_cycles = engine.sample_cycles,
        .explain = values->explain,
        .profiled = values->profiled,
        .chosen = &values->chosen,
        .serial_streams = values->serial_streams,
        .host_threads = values->host_threads,
        .checks = values->checks,
        .outputs = {{"--json", WM_RUN_SETTING_JSON, values->json},
                    {"--csv", WM_RUN_SETTING_CSV, values->csv},
                    {"--timeline", WM_RUN_SETTING_TIMELINE, values->engine.timeline}},
    };
    return wm_program_run(&request, invocation);
}

#define VALUE(name) offsetof(struct run_values, name)
static const struct wm_option options[] = {
    WM_RUN_OPTIONS("report"),
    WM_ENGINE_OPTIONS(struct run_values),
    {0, "json", WM_OPTION_ARGUMENT, "FILE", VALUE(json), "write everything counted as JSON"},
    {0, "csv", WM_OPTION_ARGUMENT, "FILE", VALUE(csv), "write everything counted as CSV"},
    {0, "explain", WM_OPTION_FLAG, NULL, VALUE(explain),
     "explain misses (cold, capacity, conflict, who evicted) and count bank conflicts"},
    WM_LAUNCH_FILTER_OPTIONS(struct run_values),
    WM_PER_LAUNCH_OPTION(struct run_values),
    WM_BLOCK_MAP_OPTION(struct run_values),
    WM_PROFILED_OPTION(struct run_values),
    WM_SERIAL_STREAMS_OPTION(struct run_values),
    {0, "host-threads", WM_OPTION_FLAG, NULL, VALUE(host_threads),
     "run the program's threads on the machine's CPU cores: loads and stores of host code that "
     "warpmem cc --trace-host has compiled go through the levels of its cpu, in turns with the "
     "kernels"},
    {0, "check", WM_OPTION_ARGUMENT, "LIST", VALUE(checks),
     "look for errors: memory (a little beyond an allocation), init (reads of what nothing wrote), "
     "race (on shared memory), leak, all; "
     "findings are printed at the end and make the exit status 1"},
    {0, "no-memory", WM_OPTION_FLAG, NULL, VALUE(no_memory),
     "execute only, without the memory system"},
};
_Static_assert(VALUE(common) == 0, "WM_RUN_OPTIONS");

static const struct wm_usage usage = {
    .synopsis = "[options] [--] PROGRAM [arguments]",
    .description =
        "Runs a CUDA program on the described machine, without a GPU, and reports where its bytes "
        "went: kernels, hit rates, bytes at every boundary, and the instructions that cost most. "
        "The program is one built by nvcc (CUDA 11, 12 or 13) with PTX inside or by warpmem cc.\n"
        "The exit status is the program's own, or 128 plus the number of the signal that ended "
        "it; 1 when it ended well and an output could not be written; 2 when it could not be "
        "started, with the reason; 3 when it was stopped at a limit.",
    .examples =
        "warpmem run ./app\n"
        "warpmem run --engine clock ./app\n"
        "warpmem run -m gtx480 --set gpu.l1.size=48KiB --set gpu.l1.ways=6 -- ./app --n 512\n"
        "warpmem run --kernel 'reduce*' --per-launch ./app\n"
        "warpmem run --check race,leak ./app\n"
        "warpmem run --json out.json --quiet ./app",
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
