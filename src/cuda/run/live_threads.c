#include "cuda/run/live_threads.h"

#include "base/names/demangle.h"
#include "cuda/device/device_commands.h"
#include "cuda/process.h"
#include "cuda/run/memory_names.h"
#include "engine/session/live_cores.h"

#include <stdio.h>
#include <unistd.h>

enum { EXIT_STOPPED = 2 };

// Their streams are written by the program's own library, and are no cores here.
static enum wm_status check_recording(const struct wm_run_settings *settings, const char *variable,
                                      struct wm_error *error)
{
    if (settings->engine == WM_RUN_BY_CLOCK) {
        wm_fail(error, WM_UNSUPPORTED, "the clock engine does not record");
        wm_error_place(error, "%s", wm_run_setting_variable(WM_RUN_SETTING_ENGINE));
        return wm_error_hint(error, "record first, then replay with --engine clock: a recording "
                                    "has what threads execute, and no time");
    }
    if (!settings->checks && !settings->serial_streams)
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED, "threads are recorded neither with checks nor serial streams");
    return wm_error_place(error, "%s", variable);
}

static bool records(const struct wm_cuda_process *process)
{
    return process->report.settings.record != NULL;
}

enum wm_status wm_live_threads_check(const struct wm_cuda_process *process,
                                     const struct wm_session_options *options,
                                     struct wm_error *error)
{
    const struct wm_run_settings *settings = &process->report.settings;
    const char *variable = wm_run_setting_variable(WM_RUN_SETTING_HOST_THREADS);
    if (!settings->host_threads)
        return WM_OK;
    if (!process->host_threads) {
        wm_fail(error, WM_INVALID, "the program's host code is not instrumented");
        wm_error_place(error, "%s", variable);
        return wm_error_hint(error, "compile and link it with warpmem cc --trace-host");
    }
    if (settings->record)
        return check_recording(settings, variable, error);
    if (process->recorder || settings->serial_streams || !settings->memory) {
        wm_fail(error, WM_UNSUPPORTED,
                "threads on CPU cores go neither with a recording and serial streams, nor without "
                "a memory system");
        return wm_error_place(error, "%s", variable);
    }
    return wm_live_cores_check(&process->machine, options, error);
}

// By the device's worker, or a thread that it shares the engine's work with.
static void let_begin(void *context, uint64_t command)
{
    struct wm_cuda_process *process = context;
    pthread_mutex_lock(&process->mutex);
    wm_cuda_queue_let_begin(&process->queue, command);
    pthread_mutex_unlock(&process->mutex);
}

enum wm_status wm_live_threads_start(struct wm_cuda_process *process, struct wm_error *error)
{
    if (!process->host_threads)
        return WM_OK;
    if (records(process)) {
        wm_recorder_number_commands(process->recorder);
    } else {
        const struct wm_live_commands commands = {.issue = let_begin, .context = process};
        WM_TRY(wm_live_cores_new(process->session, &commands, &process->cores, error));
        wm_live_cores_describe_code(process->cores, process->host_threads->describe_code);
    }
    if (wm_cuda_queue_take_turns(&process->queue, process->host_threads, records(process)))
        return WM_OK;
    return wm_fail(error, WM_IO, "no thread for the device");
}

_Noreturn static void stop(struct wm_cuda_process *process, const struct wm_error *error)
{
    wm_cuda_print_error(error);
    wm_run_report_note(&process->report, error, true);
    wm_memory_name_all(process);
    wm_run_report_write(&process->report, process->session);
    fflush(stdout);
    _exit(EXIT_STOPPED);
}

void wm_live_threads_access(void *context, const struct wm_host_access *accesses, size_t count)
{
    struct wm_cuda_process *process = context;
    struct wm_error error;
    wm_error_clear(&error);
    if (wm_live_cores_access(process->cores, accesses, count, &error) != WM_OK)
        stop(process, &error);
}

enum wm_host_device_state wm_live_threads_advance(void *context, struct wm_host_device_turn *turn)
{
    struct wm_cuda_process *process = context;
    enum wm_host_device_state state;
    struct wm_error error;
    wm_error_clear(&error);
    if (wm_live_cores_advance(process->cores, turn, &state, &error) != WM_OK)
        stop(process, &error);
    return state;
}

void wm_live_threads_range(struct wm_cuda_process *process, bool begins)
{
    struct wm_error error;
    wm_error_clear(&error);
    if (wm_live_cores_profiler_range(process->cores, begins, &error) != WM_OK)
        stop(process, &error);
}

