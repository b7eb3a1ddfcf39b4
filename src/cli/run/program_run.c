#include "cli/run/program_run.h"

#include "base/run/run_settings.h"
#include "cli/framework/absolute_path.h"
#include "cli/framework/write_signals.h"
#include "cli/parts/machine_text.h"
#include "cli/process/child_process.h"
#include "cli/process/resources.h"
#include "cli/process/work_folder.h"
#include "cli/run/outputs.h"
#include "cli/run/program_check.h"
#include "cli/run/recorded_threads.h"
#include "engine/session/live_cores.h"
#include "engine/session/session.h"
#include "exec/warp_width.h"
#include "machine/machine.h"
#include "mem/system/memory.h"
#include "study/run_report/report.h"
#include "study/run_report/report_file.h"
#include "study/run_report/width.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Everything of a run that has been checked before the program starts.
struct plan {
    struct wm_arena arena;
    const struct wm_program_run *request;
    char program[PATH_MAX];
    struct wm_work_folder folder;
    char libraries[PATH_MAX], machines[PATH_MAX];
    char auditor[PATH_MAX + 32]; // for runtimes that are linked into programs
    char threads[PATH_MAX + 32]; // the trace of the program's own, for a recording
    const char *machine;
    struct wm_run_settings settings;
    struct wm_text object; // of them
    struct wm_run_outputs outputs;
    struct wm_program_file_info facts;
};

// ---- Planning ----------------------------------------------------------------------------------

// A file that a setting names is named by its absolute path: the program may change its folder.
static enum wm_status add_setting(struct plan *plan, const char *setting, struct wm_error *error)
{
    char folder[PATH_MAX];
    const char *value = wm_machine_setting_file(setting);
    struct wm_text text;
    wm_text_init(&text);
    wm_text_add(&text, setting);
    if (value && value[0] != '/' && getcwd(folder, sizeof folder)) {
        text.length = 0;
        wm_text_format(&text, "%.*s%s/%s", (int)(value - setting), setting, folder, value);
    }
    enum wm_status status =
        text.failed ? wm_fail_no_memory(error, "the settings")
                    : wm_run_settings_add(&plan->settings, &plan->settings.set, text.data, error);
    wm_text_release(&text);
    return status;
}

// The machine is checked here with the plug-ins that the program's runtime will load again.
static enum wm_status check_machine(struct plan *plan, struct wm_error *error)
{
    const struct wm_program_run *request = plan->request;
    struct wm_plugins plugins;
    struct wm_machine *machine = WM_ARENA_NEW(&plan->arena, struct wm_machine);
    if (!machine)
        return wm_fail_no_memory(error, "the machine");
    WM_TRY(wm_plugin_option_load(&request->values->plugins, &plugins, error));
    enum wm_status status =
        wm_machine_load_with(&plugins, plan->machine, request->values->settings.items,
                             request->values->settings.count, machine, error);
    wm_plugins_release(&plugins);
    if (status == WM_OK)
        status = wm_program_check_width(machine->sm.warp_width, error);
    if (status != WM_OK)
        return status;
    // A recording simulates memory only where the machine's order depends on it.
    bool ordered = request->record && !request->record_any_order;
    const struct wm_session_options options = {
        .memory = request->memory || (ordered && wm_engine_order_needs_memory(machine)),
        .clock = request->clock,
        .explain = request->explain,
    };
    if (request->host_threads && !request->record)
        WM_TRY(wm_live_cores_check(machine, &options, error));
    status = wm_engine_check(machine, &options, error);
    if (status == WM_UNSUPPORTED && !request->clock && request->record)
        wm_error_hint(error, "record with --any-order, or on another machine; warpmem replay "
                             "--engine clock drives it through this one");
    else if (status == WM_UNSUPPORTED && !request->clock && request->annotate)
        wm_error_hint(error, "annotate it in time: --engine clock");
    return status;
}

static enum wm_status plan_machine(struct plan *plan, struct wm_error *error)
{
    const struct wm_run_values *values = plan->request->values;
    struct wm_run_settings *settings = &plan->settings;
    plan->machine = values->machine ? values->machine : "v100";
    WM_TRY(wm_resource_find(WM_RESOURCE_MACHINES, plan->machines, sizeof plan->machines, error));
    WM_TRY(check_machine(plan, error));
    if (strchr(plan->machine, '/') || strstr(plan->machine, ".yaml"))
        WM_TRY(wm_absolute_path(&plan->arena, plan->machine, &plan->machine, error));
    settings->machine = plan->machine;
    for (uint32_t i = 0; i < values->plugins.count; i++) {
        const char *path;
        WM_TRY(wm_absolute_path(&plan->arena, values->plugins.items[i], &path, error));
        WM_TRY(wm_run_settings_add(settings, &settings->plugins, path, error));
    }
    for (uint32_t i = 0; i < values->settings.count; i++)
        WM_TRY(add_setting(plan, values->settings.items[i], error));
    return WM_OK;
}

