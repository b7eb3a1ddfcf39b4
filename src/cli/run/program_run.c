#include "cli/run/program_run.h"

#include "cli/framework/absolute_path.h"
#include "cli/framework/write_signals.h"
#include "cli/parts/machine_text.h"
#include "cli/process/child_process.h"
#include "cli/process/resources.h"
#include "cli/process/work_folder.h"
#include "cli/run/outputs.h"
#include "cli/run/program_check.h"
#include "engine/session/session.h"
#include "exec/warp_width.h"
#include "machine/machine.h"
#include "mem/system/memory.h"
#include "study/run_report/report.h"
#include "study/run_report/report_file.h"
#include "study/run_report/width.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Everything of a run that has been checked before the program starts.
struct plan {
    struct wm_arena arena;
    const struct wm_program_run *asked;
    char program[PATH_MAX];
    struct wm_work_folder folder;
    char libraries[PATH_MAX], machines[PATH_MAX];
    char auditor[PATH_MAX + 32]; // for runtimes that are linked into programs
    const char *machine, *settings, *plugins, *kernels;
    struct wm_run_outputs outputs;
    struct wm_program_file_info facts;
    struct wm_limits limits;
};

// ---- Planning ----------------------------------------------------------------------------------

// A file that a setting names is named by its absolute path: the program may change its folder.
static void add_setting(const char *setting, struct wm_text *text)
{
    char folder[PATH_MAX];
    const char *value = wm_machine_setting_file(setting);
    if (value && value[0] != '/' && getcwd(folder, sizeof folder))
        wm_text_format(text, "%.*s%s/%s\n", (int)(value - setting), setting, folder, value);
    else
        wm_text_format(text, "%s\n", setting);
}

static enum wm_status plan_settings(struct plan *plan, struct wm_error *error)
{
    const struct wm_option_list *list = &plan->asked->values->settings;
    struct wm_text text;
    wm_text_init(&text);
    for (uint32_t i = 0; i < list->count; i++) {
        if (strchr(list->items[i], '\n')) {
            wm_text_release(&text);
            wm_fail(error, WM_INVALID, "a setting is one line");
            return wm_error_place(error, "--set");
        }
        add_setting(list->items[i], &text);
    }
    plan->settings = "";
    if (text.data)
        plan->settings = wm_arena_copy_text(&plan->arena, text.data, text.length);
    bool failed = text.failed || !plan->settings;
    wm_text_release(&text);
    return failed ? wm_fail_no_memory(error, "the settings") : WM_OK;
}

// The machine is checked here with the plug-ins that the program's runtime will load again.
static enum wm_status check_machine(struct plan *plan, struct wm_error *error)
{
    const struct wm_program_run *asked = plan->asked;
    struct wm_plugins plugins;
    struct wm_machine *machine = WM_ARENA_NEW(&plan->arena, struct wm_machine);
    if (!machine)
        return wm_fail_no_memory(error, "the machine");
    WM_TRY(wm_plugin_option_load(&asked->values->plugins, &plugins, error));
    enum wm_status status =
        wm_machine_load_with(&plugins, plan->machine, asked->values->settings.items,
                             asked->values->settings.count, machine, error);
    wm_plugins_release(&plugins);
    if (status == WM_OK)
        status = wm_program_check_width(machine->sm.warp_width, error);
    if (status != WM_OK)
        return status;
    // A recording simulates memory only where the machine's order depends on it.
    bool ordered = asked->record && !asked->record_any_order;
    const struct wm_session_options options = {
        .memory = asked->memory || (ordered && wm_engine_order_needs_memory(machine)),
        .clock = asked->clock,
        .explain = asked->explain,
    };
    status = wm_engine_check(machine, &options, error);
    if (status == WM_UNSUPPORTED && !asked->clock && asked->record)
        wm_error_hint(error, "record with --any-order, or on another machine; warpmem replay "
                             "--engine clock drives it through this one");
    else if (status == WM_UNSUPPORTED && !asked->clock && asked->annotate)
        wm_error_hint(error, "annotate another machine: this one runs under warpmem run "
                             "--engine clock alone");
    return status;
}