// ---- The device, for the traced program's library ----------------------------------------------

static struct wm_cuda_process *the_process; // that threads were connected to
static struct wm_host_threads_device device;

static bool has_work(void)
{
    pthread_mutex_lock(&the_process->mutex);
    bool has = the_process->queue.head != NULL;
    pthread_mutex_unlock(&the_process->mutex);
    return has;
}

static void make_accesses(const struct wm_host_access *accesses, size_t count)
{
    struct wm_cuda_turn turn = {.accesses = accesses, .count = count};
    if (count == 0 || records(the_process))
        return;
    if (wm_cuda_queue_is_worker(&the_process->queue)) { // a host function's
        wm_live_threads_access(the_process, accesses, count);
        return;
    }
    pthread_mutex_lock(&the_process->mutex);
    wm_cuda_queue_turn(&the_process->queue, &turn);
    pthread_mutex_unlock(&the_process->mutex);
}

static enum wm_host_device_state state_behind(const struct wm_cuda_turn *turn, bool threads_wait)
{
    struct wm_session *session = the_process->session;
    if (!threads_wait || turn->completed)
        wm_session_kernels_go_on(session);
    if (turn->completed)
        return WM_HOST_DEVICE_COMPLETED;
    if (!the_process->queue.head)
        return WM_HOST_DEVICE_IDLE;
    bool waits = threads_wait && wm_session_kernels_wait(session);
    return waits ? WM_HOST_DEVICE_WAITS : WM_HOST_DEVICE_RAN;
}

static enum wm_host_device_state take_turn(const struct wm_host_access *accesses, size_t count,
                                           struct wm_host_device_turn *how)
{
    bool timed = device.timed;
    struct wm_cuda_turn turn = {
        .accesses = accesses, .count = count, .runs = true, .in_time = timed ? how : NULL};
    enum wm_host_device_state state = WM_HOST_DEVICE_IDLE;
    if (records(the_process))
        turn.count = count = 0;
    pthread_mutex_lock(&the_process->mutex);
    if (timed) {
        how->next = WM_HOST_ANY_THREAD;
        how->accesses = WM_LIVE_TURN;
        how->now = 0;
        wm_cuda_queue_turn(&the_process->queue, &turn);
        state = turn.completed ? WM_HOST_DEVICE_COMPLETED : turn.state;
    } else if (count > 0 || the_process->queue.head) {
        wm_cuda_queue_turn(&the_process->queue, &turn);
        state = state_behind(&turn, how->threads_wait);
    }
    pthread_mutex_unlock(&the_process->mutex);
    return state;
}

static void describe_kernels(int file)
{
    pthread_mutex_lock(&the_process->mutex);
    for (const struct wm_cuda_command *at = the_process->queue.head; at; at = at->next) {
        const struct wm_kernel *kernel = wm_cuda_launched_kernel(at);
        struct wm_text name;
        if (!at->under_way)
            continue;
        wm_text_init(&name);
        if (kernel)
            wm_demangle(kernel->name, &name);
        if (kernel && !name.failed)
            dprintf(file, "kernel %s waits in a loop for what no kernel writes\n", name.data);
        else if (!kernel)
            dprintf(file, "a stream waits for a value in memory\n");
        wm_text_release(&name);
    }
    pthread_mutex_unlock(&the_process->mutex);
}

const struct wm_host_threads_device *wm_host_threads_connect(const struct wm_host_threads *threads)
{
    struct wm_cuda_process *process = wm_cuda_start(threads);
    if (!process)
        return NULL;
    the_process = process;
    bool timed = process->report.settings.engine == WM_RUN_BY_CLOCK;
    device = (struct wm_host_threads_device){
        .cores = records(process) ? WM_HOST_THREADS : process->machine.memory.core_count,
        .machine = process->machine.name,
        .timed = timed,
        .turn_accesses = timed ? WM_LIVE_TURN : 0,
        .worker = process->queue.worker,
        .has_work = has_work,
        .access = make_accesses,
        .turn = take_turn,
        .describe_kernels = describe_kernels,
    };
    return &device;
}

void wm_live_threads_end(struct wm_cuda_process *process)
{
    if (the_process != process || process->phase != WM_CUDA_READY || process->owner != getpid() ||
        wm_cuda_queue_is_worker(&process->queue))
        return;
    process->host_threads->end();
    wm_live_cores_free(process->cores);
    process->cores = NULL;
}
