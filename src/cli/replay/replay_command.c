// warpmem replay: drives a recording through one machine or several, and reports as warpmem run.
#include "cli/commands.h"
#include "cli/options/engine_option.h"
#include "cli/options/launch_options.h"
#include "cli/options/machine_options.h"
#include "cli/options/output_option.h"
#include "cli/replay/replay_variants.h"
#include "cli/run/program_run.h"
#include "cli/trace/import_trace.h"
#include "engine/replay/replay.h"
#include "study/run_report/report.h"
#include "study/run_report/report_file.h"
#include "study/run_report/trace_events.h"
#include "study/run_report/width.h"
#include "study/tables/side_by_side.h"
#include "trace/recording_state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct replay_values {
    struct wm_option_list machines, settings, variants, plugins;
    const char *report, *json, *csv, *threads, *cores;
    struct wm_engine_values engine;
    struct wm_launch_values chosen;
    bool quiet, explain, profiled, serial_streams, no_host_threads;
};

// The report of one variant; with the last one, all of them side by side.
static void add_report(const struct wm_variants *variants, uint32_t number, unsigned columns,
                       struct wm_text *text)
{
    wm_report_text(variants->variants[number].results, columns, text);
    if (number + 1 < variants->count)
        return;
    const struct wm_results **all = calloc(variants->count, sizeof *all);
    text->failed = text->failed || all == NULL;
    for (uint32_t i = 0; i < variants->count && all != NULL; i++)
        all[i] = variants->variants[i].results;
    if (all != NULL)
        wm_report_side_by_side(all, variants->count, text);
    free(all);
}

static enum wm_status write_text(const struct wm_variants *variants, uint32_t number,
                                 const char *path, FILE *out, struct wm_error *error)
{
    struct wm_text text;
    wm_text_init(&text);
    add_report(variants, number, wm_report_width(path == NULL ? STDOUT_FILENO : -1), &text);
    enum wm_status status = WM_OK;
    if (text.failed || text.data == NULL)
        status = wm_fail_no_memory(error, "the report");
    else if (path == NULL) // what cannot be written is found at the end (wm_command_main)
        fwrite(text.data, 1, text.length, out);
    else
        status = wm_report_file_write(path, &text, error);
    wm_text_release(&text);
    return status;
}

// Writes one variant's results to the requested outputs. Files of the second variant on are
// numbered.
static enum wm_status deliver(const struct replay_values *values,
                              const struct wm_variants *variants, uint32_t number, FILE *out,
                              struct wm_error *error)
{
    const struct wm_results *results = variants->variants[number].results;
    char buffer[4096];
    uint32_t which = number + 1;
    if (values->json != NULL)
        WM_TRY(wm_report_json(
            results, wm_report_file_numbered(values->json, which, buffer, sizeof buffer), error));
    if (values->csv != NULL)
        WM_TRY(wm_report_csv(
            results, wm_report_file_numbered(values->csv, which, buffer, sizeof buffer), error));
    if (values->engine.timeline != NULL)
        WM_TRY(wm_report_timeline(
            results, wm_report_file_numbered(values->engine.timeline, which, buffer, sizeof buffer),
            error));
    if (values->quiet)
        return WM_OK;
    bool to_file = values->report != NULL && strcmp(values->report, "-") != 0;
    if (!to_file && number > 0)
        fputc('\n', out);
    const char *path = NULL;
    if (to_file)
        path = wm_report_file_numbered(values->report, which, buffer, sizeof buffer);
    return write_text(variants, number, path, out, error);
}

// What a replay does not wait for where an older version recorded it (docs/formats/recording.md):
// said where it matters.
static bool is_unkept_wait(const struct wm_recorded_instruction *it)
{
    return !it->keeps_waits && (strstr(it->text, "mbarrier.test_wait") != NULL ||
                                strstr(it->text, "mbarrier.try_wait") != NULL ||
                                strstr(it->text, "barrier.cluster.wait") != NULL);
}

// Programs make it again and again, and a recording has each time.
static bool is_poll(const struct wm_recorded_instruction *it)
{
    return it->keeps_waits && strstr(it->text, "mbarrier.test_wait") != NULL;
}

