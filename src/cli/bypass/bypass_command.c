// warpmem bypass: decides for each global load of a program whether it is to use L1, and shows why.
#include "base/containers/array.h"
#include "bypass/forced_loads.h"
#include "cli/bypass/formats.h"
#include "cli/bypass/outputs.h"
#include "cli/bypass/partition.h"
#include "cli/commands.h"
#include "cli/options/output_option.h"
#include "cli/options/report_option.h"
#include "cli/options/thread_option.h"
#include "cli/parts/machine_text.h"
#include "cli/process/work_folder.h"
#include "cli/run/annotate_recording.h"
#include "cli/run/program_run.h"
#include "trace/recording_state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum measure { MEASURE_WALK, MEASURE_CLOCK, MEASURE_NONE, MEASURES };
static const char *const measure_names[MEASURES] = {"walk", "clock", "none"};

struct bypass_values {
    struct wm_run_values common;
    struct wm_launch_values chosen;
    const char *json, *html, *solver, *efficiency, *measure, *threads;
    struct wm_option_list loads;
    bool all_sets;
    bool hints;
    struct wm_bypass_outputs outputs;
    struct wm_bypass_partition_words partition;
};

// Everything of one run of the command; NULL until it is made.
struct bypassing {
    const struct wm_invocation *invocation;
    const struct bypass_values *values;
    struct wm_plugins plugins;
    struct wm_machine *machine;
    struct wm_launch_filter filter;
    bool filtered, standard; // a file of the command goes to standard output
    uint32_t threads;
    enum measure measure;
    struct wm_bypass_options options;
    struct wm_bypass_partitioning partitioning;
    struct wm_work_folder folder;
    char path[PATH_MAX + 16]; // of the recording
    struct wm_recording *recording;
    bool open;
    struct wm_bypass_program program;
    struct wm_bypass_measured *measured;
    struct wm_bypass_all_sets *all_sets;
    struct wm_bypass_hints hints;
    struct wm_bypass_report report;
};

// --- What the options say ---

static enum wm_status read_word(const char *option, const char *word, const char *const *words,
                                uint32_t first, uint32_t end, uint32_t *number,
                                struct wm_error *error)
{
    struct wm_text all;
    for (uint32_t i = first; word != NULL && i < end; i++)
        if (strcmp(word, words[i]) == 0) {
            *number = i;
            return WM_OK;
        }
    if (word == NULL)
        return WM_OK;
    wm_text_init(&all);
    for (uint32_t i = first; i < end; i++)
        wm_text_format(&all, "%s%s", i > first ? ", " : "", words[i]);
    wm_fail(error, WM_INVALID, "\"%s\" is none of %s", word, all.failed ? "these" : all.data);
    wm_text_release(&all);
    return wm_error_place(error, "%s", option);
}

static enum wm_status read_forces(const struct bypass_values *values, uint32_t solver,
                                  struct wm_bypass_options *options, struct wm_error *error)
{
    options->forces = (const char *const *)values->loads.items;
    options->force_count = values->loads.count;
    if (values->loads.count > 0 && solver != WM_BYPASS_HEURISTIC && solver != WM_BYPASS_EXACT) {
        wm_fail(error, WM_INVALID, "%s decides all loads alike, and leaves none to be forced",
                wm_bypass_solver_names[solver]);
        wm_error_place(error, "--load");
        return wm_error_hint(error, "choose --solver exact or heuristic");
    }
    return wm_bypass_forces_check(options->forces, options->force_count, error);
}

static enum wm_status check_outputs(struct bypassing *it, struct wm_error *error)
{
    const struct wm_output_option outputs[] = {{"--json", it->values->json},
                                               {"--html", it->values->html},
                                               {"--output", it->values->outputs.output},
                                               {"--decisions", it->values->outputs.decisions},
                                               {"--fit", it->values->partition.fit},
                                               {"--report", it->values->common.report}};
    WM_TRY(wm_bypass_outputs_check(&it->values->outputs,
                                   wm_is_recording(it->invocation->operands[0]), error));
    return wm_output_options_check(outputs, sizeof outputs / sizeof outputs[0], &it->standard,
                                   error);
}

// Hints are found by measuring, on a machine whose GPU knows some.
static enum wm_status check_hints(const struct bypassing *it, struct wm_error *error)
{
    if (!it->values->hints)
        return WM_OK;
    if (it->measure != MEASURE_NONE)
        return wm_bypass_hints_check(it->machine, error);
    wm_fail(error, WM_INVALID, "hints are chosen by what they are measured to save");
    wm_error_place(error, "--hints");
    return wm_error_hint(error, "leave --measure none out");
}