// What is simulated of the machine.
static enum wm_status plan_simulation(struct plan *plan, struct wm_error *error)
{
    const struct wm_program_run *request = plan->request;
    struct wm_run_settings *settings = &plan->settings;
    struct wm_limits limits;
    WM_TRY(wm_limit_options_read(&request->values->limits, &limits, error));
    settings->limit_instructions = limits.instructions;
    settings->limit_ns = limits.ns;
    settings->memory = request->memory;
    settings->engine = request->clock ? WM_RUN_BY_CLOCK : WM_RUN_BY_WALK;
    settings->sample_cycles = request->sample_cycles;
    settings->checks = request->checks;
    settings->explain = request->explain;
    settings->serial_streams = request->serial_streams;
    settings->host_threads = request->host_threads;
    settings->profiled = request->profiled;
    return WM_OK;
}

// What chooses launches is read again by the program's process; here, before there is one.
static enum wm_status plan_launches(struct plan *plan, struct wm_error *error)
{
    const struct wm_launch_values *chosen = plan->request->chosen;
    struct wm_run_settings *settings = &plan->settings;
    struct wm_launch_filter filter;
    bool filtered;
    if (!chosen)
        return WM_OK;
    enum wm_status status = wm_launch_options_read(chosen, &filter, &filtered, error);
    wm_launch_filter_release(&filter);
    for (uint32_t i = 0; i < chosen->kernels.count && status == WM_OK; i++)
        status = wm_run_settings_add(settings, &settings->kernels, chosen->kernels.items[i], error);
    settings->launches = chosen->launches;
    settings->launch_skip = chosen->skip;
    settings->launch_count = chosen->count;
    settings->per_launch = chosen->per_launch;
    settings->block_map = chosen->block_map;
    return status;
}

// Where results go, and their form.
static enum wm_status plan_outputs(struct plan *plan, struct wm_error *error)
{
    const struct wm_program_run *request = plan->request;
    struct wm_run_settings *settings = &plan->settings;
    WM_TRY(wm_run_outputs_plan(request, plan->program, &plan->arena, &plan->outputs, error));
    unsigned width = wm_report_width(strcmp(plan->outputs.report, "-") == 0 ? STDOUT_FILENO : -1);
    settings->columns = width == WM_REPORT_UNLIMITED ? 0 : width;
    settings->progress = !request->values->quiet;
    settings->record = plan->outputs.record;
    settings->record_memory_only = request->record_memory_only;
    settings->record_any_order = request->record_any_order;
    settings->annotate = request->annotate;
    settings->inline_chain = request->inline_chain;
    for (size_t i = 0; i < WM_RUN_OUTPUTS; i++)
        if (request->outputs[i].path)
            wm_run_setting_set_text(settings, request->outputs[i].setting, plan->outputs.paths[i]);
    return wm_run_setting_read(settings, WM_RUN_SETTING_MEASURE, request->measure, error);
}

// The library lies with the others, unless $WARPMEM_CUDA_LIBRARIES names a folder that lacks it:
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

// A script's programs are known when they start.
static enum wm_status check_threads(const struct plan *plan, struct wm_error *error)
{
    if (!plan->request->host_threads || !plan->facts.elf || plan->facts.traces_host)
        return WM_OK;
    wm_fail(error, WM_INVALID,
            "its host code is not instrumented, so that its threads' loads and "
            "stores are not known");
    wm_error_place(error, "%.200s", plan->program);
    return wm_error_hint(error, "compile and link it with warpmem cc --trace-host, or leave out "
                                "--host-threads");
}