// docs/engine-clock.md, "Recordings of memory instructions alone".
static void note_memory_only(const struct wm_recording *recording, FILE *err)
{
    if (recording->header.memory_only)
        fputs(
            "warpmem: the recording has memory instructions alone: what waits for a load by way of "
            "others goes on, and cycles may be far fewer than a run's\n",
            err);
}

// docs/formats/cores.md, "How it is replayed".
static void note_core_order(const struct wm_recording *recording, const struct wm_machine *machine,
                            FILE *err)
{
    if (machine->sm.warp_width == 1 && recording->header.lanes == 1 && recording->code_count != 0 &&
        wm_recorded_code_has_order(&recording->codes[0]))
        fputs("warpmem: what one core waits for of another is not kept by the clock engine: hits, "
              "misses and cycles may differ from a run's\n",
              err);
}

static void note_threads(const struct wm_recording *recording, const struct wm_variants *variants,
                         FILE *err)
{
    for (uint32_t i = 0; i < variants->count && recording->cores_section != 0; i++) {
        const struct wm_machine *machine = variants->variants[i].machine;
        if (machine->memory.core_count != 0)
            continue;
        fprintf(err,
                "warpmem: machine %s has no CPU cores beside its SMs: the recording's threads are "
                "left out\n",
                machine->name);
        return;
    }
}

static void note_waits(const struct wm_recording *recording, bool clock, FILE *err)
{
    for (uint32_t c = 0; c < recording->code_count; c++) {
        const struct wm_recorded_code *code = &recording->codes[c];
        for (uint32_t pc = 0; pc < code->instruction_count; pc++) {
            const struct wm_recorded_instruction *it = &code->instructions[pc];
            bool unkept = is_unkept_wait(it);
            if (!unkept && !(clock && is_poll(it)))
                continue;
            fprintf(err, "warpmem: kernel %s waits by %.*s, %s\n", code->name,
                    (int)strcspn(it->text, " \t"), it->text,
                    unkept ? "where a replay does not: the order of its warps, and with it hits, "
                             "misses and cycles, may differ from a run's"
                           : "which a replay makes as often as it was made when it was recorded: "
                             "cycles may differ much from a run's");
            return;
        }
    }
}

// Whether the text names the register, and not one whose name is longer.
static bool names_register(const char *text, const char *name, size_t length)
{
    for (const char *at = text; (at = strstr(at, "%")) != NULL; at++)
        if (strncmp(at, name, length) == 0 && strspn(at + length, "0123456789_") == 0)
            return true;
    return false;
}

// An atomic whose old value another instruction of the kernel reads: which lanes take which way,
// and how often, may then depend on who came first.
static bool returns_what_is_read(const struct wm_recorded_code *code, uint32_t pc)
{
    const char *text = code->instructions[pc].text;
    if (strncmp(text, "atom.", 5) != 0)
        return false;
    const char *name = text + strcspn(text, " \t");
    name += strspn(name, " \t");
    size_t length = strcspn(name, ", ");
    for (uint32_t other = 0; *name == '%' && other < code->instruction_count; other++)
        if (other != pc && code->instructions[other].exists &&
            names_register(code->instructions[other].text, name, length))
            return true;
    return false;
}

// A recording has the ways that its program went when it was recorded, in the order of the walk.
// In time warps come in another one.
static void note_order(const struct wm_recording *recording, FILE *err)
{
    for (uint32_t c = 0; c < recording->code_count; c++) {
        const struct wm_recorded_code *code = &recording->codes[c];
        for (uint32_t pc = 0; pc < code->instruction_count; pc++) {
            const struct wm_recorded_instruction *it = &code->instructions[pc];
            if (!it->exists || !returns_what_is_read(code, pc))
                continue;
            fprintf(err,
                    "warpmem: kernel %s reads what %.*s returns, which depends on the order of its "
                    "warps and was recorded: instructions and cycles may differ from a run's\n",
                    code->name, (int)strcspn(it->text, " \t"), it->text);
            return;
        }
    }
}