static enum wm_status prepare(struct bypassing *it, struct wm_error *error)
{
    const struct bypass_values *values = it->values;
    uint32_t solver = WM_BYPASS_EXACT, source = WM_EFFICIENCY_PROFILED, how = MEASURE_WALK;
    WM_TRY(read_word("--solver", values->solver, wm_bypass_solver_names, 0, WM_BYPASS_SOLVERS,
                     &solver, error));
    WM_TRY(read_word("--efficiency", values->efficiency, wm_efficiency_source_names, 0,
                     WM_EFFICIENCY_SOURCES, &source, error));
    WM_TRY(read_word("--measure", values->measure, measure_names, 0, MEASURES, &how, error));
    WM_TRY(wm_thread_option_read(values->threads, &it->threads, error));
    WM_TRY(check_outputs(it, error));
    WM_TRY(wm_plugin_option_load(&values->common.plugins, &it->plugins, error));
    WM_TRY(wm_launch_options_read(&values->chosen, &it->filter, &it->filtered, error));
    it->machine = malloc(sizeof *it->machine);
    if (it->machine == NULL)
        return wm_fail_no_memory(error, "the machine");
    const char *name = values->common.machine != NULL ? values->common.machine : "v100";
    WM_TRY(wm_machine_load_with(&it->plugins, name,
                                (const char *const *)values->common.settings.items,
                                values->common.settings.count, it->machine, error));
    WM_TRY(wm_load_profile_check(it->machine, error));
    WM_TRY(wm_bypass_partition_read(&values->partition, it->machine, &it->partitioning, error));
    it->measure = (enum measure)how;
    WM_TRY(check_hints(it, error));
    it->options = (struct wm_bypass_options){.source = (enum wm_efficiency_source)source,
                                             .filter = it->filtered ? &it->filter : NULL,
                                             .progress = !values->common.quiet};
    WM_TRY(read_forces(values, solver, &it->options, error));
    it->report = (struct wm_bypass_report){.machine = it->machine,
                                           .program = &it->program,
                                           .solver = (enum wm_bypass_solver)solver,
                                           .clock = how == MEASURE_CLOCK,
                                           .words = it->invocation->operands,
                                           .word_count = it->invocation->operand_count};
    return WM_OK;
}

// --- The recording ---

static int check_recording(const struct bypassing *it)
{
    const struct wm_invocation *invocation = it->invocation;
    const struct wm_run_values *values = &it->values->common;
    if (invocation->operand_count > 1)
        return wm_command_misuse(invocation, "a recording has no arguments");
    if (values->limits.instructions != NULL || values->limits.time != NULL || values->fail_on_error)
        return wm_command_misuse(invocation,
                                 "a recording runs no program: no limits and no --fail-on-error");
    return WM_EXIT_OK;
}

// What the program did is not what it does when it works: its loads are not decided.
static void print_undecided(const struct bypassing *it, int status)
{
    if (access(it->path, F_OK) == 0)
        fprintf(it->invocation->err,
                "warpmem: nothing is decided, as the program ended with status %d\n", status);
}

// Runs the program, which is recorded, unless the operand is a recording itself. Returns the
// program's exit status.
static int record(struct bypassing *it, struct wm_error *error)
{
    const struct wm_invocation *invocation = it->invocation;
    if (wm_is_recording(invocation->operands[0])) {
        snprintf(it->path, sizeof it->path, "%s", invocation->operands[0]);
        return check_recording(it);
    }
    if (wm_work_folder_make("bypass", &it->folder, error) != WM_OK)
        return wm_command_fail(invocation, error);
    snprintf(it->path, sizeof it->path, "%s/program.wmt", it->folder.path);
    it->options.name = invocation->operands[0];
    struct wm_run_values values = it->values->common;
    const char *report = values.report; // with "-" the text stands behind what the program says
    values.quiet = true;
    values.report = NULL;
    const struct wm_program_run request = {
        .values = &values,
        .record = it->path,
        .record_memory_only = !it->report.clock,
        .record_any_order = true,
        .no_report = true,
        .output_to_error = it->standard && (report == NULL || strcmp(report, "-") != 0),
    };
    int status = wm_program_run(&request, invocation);
    if (status != WM_EXIT_OK)
        print_undecided(it, status);
    return status;
}

