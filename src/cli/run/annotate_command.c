// warpmem annotate: runs a CUDA program as `warpmem run` does, misses explained (or replays a
// recording so), and prints its kernels' source, each line with what it did to memory, and advice
// below.
#include "cli/commands.h"
#include "cli/options/engine_option.h"
#include "cli/run/annotate_recording.h"
#include "cli/run/program_run.h"
#include "study/annotate/annotate.h"

#include <string.h>

struct annotate_values {
    struct wm_run_values common;
    struct wm_launch_values chosen;
    struct wm_engine_values engine; // its name alone
    const char *html, *json, *measure;
    bool rules, profiled, inline_chain, serial_streams, host_threads;
};

static int print_rules(const struct wm_invocation *invocation)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_annotate_rules(&text);
    bool good = !text.failed && fwrite(text.data, 1, text.length, invocation->out) == text.length;
    wm_text_release(&text);
    return good ? WM_EXIT_OK : WM_EXIT_FAILURE;
}

static int run(const struct wm_invocation *invocation)
{
    const struct annotate_values *values = invocation->values;
    if (values->rules && invocation->operand_count > 0)
        return wm_command_misuse(invocation, "--rules runs no program");
    if (!values->rules && invocation->operand_count == 0)
        return wm_command_misuse(invocation, "there is no program to run");
    if (values->rules)
        return print_rules(invocation);
    struct wm_engine_choice engine;
    int misuse = wm_engine_options_read(invocation, &values->engine, &engine);
    if (misuse != WM_EXIT_OK)
        return misuse;
    // In time nothing is recorded, which measuring needs.
    bool is_recording = wm_is_recording(invocation->operands[0]);
    bool unrecorded = engine.clock && !is_recording;
    const char *usual = values->host_threads || unrecorded ? "none" : "walk";
    const char *measure = values->measure ? values->measure : usual;
    if (strcmp(measure, "walk") != 0 && strcmp(measure, "clock") != 0 &&
        strcmp(measure, "none") != 0)
        return wm_command_misuse(invocation, "--measure is walk, clock or none");
    if (values->host_threads && (strcmp(measure, "none") != 0 || values->serial_streams))
        return wm_command_misuse(invocation,
                                 "--host-threads contradicts --measure and --serial-streams");
    if (unrecorded && strcmp(measure, "none") != 0)
        return wm_command_misuse(invocation,
                                 "--measure and --engine clock contradict each other, but of "
                                 "recordings (warpmem record)");
    const struct wm_program_run request = {
        .values = &values->common,
        .memory = true,
        .clock = engine.clock,
        .explain = true,
        .profiled = values->profiled,
        .chosen = &values->chosen,
        .serial_streams = values->serial_streams,
        .host_threads = values->host_threads,
        .annotate = true,
        .measure = measure,
        .inline_chain = values->inline_chain,
        .outputs = {{"--html", WM_RUN_SETTING_ANNOTATE_HTML, values->html},
                    {"--json", WM_RUN_SETTING_ANNOTATE_JSON, values->json}},
    };
    return is_recording ? wm_annotate_recording(&request, invocation)
                        : wm_program_run(&request, invocation);
}

#define VALUE(name) offsetof(struct annotate_values, name)
static const struct wm_option options[] = {
    WM_RUN_OPTIONS("text"),
    {'e', "engine", WM_OPTION_ARGUMENT, "NAME", VALUE(engine.engine),
     "walk: no time passes (default); clock: in time, with the cycles that loads take",
     WM_COMPLETES_ENGINES},
    {0, "html", WM_OPTION_ARGUMENT, "FILE", VALUE(html),
     "write the same as one self-contained page"},
    {0, "json", WM_OPTION_ARGUMENT, "FILE", VALUE(json), "write the same as JSON"},
    {0, "inline-chain", WM_OPTION_FLAG, NULL, VALUE(inline_chain),
     "below lines that call inlined functions, print where their instructions are"},
    {0, "measure", WM_OPTION_ARGUMENT, "HOW", VALUE(measure),
     "try out what is advised, where a variant of the machine does the same to the run's accesses: "
     "walk, by bytes (default); clock, by cycles too; none",
     WM_COMPLETES_MEASURES},
    WM_LAUNCH_FILTER_OPTIONS(struct annotate_values),
    WM_PROFILED_OPTION(struct annotate_values),
    WM_SERIAL_STREAMS_OPTION(struct annotate_values),
    {0, "host-threads", WM_OPTION_FLAG, NULL, VALUE(host_threads),
     "annotate the program's own code, too, as its threads run on the machine's CPU cores "
     "(warpmem run)"},
    {0, "rules", WM_OPTION_FLAG, NULL, VALUE(rules),
     "list the rules of advice with their thresholds, and end"},
};
_Static_assert(VALUE(common) == 0, "WM_RUN_OPTIONS");

static const struct wm_usage usage = {
    .synopsis = "[options] [--] PROGRAM [arguments] | RECORDING",
    .description =
        "Runs a CUDA program as warpmem run does, with misses explained, and prints the source of "
        "its kernels (their PTX where the source is not found) with accesses, sectors a request, "
        "hit rates, bytes and bank conflicts next to each line, and advice where a rule applies.\n"
        "What is advised is tried out, where a variant of the machine does the same to the run's "
        "accesses: the run is recorded to a temporary file, and the machine and all variants are "
        "driven with it side by side. What gains nothing is no advice. A recording that warpmem "
        "record made is annotated as the program.",
    .examples = "warpmem annotate ./app\n"
                "warpmem annotate --html app.html --quiet -- ./app\n"
                "warpmem annotate --measure clock -- ./app\n"
                "warpmem annotate --engine clock app.wmt\n"
                "warpmem cc --trace-host -g app.cu -o app && warpmem annotate --host-threads -m "
                "machines/examples/cpu-gpu-shared-llc.yaml ./app\n"
                "warpmem annotate --rules",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct annotate_values),
    .options_first = true,
    .min_operands = 0,
    .max_operands = UINT32_MAX,
};

const struct wm_command wm_command_annotate = {
    .name = "annotate",
    .summary = "print a program's kernels with their memory traffic",
    .usage = &usage,
    .run = run,
};