// The plug-ins' files by absolute path, one a line: the program may change its folder.
static enum wm_status plan_plugins(struct plan *plan, struct wm_error *error)
{
    const struct wm_option_list *list = &plan->asked->values->plugins;
    struct wm_text text;
    wm_text_init(&text);
    enum wm_status status = WM_OK;
    for (uint32_t i = 0; i < list->count && status == WM_OK; i++) {
        const char *path;
        status = wm_absolute_path(&plan->arena, list->items[i], &path, error);
        if (status == WM_OK && strchr(path, '\n')) {
            wm_fail(error, WM_INVALID, "the path of a plug-in is one line");
            status = wm_error_place(error, "--plugin");
        }
        if (status == WM_OK)
            wm_text_format(&text, "%s\n", path);
    }
    plan->plugins = "";
    if (text.data)
        plan->plugins = wm_arena_copy_text(&plan->arena, text.data, text.length);
    bool failed = text.failed || !plan->plugins;
    wm_text_release(&text);
    return failed ? wm_fail_no_memory(error, "the plug-ins") : status;
}

static enum wm_status plan_machine(struct plan *plan, struct wm_error *error)
{
    const struct wm_program_run *asked = plan->asked;
    plan->machine = asked->values->machine ? asked->values->machine : "v100";
    WM_TRY(wm_resource_find(WM_RESOURCE_MACHINES, plan->machines, sizeof plan->machines, error));
    WM_TRY(check_machine(plan, error));
    if (strchr(plan->machine, '/') || strstr(plan->machine, ".yaml"))
        WM_TRY(wm_absolute_path(&plan->arena, plan->machine, &plan->machine, error));
    WM_TRY(plan_plugins(plan, error));
    return plan_settings(plan, error);
}

// What chooses launches is read again by the program's process; here, before there is one.
static enum wm_status plan_launches(struct plan *plan, struct wm_error *error)
{
    static const struct wm_launch_values none;
    struct wm_launch_filter filter;
    bool wanted;
    const struct wm_launch_values *chosen = plan->asked->chosen ? plan->asked->chosen : &none;
    enum wm_status status = wm_launch_options_read(chosen, &filter, &wanted, error);
    wm_launch_filter_release(&filter);
    WM_TRY(status);
    return wm_launch_options_lines(chosen, &plan->arena, &plan->kernels, error);
}

// The library is beside the others, unless $WARPMEM_CUDA_LIBRARIES names a folder that lacks it:
// the dynamic loader of every process would say so, whether it matters or not.
static enum wm_status plan_auditor(struct plan *plan, struct wm_error *error)
{
    snprintf(plan->auditor, sizeof plan->auditor, "%s/libwarpmem-linked-runtime.so",
             plan->libraries);
    if (access(plan->auditor, R_OK) == 0)
        return WM_OK;
    if (plan->facts.static_cudart) {
        wm_fail(error, WM_NOT_FOUND, "no library for CUDA runtimes that are linked into programs");
        return wm_error_place(error, "%.200s", plan->auditor);
    }
    plan->auditor[0] = '\0';
    return WM_OK;
}

static enum wm_status make_plan(struct plan *plan, const struct wm_invocation *invocation,
                                struct wm_error *error)
{
    const struct wm_program_run *asked = plan->asked;
    WM_TRY(plan_machine(plan, error));
    WM_TRY(plan_launches(plan, error));
    WM_TRY(wm_limit_options_read(&asked->values->limits, &plan->limits, error));
    WM_TRY(wm_resource_find(WM_RESOURCE_CUDA_LIBRARIES, plan->libraries, sizeof plan->libraries,
                            error));
    WM_TRY(wm_program_find(invocation->operands[0], plan->program, sizeof plan->program, error));
    WM_TRY(wm_run_outputs_plan(asked, plan->program, &plan->arena, &plan->outputs, error));
    WM_TRY(wm_program_check(plan->program, &plan->facts, error));
    WM_TRY(plan_auditor(plan, error));
    return wm_work_folder_make("run", &plan->folder, error);
}

// ---- Running -----------------------------------------------------------------------------------