static enum wm_status open_recording(struct bypassing *it, struct wm_error *error)
{
    it->recording = malloc(sizeof *it->recording);
    if (it->recording == NULL)
        return wm_fail_no_memory(error, "a recording");
    WM_TRY(wm_recording_open(it->recording, it->path, error));
    it->open = true;
    return wm_recording_require_whole(it->recording, error);
}

// --- Deciding and printing ---

static enum wm_status write_all(const struct bypassing *it, struct wm_error *error)
{
    const struct bypass_values *values = it->values;
    const char *path = values->common.report;
    struct wm_text text;
    wm_text_init(&text);
    wm_bypass_text(&it->report, wm_report_option_width(path), &text);
    enum wm_status status = WM_OK;
    if (values->json != NULL)
        status = wm_bypass_json(&it->report, values->json, error);
    if (status == WM_OK && values->html != NULL)
        status = wm_bypass_html(&it->report, values->html, error);
    if (status == WM_OK)
        status = wm_bypass_outputs_write(&values->outputs, &it->report, it->invocation->operands[0],
                                         &text, error);
    if (status == WM_OK && !values->common.quiet)
        status = wm_report_option_put(path, it->standard, it->invocation, &text, error);
    wm_text_release(&text);
    return status;
}

static enum wm_status find_all_sets(struct bypassing *it, struct wm_error *error)
{
    it->all_sets = calloc(it->program.kernel_count, sizeof *it->all_sets);
    if (it->all_sets == NULL)
        return wm_fail_no_memory(error, "all sets of loads");
    it->report.all_sets = it->all_sets;
    enum wm_status status = wm_bypass_find_all_sets(&it->program, it->recording, it->machine,
                                                    &it->options, it->all_sets, error);
    return status == WM_LIMIT ? wm_error_place(error, "--all-sets") : status;
}

static struct wm_partition_options partition_options(const struct bypassing *it)
{
    return (struct wm_partition_options){
        .filter = it->options.filter, .progress = it->options.progress, .threads = it->threads};
}

static enum wm_status partition(struct bypassing *it, struct wm_error *error)
{
    const struct wm_partition_options options = partition_options(it);
    struct wm_bypass_partitioning *partitioning = &it->partitioning;
    if (!partitioning->requested)
        return WM_OK;
    WM_TRY(wm_bypass_partition_choose(partitioning, it->recording, &it->plugins, &options,
                                      it->machine, error));
    it->report.partitions = &partitioning->partitions;
    it->report.model = partitioning->model_name[0] != '\0' ? partitioning->model_name : NULL;
    return WM_OK;
}

static enum wm_status decide(struct bypassing *it, struct wm_error *error)
{
    WM_TRY(open_recording(it, error));
    WM_TRY(partition(it, error));
    WM_TRY(wm_bypass_program_init(&it->program, it->recording, it->machine, &it->options, error));
    if (it->values->all_sets)
        WM_TRY(find_all_sets(it, error));
    if (it->measure != MEASURE_NONE) {
        WM_TRY(WM_ARRAY_NEW(it->measured, it->program.kernel_count, error, "what is measured"));
        WM_TRY(wm_bypass_measure(&it->program, it->recording, it->machine, &it->plugins,
                                 it->measure == MEASURE_CLOCK, it->threads, &it->options,
                                 it->measured, error));
        it->report.measured = it->measured;
    }
    if (it->values->hints) {
        WM_TRY(wm_bypass_hints_find(&it->program, it->report.solver, it->recording, it->machine,
                                    &it->plugins, it->measure == MEASURE_CLOCK, it->threads,
                                    &it->options, &it->hints, error));
        it->report.hints = &it->hints;
    }
    // It has been read for the last time, and a pipe that nothing reads ends the process.
    wm_work_folder_remove(&it->folder);
    return write_all(it, error);
}

static void release(struct bypassing *it)
{
    wm_bypass_program_release(&it->program);
    wm_bypass_partition_release(&it->partitioning);
    wm_bypass_hints_release(&it->hints);
    if (it->open)
        wm_recording_close(it->recording);
    free(it->recording);
    free(it->measured);
    free(it->all_sets);
    free(it->machine);
    wm_launch_filter_release(&it->filter);
    wm_plugins_release(&it->plugins);
    wm_work_folder_remove(&it->folder);
}

// --- Fitting ---