// NULL: an error.
static struct wm_recording *open_recording(const struct wm_invocation *invocation, const char *path,
                                           struct wm_error *error)
{
    const struct replay_values *values = invocation->values;
    struct wm_recording *recording = malloc(sizeof *recording);
    if (recording == NULL) {
        wm_fail_no_memory(error, "a recording");
        return NULL;
    }
    if (wm_recording_or_trace_open(recording, path, values->quiet ? NULL : invocation->err,
                                   error) == WM_OK)
        return recording;
    free(recording);
    return NULL;
}

static void close_recording(struct wm_recording *recording)
{
    if (recording != NULL)
        wm_recording_close(recording);
    free(recording);
}

// `out`: where the text goes that is in no file.
static enum wm_status replay(const struct wm_invocation *invocation, struct wm_variants *variants,
                             const struct wm_engine_choice *engine,
                             const struct wm_launch_filter *filter, FILE *out,
                             struct wm_error *error)
{
    const struct replay_values *values = invocation->values;
    struct wm_recording *recording = open_recording(invocation, invocation->operands[0], error);
    if (recording == NULL)
        return error->status;
    struct wm_recording *cores = NULL;
    enum wm_status status = WM_OK;
    if (values->cores != NULL && (cores = open_recording(invocation, values->cores, error)) == NULL)
        status = error->status;
    if (status == WM_OK) {
        struct wm_session_options options = {.memory = true,
                                             .clock = engine->clock,
                                             .sample_cycles = engine->sample_cycles,
                                             .explain = values->explain,
                                             .profiled = values->profiled,
                                             .filter = filter,
                                             .per_launch = values->chosen.per_launch,
                                             .block_map = values->chosen.block_map,
                                             .core_recording = cores,
                                             .serial_streams = values->serial_streams,
                                             .no_host_threads = values->no_host_threads,
                                             .progress = !values->quiet};
        // Said before anything is replayed.
        if (!recording->file.complete)
            status = wm_recording_require_whole(recording, error);
        if (status == WM_OK && !values->quiet)
            note_waits(recording, engine->clock, invocation->err);
        if (status == WM_OK && !values->quiet && engine->clock)
            note_order(recording, invocation->err);
        if (status == WM_OK && !values->quiet && engine->clock)
            note_memory_only(recording, invocation->err);
        if (status == WM_OK && !values->quiet && engine->clock)
            note_core_order(recording, variants->variants->machine, invocation->err);
        if (status == WM_OK && !values->quiet && !values->no_host_threads)
            note_threads(recording, variants, invocation->err);
        if (status == WM_OK)
            status = wm_variants_replay(variants, recording, &options, error);
        for (uint32_t i = 0; i < variants->count && status == WM_OK; i++)
            status = deliver(values, variants, i, out, error);
    }
    close_recording(cores);
    close_recording(recording);
    return status;
}

static int run(const struct wm_invocation *invocation)
{
    const struct replay_values *values = invocation->values;
    struct wm_engine_choice engine;
    bool standard;
    if (values->quiet && values->report)
        return wm_command_misuse(invocation, "--quiet and --report contradict each other");
    int misuse = wm_engine_options_read(invocation, &values->engine, &engine);
    if (misuse != WM_EXIT_OK)
        return misuse;
    struct wm_error error;
    wm_error_clear(&error);
    const struct wm_output_option outputs[] = {{"--json", values->json},
                                               {"--csv", values->csv},
                                               {"--timeline", values->engine.timeline},
                                               {"--report", values->report}};
    enum { OUTPUTS = sizeof outputs / sizeof outputs[0] };
    if (wm_output_options_check(outputs, OUTPUTS, &standard, &error) != WM_OK ||
        wm_output_options_avoid_inputs(outputs, OUTPUTS, invocation->operands,
                                       invocation->operand_count, &error) != WM_OK)
        return wm_command_fail(invocation, &error);
    struct wm_variants variants;
    struct wm_launch_filter filter;
    bool filtered;
    const struct wm_variants_options options = {.machines = &values->machines,
                                                .settings = &values->settings,
                                                .variants = &values->variants,
                                                .plugins = &values->plugins,
                                                .threads = values->threads,
                                                .clock = engine.clock,
                                                .explain = values->explain};
    enum wm_status status = wm_variants_init(&variants, &options, &error);
    if (status == WM_OK) {
        FILE *out = standard && !values->report ? invocation->err : invocation->out;
        status = wm_launch_options_read(&values->chosen, &filter, &filtered, &error);
        if (status == WM_OK)
            status = replay(invocation, &variants, &engine, filtered ? &filter : NULL, out, &error);
        wm_launch_filter_release(&filter);
    }
    wm_variants_release(&variants);
    return status == WM_OK ? WM_EXIT_OK : wm_command_fail(invocation, &error);
}