// A list of a variable with `added` at its front or its end.
static const char *extended(struct wm_arena *arena, const char *name, const char *added, bool front)
{
    const char *old = getenv(name);
    if (!old || !old[0])
        return wm_arena_copy_text(arena, added, strlen(added));
    size_t length = strlen(added) + strlen(old) + 2;
    char *text = wm_arena_alloc(arena, length, 1);
    if (text)
        snprintf(text, length, "%s:%s", front ? added : old, front ? old : added);
    return text;
}

enum { MOST_VARIABLES = 40 };

// What the program's process reads (src/cuda/run/environment.h), and its dynamic loader before.
struct environment {
    const char *words[2 * MOST_VARIABLES]; // name, value, …; a NULL value removes
    uint32_t count;                        // variables
    char columns[16], sample[24];
};

static void set(struct environment *environment, const char *name, const char *value)
{
    assert(environment->count < MOST_VARIABLES);
    const char **words = &environment->words[2 * environment->count++];
    words[0] = name;
    words[1] = value;
}

static void set_flag(struct environment *environment, const char *name, bool value)
{
    set(environment, name, value ? "1" : "0");
}

// How the loader finds our libraries in place of NVIDIA's.
static enum wm_status set_loading(struct plan *plan, struct environment *environment,
                                  struct wm_error *error)
{
    struct wm_arena *arena = &plan->arena;
    char preload[PATH_MAX + 32];
    // DT_RPATH is searched before LD_LIBRARY_PATH: then the library is loaded beforehand (and the
    // runtime's brings the driver's), and its soname satisfies the program. At the end: a
    // sanitizer's library wants to be first.
    if (plan->facts.cudart)
        snprintf(preload, sizeof preload, "%s/libcudart.so.%u%s", plan->libraries,
                 plan->facts.cudart, plan->facts.cudart == 11 ? ".0" : "");
    else
        snprintf(preload, sizeof preload, "%s/libcuda.so.1", plan->libraries);
    bool needs_preload = (plan->facts.cudart || plan->facts.driver) && plan->facts.fixed_run_path;
    const char *library_path = extended(arena, "LD_LIBRARY_PATH", plan->libraries, true);
    // For a runtime that is linked into the program, a library of it or a program that it starts.
    const char *auditors =
        plan->auditor[0] ? extended(arena, "LD_AUDIT", plan->auditor, false) : getenv("LD_AUDIT");
    const char *preloaded =
        needs_preload ? extended(arena, "LD_PRELOAD", preload, false) : getenv("LD_PRELOAD");
    if (!library_path || (plan->auditor[0] && !auditors) || (needs_preload && !preloaded))
        return wm_fail_no_memory(error, "the program's environment");
    set(environment, "LD_LIBRARY_PATH", library_path);
    set(environment, "LD_PRELOAD", preloaded);
    set(environment, "LD_AUDIT", auditors);
    return WM_OK;
}

// The machine, and what is simulated of it.
static void set_machine(const struct plan *plan, struct environment *environment)
{
    const struct wm_program_run *asked = plan->asked;
    snprintf(environment->sample, sizeof environment->sample, "%" PRIu64, asked->sample_cycles);
    set(environment, "WARPMEM_MACHINES", plan->machines);
    set(environment, "WARPMEM_MACHINE", plan->machine);
    set(environment, "WARPMEM_SET", plan->settings);
    set(environment, "WARPMEM_PLUGINS", plan->plugins);
    set_flag(environment, "WARPMEM_MEMORY", asked->memory);
    set(environment, "WARPMEM_ENGINE", asked->clock ? "clock" : "walk");
    set(environment, "WARPMEM_SAMPLE", environment->sample);
    set(environment, "WARPMEM_CHECK", asked->checks);
    set_flag(environment, "WARPMEM_EXPLAIN", asked->explain);
    set_flag(environment, "WARPMEM_SERIAL_STREAMS", asked->serial_streams);
    set(environment, "WARPMEM_LIMIT_INSTRUCTIONS", plan->limits.instructions);
    set(environment, "WARPMEM_LIMIT_TIME", plan->limits.ns);
}

