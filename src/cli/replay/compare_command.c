// warpmem compare: what changed between two runs, each a file of results or a recording that is
// replayed for it.
#include "cli/commands.h"
#include "cli/options/engine_option.h"
#include "cli/options/launch_options.h"
#include "cli/options/machine_options.h"
#include "cli/options/output_option.h"
#include "cli/parts/machine_text.h"
#include "cli/replay/replay_variants.h"
#include "cli/trace/import_trace.h"
#include "study/compare/compare.h"
#include "study/run_report/report.h"
#include "trace/recording_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SIDES = 2, MOST_ROWS = 10, LABEL_BYTES = 1024 };

struct compare_values {
    struct wm_option_list machines, settings, variants, plugins;
    struct wm_launch_values chosen;
    const char *engine, *json, *threads;
    bool all, explain, profiled, fail, quiet;
};

// What the command works on.
struct comparing {
    const struct wm_invocation *invocation;
    const struct compare_values *values;
    const struct wm_launch_filter *filter; // NULL: every launch
    struct wm_variants variants;
    struct wm_run_model models[SIDES];
    bool clock;
    FILE *out; // where the text goes
    struct wm_error *error;
};

// --- Reading the sides ---

// Results begin with a brace; a recording does not.
static bool is_results(FILE *stream)
{
    int byte = getc(stream);
    while (byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r')
        byte = getc(stream);
    if (byte != EOF)
        ungetc(byte, stream);
    return byte == '{';
}

static enum wm_status open_side(const char *path, FILE **results, struct wm_error *error)
{
    *results = fopen(path, "re");
    if (*results == NULL)
        return wm_fail(error, WM_NOT_FOUND, "cannot read \"%s\": %s", path, strerror(errno));
    if (is_results(*results))
        return WM_OK;
    fclose(*results);
    *results = NULL;
    return WM_OK;
}

// The results of a replay, by way of their JSON: then a replay and a file are read alike.
static enum wm_status take_replay(struct comparing *it, uint32_t side, const char *path,
                                  uint32_t variant)
{
    const struct wm_results *results = it->variants.variants[variant].results;
    char label[LABEL_BYTES], *text = NULL;
    size_t size = 0;
    const char *settings = results->variant;
    snprintf(label, sizeof label, "%s on %s%s%s", path, results->machine_name,
             settings != NULL ? " with " : "", settings != NULL ? settings : "");
    FILE *stream = open_memstream(&text, &size);
    bool good = stream != NULL && wm_report_json_stream(results, stream);
    good = (stream == NULL || fclose(stream) == 0) && good;
    FILE *again = good ? fmemopen(text, size, "r") : NULL;
    enum wm_status status = again != NULL
                                ? wm_run_model_read(&it->models[side], again, label, it->error)
                                : wm_fail_no_memory(it->error, "the results");
    if (again != NULL)
        fclose(again);
    free(text);
    return status;
}

static enum wm_status replay_open(struct comparing *it, struct wm_recording *recording)
{
    const struct compare_values *values = it->values;
    const struct wm_session_options options = {
        .memory = true,
        .clock = it->clock,
        .explain = values->explain,
        .profiled = values->profiled,
        .filter = it->filter,
        .progress = !values->quiet,
    };
    if (!recording->file.complete)
        WM_TRY(wm_recording_require_whole(recording, it->error));
    return wm_variants_replay(&it->variants, recording, &options, it->error);
}

static enum wm_status replay(struct comparing *it, const char *path)
{
    struct wm_recording *recording = malloc(sizeof *recording);
    if (recording == NULL)
        return wm_fail_no_memory(it->error, "a recording");
    enum wm_status status = wm_recording_or_trace_open(
        recording, path, it->values->quiet ? NULL : it->invocation->err, it->error);
    if (status == WM_OK) {
        status = replay_open(it, recording);
        wm_recording_close(recording);
    }
    free(recording);
    return status;
}

static enum wm_status build_machines(struct comparing *it)
{
    const struct compare_values *values = it->values;
    const struct wm_variants_options options = {
        .machines = &values->machines,
        .settings = &values->settings,
        .variants = &values->variants,
        .plugins = &values->plugins,
        .threads = values->threads,
        .clock = it->clock,
        .explain = values->explain,
    };
    return wm_variants_init(&it->variants, &options, it->error);
}

static enum wm_status misuse(const struct comparing *it, const char *what, const char *hint)
{
    wm_fail(it->error, WM_INVALID, "%s", what);
    return wm_error_hint(it->error, "%s", hint);
}

// One file of results, or one recording on the one machine.
static enum wm_status read_side(struct comparing *it, uint32_t side)
{
    const char *path = it->invocation->operands[side];
    FILE *results;
    WM_TRY(open_side(path, &results, it->error));
    if (results != NULL) {
        enum wm_status status = wm_run_model_read(&it->models[side], results, path, it->error);
        fclose(results);
        return status;
    }
    wm_variants_release(&it->variants);
    WM_TRY(build_machines(it));
    if (it->variants.count != 1)
        return misuse(it, "two recordings are compared on one machine, and here are several",
                      "name one recording with two machines, or two with one");
    WM_TRY(replay(it, path));
    return take_replay(it, side, path, 0);
}

// One recording on two machines.
static enum wm_status read_both(struct comparing *it)
{
    const char *path = it->invocation->operands[0];
    FILE *results;
    WM_TRY(open_side(path, &results, it->error));
    if (results != NULL) {
        fclose(results);
        return misuse(it, "one file of results has nothing to be compared with",
                      "name two, or a recording with two machines");
    }
    WM_TRY(build_machines(it));
    if (it->variants.count != SIDES)
        return misuse(it, "one recording is compared on two machines",
                      "give -m twice, or one --variant");
    WM_TRY(replay(it, path));
    for (uint32_t side = 0; side < SIDES; side++)
        WM_TRY(take_replay(it, side, path, side));
    return WM_OK;
}

static enum wm_status read_sides(struct comparing *it)
{
    if (it->invocation->operand_count == 1)
        return read_both(it);
    for (uint32_t side = 0; side < SIDES; side++)
        WM_TRY(read_side(it, side));
    return WM_OK;
}

// --- Delivering ---

static enum wm_status deliver(struct comparing *it, const struct wm_comparison *comparison)
{
    const struct compare_values *values = it->values;
    if (values->json != NULL)
        WM_TRY(wm_comparison_json(comparison, values->json, it->error));
    if (values->quiet)
        return WM_OK;
    struct wm_text text;
    wm_text_init(&text);
    wm_comparison_text(comparison, values->all ? UINT32_MAX : MOST_ROWS, &text);
    enum wm_status status = WM_OK;
    if (text.failed || text.data == NULL)
        status = wm_fail_no_memory(it->error, "the comparison");
    else
        fputs(text.data, it->out); // what fails is found at the command's end
    wm_text_release(&text);
    return status;
}

static enum wm_status compare(struct comparing *it, bool *differs)
{
    struct wm_comparison comparison;
    WM_TRY(read_sides(it));
    enum wm_status status = wm_compare(&it->models[0], &it->models[1], &comparison, it->error);
    *differs = comparison.differs;
    if (status == WM_OK)
        status = deliver(it, &comparison);
    wm_comparison_release(&comparison);
    return status;
}

static int run(const struct wm_invocation *invocation)
{
    const struct compare_values *values = invocation->values;
    struct wm_error error;
    struct wm_launch_filter filter;
    struct wm_engine_choice engine;
    const struct wm_engine_values engine_values = {.engine = values->engine};
    const struct wm_output_option json = {"--json", values->json};
    bool filtered, standard, differs = false;
    int exit_status = wm_engine_options_read(invocation, &engine_values, &engine);
    if (exit_status != WM_EXIT_OK)
        return exit_status;
    wm_error_clear(&error);
    if (wm_output_options_check(&json, 1, &standard, &error) != WM_OK ||
        wm_output_options_avoid_inputs(&json, 1, invocation->operands, invocation->operand_count,
                                       &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    struct comparing *it = calloc(1, sizeof *it);
    if (it == NULL) {
        wm_fail_no_memory(&error, "a recording");
        return wm_command_fail(invocation, &error);
    }
    enum wm_status status = wm_launch_options_read(&values->chosen, &filter, &filtered, &error);
    *it = (struct comparing){.invocation = invocation,
                             .values = values,
                             .filter = filtered ? &filter : NULL,
                             .clock = engine.clock,
                             .out = standard ? invocation->err : invocation->out,
                             .error = &error};
    if (status == WM_OK)
        status = compare(it, &differs);
    for (uint32_t side = 0; side < SIDES; side++)
        wm_run_model_release(&it->models[side]);
    wm_variants_release(&it->variants);
    wm_launch_filter_release(&filter);
    free(it);
    if (status != WM_OK)
        return wm_command_fail(invocation, &error);
    return differs && values->fail ? WM_EXIT_FAILURE : WM_EXIT_OK;
}

#define VALUE(name) offsetof(struct compare_values, name)
static const struct wm_option options[] = {
    {'m', "machine", WM_OPTION_LIST, "NAME", VALUE(machines),
     "the machine that recordings are replayed on (default v100); twice, to compare two",
     WM_COMPLETES_MACHINES},
    WM_SETTING_OPTION(struct compare_values),
    {0, "variant", WM_OPTION_LIST, "KEY=VALUE,…", VALUE(variants),
     "compare the machine with itself under these settings", WM_COMPLETES_SETTINGS},
    WM_PLUGIN_OPTION(struct compare_values),
    {'j', "threads", WM_OPTION_ARGUMENT, "N", VALUE(threads),
     "threads of a replay (default: one a processor); the numbers do not depend on it",
     WM_COMPLETES_NOTHING},
    {'e', "engine", WM_OPTION_ARGUMENT, "NAME", VALUE(engine),
     "of replays: walk, no time passes (default), or clock", WM_COMPLETES_ENGINES},
    {0, "explain", WM_OPTION_FLAG, NULL, VALUE(explain),
     "of replays: explain misses, and compare that too", WM_COMPLETES_NOTHING},
    WM_LAUNCH_FILTER_OPTIONS(struct compare_values),
    WM_PROFILED_OPTION(struct compare_values),
    {0, "all", WM_OPTION_FLAG, NULL, VALUE(all), "print every row, not the ten largest changes",
     WM_COMPLETES_NOTHING},
    {0, "json", WM_OPTION_ARGUMENT, "FILE", VALUE(json), "write every difference as JSON",
     WM_COMPLETES_FILES},
    {0, "fail-on-difference", WM_OPTION_FLAG, NULL, VALUE(fail),
     "end with status 1 when anything that was counted differs", WM_COMPLETES_NOTHING},
    {'q', "quiet", WM_OPTION_FLAG, NULL, VALUE(quiet), "print no comparison", WM_COMPLETES_NOTHING},
};

static const struct wm_usage usage = {
    .synopsis = "[options] A [B]",
    .description =
        "Says what changed from run A to run B: by kernel, by line of the source and by level of "
        "the machine, largest change first. Each is a file that warpmem run or replay wrote with "
        "--json, or a recording, which is replayed for it. One recording alone is compared on two "
        "machines.\n"
        "Kernels are the same by name; instructions by their line and text, else where the two "
        "sequences have them alike, as diff has lines.",
    .examples = "warpmem compare before.json after.json\n"
                "warpmem compare app.wmt -m v100 -m h100\n"
                "warpmem compare app.wmt --engine clock --variant gpu.l1.size=16KiB\n"
                "warpmem compare old.wmt new.wmt --kernel 'reduce*' --fail-on-difference",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct compare_values),
    .min_operands = 1,
    .max_operands = 2,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_compare = {
    .name = "compare",
    .summary = "say what changed between two runs, or on two machines",
    .usage = &usage,
    .run = run,
};