static enum wm_status make_plan(struct plan *plan, const struct wm_invocation *invocation,
                                struct wm_error *error)
{
    WM_TRY(plan_machine(plan, error));
    WM_TRY(plan_launches(plan, error));
    WM_TRY(plan_simulation(plan, error));
    WM_TRY(wm_resource_find(WM_RESOURCE_CUDA_LIBRARIES, plan->libraries, sizeof plan->libraries,
                            error));
    WM_TRY(wm_program_find(invocation->operands[0], plan->program, sizeof plan->program, error));
    WM_TRY(plan_outputs(plan, error));
    WM_TRY(wm_program_check(plan->program, &plan->facts, error));
    plan->outputs.instrumented = plan->facts.traces_host;
    WM_TRY(check_threads(plan, error));
    WM_TRY(plan_auditor(plan, error));
    WM_TRY(wm_work_folder_make("run", &plan->folder, error));
    snprintf(plan->threads, sizeof plan->threads, "%s/threads.din.zst", plan->folder.path);
    return WM_OK;
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

enum { MOST_VARIABLES = WM_RUN_SETTINGS + 8 };

// What the program's dynamic loader reads, and then its process (base/run/run_settings.h).
struct environment {
    const char *words[2 * MOST_VARIABLES]; // name, value, …; a NULL value removes
    uint32_t count;                        // variables
};

static void set(struct environment *environment, const char *name, const char *value)
{
    assert(environment->count < MOST_VARIABLES);
    const char **words = &environment->words[2 * environment->count++];
    words[0] = name;
    words[1] = value;
}

// How the loader finds our libraries in place of NVIDIA's.
static enum wm_status set_loading(struct plan *plan, struct environment *environment,
                                  struct wm_error *error)
{
    struct wm_arena *arena = &plan->arena;
    char preload[PATH_MAX + 32];
    // DT_RPATH is searched before LD_LIBRARY_PATH: then the library is loaded beforehand (and the
    // runtime's brings the driver's), and its soname satisfies the program. At the end: a
    // sanitizer's library must be first.
    if (plan->facts.cudart)
        snprintf(preload, sizeof preload, "%s/libcudart.so.%u%s", plan->libraries,
                 plan->facts.cudart, plan->facts.cudart == 11 ? ".0" : "");
    else
        snprintf(preload, sizeof preload, "%s/libcuda.so.1", plan->libraries);
    bool uses_device = plan->facts.cudart || plan->facts.driver;
    // Cores and checks are the device's library's, which a program without CUDA does not load.
    bool serves_host =
        plan->request->host_threads || (plan->settings.checks && plan->facts.traces_host);
    bool needs_preload = uses_device ? plan->facts.fixed_run_path : serves_host;
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

static bool records_threads(const struct plan *plan)
{
    return plan->request->host_threads && plan->request->record;
}

// The settings are one object; variables that would count more are not left over from this process.
static enum wm_status set_settings(struct plan *plan, struct environment *environment,
                                   struct wm_error *error)
{
    enum { MOST_BYTES = 128 << 10 }; // of a variable (Linux, MAX_ARG_STRLEN)
    plan->settings.run_folder = plan->folder.path;
    wm_run_settings_write(&plan->settings, &plan->object);
    if (plan->object.failed)
        return wm_fail_no_memory(error, "the run's settings");
    if (plan->object.length + sizeof WM_RUN_SETTINGS_OBJECT + 1 > MOST_BYTES) {
        wm_fail(error, WM_INVALID,
                "the settings of the run take %zu bytes, more than the %d that "
                "a process is handed",
                plan->object.length, (int)MOST_BYTES);
        return wm_error_hint(error, "a machine file holds what --set says");
    }
    for (int i = 0; i < WM_RUN_SETTINGS; i++)
        set(environment, wm_run_setting_variable((enum wm_run_setting)i), NULL);
    set(environment, WM_RUN_SETTINGS_OBJECT, plan->object.data);
    set(environment, "WARPMEM_MACHINES", plan->machines);
    if (plan->request->host_threads)
        set(environment, "WARPMEM_HOST_TRACE", records_threads(plan) ? plan->threads : NULL);
    return WM_OK;
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
    WM_TRY(set_settings(plan, &environment, error));
    const struct wm_child child = {
        .path = plan->program,
        .arguments = arguments,
        .environment = environment.words,
        .environment_count = environment.count,
        .output_to_error = plan->outputs.standard || plan->request->output_to_error,
    };
    return wm_child_run(&child, end, error);
}

int wm_program_run(const struct wm_program_run *request, const struct wm_invocation *invocation)
{
    if (request->values->quiet && request->values->report)
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
    wm_run_settings_init(&plan->settings);
    wm_text_init(&plan->object);
    plan->request = request;
    int status = WM_EXIT_MISUSE; // of everything before the program has started
    if (make_plan(plan, invocation, &error) != WM_OK ||
        start_program(plan, invocation, &end, &error) != WM_OK) {
        wm_command_fail(invocation, &error);
    } else {
        enum wm_status joined =
            records_threads(plan)
                ? wm_recorded_threads_join(plan->threads, plan->outputs.record, &error)
                : WM_OK;
        status = wm_run_outputs_deliver(&plan->outputs, plan->folder.path, plan->program, &end,
                                        invocation);
        if (joined != WM_OK) {
            int failed = wm_command_fail(invocation, &error);
            status = status == WM_EXIT_OK ? failed : status;
        }
    }
    bool reader_left = plan->outputs.reader_left;
    wm_run_outputs_release(&plan->outputs);
    wm_work_folder_remove(&plan->folder);
    wm_text_release(&plan->object);
    wm_run_settings_release(&plan->settings);
    wm_arena_release(&plan->arena);
    free(plan);
    if (reader_left)
        wm_write_signals_end_by_pipe();
    return status;
}