// Which launches are counted.
static void set_launches(const struct plan *plan, struct environment *environment)
{
    static const struct wm_launch_values every;
    const struct wm_launch_values *chosen = plan->asked->chosen ? plan->asked->chosen : &every;
    set_flag(environment, "WARPMEM_PROFILED", plan->asked->profiled);
    set(environment, "WARPMEM_KERNELS", plan->kernels);
    set(environment, "WARPMEM_LAUNCHES", chosen->launches);
    set(environment, "WARPMEM_LAUNCH_SKIP", chosen->skip);
    set(environment, "WARPMEM_LAUNCH_COUNT", chosen->count);
    set_flag(environment, "WARPMEM_PER_LAUNCH", chosen->per_launch);
}

// Where results go, and their form.
static void set_outputs(const struct plan *plan, struct environment *environment)
{
    const struct wm_program_run *asked = plan->asked;
    unsigned width = wm_report_width(strcmp(plan->outputs.report, "-") == 0 ? STDOUT_FILENO : -1);
    snprintf(environment->columns, sizeof environment->columns, "%u",
             width == WM_REPORT_UNLIMITED ? 0 : width);
    set_flag(environment, "WARPMEM_PROGRESS", !asked->values->quiet);
    set(environment, "WARPMEM_RUN_FOLDER", plan->folder.path);
    set(environment, "WARPMEM_COLUMNS", environment->columns);
    set(environment, "WARPMEM_RECORD", plan->outputs.record);
    set_flag(environment, "WARPMEM_RECORD_MEMORY_ONLY", asked->record_memory_only);
    set_flag(environment, "WARPMEM_RECORD_ANY_ORDER", asked->record_any_order);
    set(environment, "WARPMEM_REPORT", NULL);
    set_flag(environment, "WARPMEM_ANNOTATE", asked->annotate);
    set(environment, "WARPMEM_MEASURE", asked->measure);
    set_flag(environment, "WARPMEM_INLINE_CHAIN", asked->inline_chain);
    for (size_t i = 0; i < WM_RUN_OUTPUTS; i++)
        set(environment, asked->outputs[i].variable, plan->outputs.paths[i]);
}

static enum wm_status start_program(struct plan *plan, const struct wm_invocation *invocation,
                                    struct wm_child_end *end, struct wm_error *error)
{
    struct environment environment = {.count = 0};
    const char **arguments =
        WM_ARENA_ARRAY(&plan->arena, const char *, invocation->operand_count + 1);
    if (!arguments)
        return wm_fail_no_memory(error, "the program's arguments");
    for (uint32_t i = 0; i < invocation->operand_count; i++)
        arguments[i] = invocation->operands[i];
    WM_TRY(set_loading(plan, &environment, error));
    set_machine(plan, &environment);
    set_launches(plan, &environment);
    set_outputs(plan, &environment);
    const struct wm_child child = {
        .path = plan->program,
        .arguments = arguments,
        .environment = environment.words,
        .environment_count = environment.count,
        .output_to_error = plan->outputs.standard || plan->asked->output_to_error,
    };
    return wm_child_run(&child, end, error);
}

int wm_program_run(const struct wm_program_run *asked, const struct wm_invocation *invocation)
{
    if (asked->values->quiet && asked->values->report)
        return wm_command_misuse(invocation, "--quiet and --report contradict each other");
    struct plan *plan = calloc(1, sizeof *plan);
    struct wm_child_end end = {0, 0};
    struct wm_error error;
    wm_error_clear(&error);
    if (!plan) {
        wm_fail_no_memory(&error, "running a program");
        return wm_command_fail(invocation, &error);
    }
    wm_arena_init(&plan->arena);
    plan->asked = asked;
    int status = WM_EXIT_MISUSE; // of everything before the program has started
    if (make_plan(plan, invocation, &error) != WM_OK ||
        start_program(plan, invocation, &end, &error) != WM_OK) {
        wm_command_fail(invocation, &error);
    } else {
        status = wm_run_outputs_deliver(&plan->outputs, plan->folder.path, plan->program, &end,
                                        invocation);
    }
    bool reader_left = plan->outputs.reader_left;
    wm_run_outputs_release(&plan->outputs);
    wm_work_folder_remove(&plan->folder);
    wm_arena_release(&plan->arena);
    free(plan);
    if (reader_left)
        wm_write_signals_end_by_pipe();
    return status;
}