// What decides loads, and what is written of them, has nothing to do with a model that is fitted.
static int check_fit(const struct bypassing *it)
{
    const struct bypass_values *values = it->values;
    const char *const given[][2] = {{"--partition", values->partition.partition},
                                    {"--model", values->partition.model},
                                    {"--json", values->json},
                                    {"--html", values->html},
                                    {"--solver", values->solver},
                                    {"--efficiency", values->efficiency},
                                    {"--measure", values->measure},
                                    {"--output", values->outputs.output},
                                    {"--decisions", values->outputs.decisions}};
    char problem[96];
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
        if (given[i][1] != NULL) {
            snprintf(problem, sizeof problem, "--fit decides no loads: no %s", given[i][0]);
            return wm_command_misuse(it->invocation, problem);
        }
    if (values->loads.count > 0)
        return wm_command_misuse(it->invocation, "--fit decides no loads: no --load");
    if (values->common.limits.instructions != NULL || values->common.limits.time != NULL ||
        values->common.fail_on_error)
        return wm_command_misuse(it->invocation, "--fit takes recordings and runs no program: no "
                                                 "limits and no --fail-on-error");
    if (it->filtered)
        return wm_command_misuse(it->invocation, "--fit takes recordings whole: no --kernel and no "
                                                 "choice of launches");
    return WM_EXIT_OK;
}

static int fit(struct bypassing *it)
{
    struct wm_bypass_fit_options options = {.path = it->values->partition.fit,
                                            .machine = it->machine,
                                            .plugins = &it->plugins,
                                            .measure = partition_options(it),
                                            .report = it->values->common.report,
                                            .quiet = it->values->common.quiet};
    options.measure.clock = true;
    int status = check_fit(it);
    return status == WM_EXIT_OK ? wm_bypass_fit(it->invocation, &options) : status;
}

static int run(const struct wm_invocation *invocation)
{
    struct bypassing it = {.invocation = invocation, .values = invocation->values};
    struct wm_error error;
    wm_error_clear(&error);
    int status = WM_EXIT_OK;
    if (it.values->common.quiet && it.values->common.report != NULL)
        return wm_command_misuse(invocation, "--quiet and --report contradict each other");
    if (it.values->partition.model != NULL && it.values->partition.partition == NULL &&
        it.values->partition.fit == NULL)
        return wm_command_misuse(invocation, "--model is that of --partition");
    if (prepare(&it, &error) != WM_OK) {
        status = wm_command_fail(invocation, &error);
    } else if (it.values->partition.fit != NULL) {
        status = fit(&it);
    } else {
        status = record(&it, &error);
        if (status == WM_EXIT_OK && decide(&it, &error) != WM_OK)
            status = wm_command_fail(invocation, &error);
    }
    release(&it);
    return status;
}