#define VALUE(name) offsetof(struct replay_values, name)
static const struct wm_option options[] = {
    {'m', "machine", WM_OPTION_LIST, "NAME", VALUE(machines),
     "the machine: a preset, or a file with a slash or .yaml in its name (default v100); may be "
     "given again, for several at once",
     WM_COMPLETES_MACHINES},
    WM_SETTING_OPTION(struct replay_values),
    {0, "variant", WM_OPTION_LIST, "KEY=VALUE,…", VALUE(variants),
     "replay on each machine with these settings too; may be given again", WM_COMPLETES_SETTINGS},
    WM_PLUGIN_OPTION(struct replay_values),
    {'j', "threads", WM_OPTION_ARGUMENT, "N", VALUE(threads),
     "threads that machines and a machine's parts are divided among (default: one a processor); "
     "the "
     "numbers do not depend on it",
     WM_COMPLETES_NOTHING},
    WM_ENGINE_OPTIONS(struct replay_values),
    {0, "report", WM_OPTION_ARGUMENT, "FILE", VALUE(report),
     "write the report to FILE instead of standard output (-)", WM_COMPLETES_FILES},
    {0, "json", WM_OPTION_ARGUMENT, "FILE", VALUE(json), "write everything counted as JSON",
     WM_COMPLETES_FILES},
    {0, "csv", WM_OPTION_ARGUMENT, "FILE", VALUE(csv), "write everything counted as CSV",
     WM_COMPLETES_FILES},
    {0, "explain", WM_OPTION_FLAG, NULL, VALUE(explain),
     "explain misses (cold, capacity, conflict, who evicted) and count bank conflicts",
     WM_COMPLETES_NOTHING},
    {0, "cores", WM_OPTION_ARGUMENT, "FILE", VALUE(cores),
     "what the machine's CPU cores run meanwhile: a recording or trace of CPU cores",
     WM_COMPLETES_FILES},
    {0, "no-host-threads", WM_OPTION_FLAG, NULL, VALUE(no_host_threads),
     "leave out the program's own threads, which warpmem record --host-threads has kept",
     WM_COMPLETES_NOTHING},
    WM_SERIAL_STREAMS_OPTION(struct replay_values),
    WM_LAUNCH_FILTER_OPTIONS(struct replay_values),
    WM_PER_LAUNCH_OPTION(struct replay_values),
    WM_BLOCK_MAP_OPTION(struct replay_values),
    WM_PROFILED_OPTION(struct replay_values),
    {'q', "quiet", WM_OPTION_FLAG, NULL, VALUE(quiet), "print no report", WM_COMPLETES_NOTHING},
};

static const struct wm_usage usage = {
    .synopsis = "[options] RECORDING",
    .description =
        "Drives a recording that warpmem record made, or warpmem import, through a machine, and "
        "reports as warpmem run does. With several machines or variants the recording is read "
        "once; the second one's files are named out.2.json, the third one's out.3.json.",
    .examples = "warpmem replay app.wmt -m v100\n"
                "warpmem replay app.wmt -m v100 -m h100 --json app.json --quiet\n"
                "warpmem replay app.wmt --variant gpu.l1.replacement=srrip "
                "--variant gpu.l1.replacement=opt",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct replay_values),
    .min_operands = 1,
    .max_operands = 1,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_replay = {
    .name = "replay",
    .summary = "drive a recording through machines and report",
    .usage = &usage,
    .run = run,
};