#define VALUE(name) offsetof(struct bypass_values, name)
static const struct wm_option options[] = {
    WM_RUN_OPTIONS("tables"),
    {'o', "output", WM_OPTION_ARGUMENT, "FILE", VALUE(outputs.output),
     "write the program with what was decided in its PTX, and without machine code of it; PTX "
     "alone "
     "when FILE ends in .ptx",
     WM_COMPLETES_FILES},
    {0, "decisions", WM_OPTION_ARGUMENT, "FILE", VALUE(outputs.decisions),
     "write what was decided as a list for gpu.l1.bypass_list=@FILE", WM_COMPLETES_FILES},
    {0, "html", WM_OPTION_ARGUMENT, "FILE", VALUE(html),
     "write the same as one self-contained page, the graphs drawn", WM_COMPLETES_FILES},
    {0, "json", WM_OPTION_ARGUMENT, "FILE", VALUE(json),
     "write loads, graphs and solutions as JSON", WM_COMPLETES_FILES},
    {0, "solver", WM_OPTION_ARGUMENT, "NAME", VALUE(solver),
     "what decides: exact, of all sets of loads the one that saves most (default); heuristic, the "
     "paper's; bypass-all or cache-all, without looking",
     WM_COMPLETES_SOLVERS},
    {0, "load", WM_OPTION_LIST, "[KERNEL:]N=ca|cg", VALUE(loads),
     "force load N of the table to use L1 (ca) or to go around it (cg): the solver decides the "
     "others; KERNEL, a pattern as of --kernel, where several were profiled; may be given again",
     WM_COMPLETES_NOTHING},
    {0, "hints", WM_OPTION_FLAG, NULL, VALUE(hints),
     "on GPUs of compute capability 7.0 and later: have loads say more of caches than .ca and .cg "
     "(L1::no_allocate, L1::evict_first, L1::evict_last, policies for L2), where that is measured "
     "to save 1 % or more",
     WM_COMPLETES_NOTHING},
    {0, "efficiency", WM_OPTION_ARGUMENT, "NAME", VALUE(efficiency),
     "what says how much a load moves without L1: profiled (default), exact (addresses as the PTX "
     "has them), table (the paper's Table II)",
     WM_COMPLETES_EFFICIENCIES},
    {0, "partition", WM_OPTION_ARGUMENT, "auto|SIZE", VALUE(partition.partition),
     "decide for that much shared memory of an SM, which leaves the rest of its array to L1 "
     "(32KiB), "
     "or for the one of the machine's carve-outs that a model predicts to be fastest",
     WM_COMPLETES_NOTHING},
    {0, "model", WM_OPTION_ARGUMENT, "NAME|FILE", VALUE(partition.model),
     "the model that predicts (default: the one of the machine's name)", WM_COMPLETES_FILES},
    {0, "fit", WM_OPTION_ARGUMENT, "FILE", VALUE(partition.fit),
     "decide nothing: measure recordings with each carve-out, in time too, fit a model to them and "
     "write it",
     WM_COMPLETES_FILES},
    {0, "measure", WM_OPTION_ARGUMENT, "HOW", VALUE(measure),
     "measure the solutions: walk, by bytes (default); clock, by cycles too; none",
     WM_COMPLETES_MEASURES},
    {0, "all-sets", WM_OPTION_FLAG, NULL, VALUE(all_sets),
     "of kernels with at most 10 loads to decide, count the bytes of every set of them, and say "
     "how "
     "well predictions rank them",
     WM_COMPLETES_NOTHING},
    {'j', "threads", WM_OPTION_ARGUMENT, "N", VALUE(threads),
     "threads that what is measured is divided among (default: one a processor); the numbers do "
     "not depend on it",
     WM_COMPLETES_NOTHING},
    WM_LAUNCH_FILTER_OPTIONS(struct bypass_values),
};
_Static_assert(VALUE(common) == 0, "WM_RUN_OPTIONS");

static const struct wm_usage usage = {
    .synopsis = "[options] [--] PROGRAM [arguments] | RECORDING...",
    .description =
        "Decides for each global load of a program's kernels whether it is to use L1 (.ca) or go "
        "around it (.cg), so that the fewest bytes move between L1 and L2, as Liang, Xie, Sun and "
        "Chen do it: each load is profiled alone, in pairs and with all others, which gives a "
        "graph of what loads save and cost each other; a solver chooses among its sets; and what "
        "it chose is measured next to all loads cached and all bypassed.\n"
        "The table has a row for each load, with its hit rate alone and among all, and what it "
        "saves; \"Together\" has pairs that save or cost more than the two alone; the last table "
        "has what each solver's set saves, predicted and measured, and \">\" before the one that "
        "decides. warpmem explain says what a column means: warpmem explain 'saves alone'.\n"
        "--hints continues from that decision on GPUs whose loads can say more: each tries the "
        "eviction "
        "priorities of L1 and policies for L2, heaviest first, and keeps what saves.\n"
        "The machine is one whose L1 keeps global loads (-m gtx480). There is one decision for a "
        "load's place in the PTX, over all launches of its kernel. A recording that warpmem record "
        "made is taken as the program.",
    .examples = "warpmem bypass -m gtx480 ./app\n"
                "warpmem bypass -m gtx480 --solver heuristic --measure clock ./app\n"
                "warpmem bypass -m gtx480 --html app.html --json app.json ./app\n"
                "warpmem bypass -m gtx480 -o app-bypassed ./app\n"
                "warpmem bypass -m h100 --hints -o app-hinted ./app\n"
                "warpmem bypass -m gtx480 --kernel 'reduce*' --load 1=cg ./app\n"
                "warpmem bypass -m gtx480 --kernel 'reduce*' app.wmt\n"
                "warpmem bypass -m liang-2015 --partition auto --decisions app.list ./app",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct bypass_values),
    .options_first = true,
    .min_operands = 1,
    .max_operands = UINT32_MAX,
};

const struct wm_command wm_command_bypass = {
    .name = "bypass",
    .summary = "decide which loads are to use L1",
    .usage = &usage,
    .run = run,
};
