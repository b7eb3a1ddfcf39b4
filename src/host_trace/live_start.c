#include "host_trace/live_start.h"

#include "host_trace/environment.h"
#include "host_trace/live.h"
#include "host_trace/one_processor.h"
#include "host_trace/processor_calls.h"
#include "host_trace/recorder.h"
#include "host_trace/restart.h"
#include "host_trace/thread_calls.h"
#include "host_trace/turns.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_set(void)
{
    size_t length;
    const char *value = wm_host_setting("HOST_THREADS", &length);
    return value != NULL && length == 1 && value[0] == '1';
}

static void *find_connect(void)
{
    return dlsym(RTLD_DEFAULT, WM_HOST_THREADS_CONNECT);
}

bool wm_host_live_wanted(void)
{
    return is_set() && find_connect() != NULL;
}

void wm_host_live_restart(char **arguments)
{
    struct wm_error error;
    wm_error_clear(&error);
    wm_host_recorder.mode = WM_HOST_LIVE_MODE;
    if (wm_host_stop_randomisation(&error) != WM_OK)
        wm_host_recorder_refuse(error.message, error.hint);
    char **variables = wm_host_environment_for(WM_HOST_LIVE_CHANNEL, !wm_host_names_marks());
    if (variables != NULL)
        execve("/proc/self/exe", arguments, variables);
    wm_host_recorder_refuse("the program cannot be started again", strerror(errno));
}

static void check_self(void)
{
    if (wm_host_thread == 0)
        wm_host_recorder_refuse(
            "a thread that takes no turns waits for the device: it was made by a library of "
            "CUDA's, or past pthread_create()",
            "make threads by pthread_create(), std::thread or thrd_create()");
}

static void wait_for_device(void)
{
    check_self();
    wm_host_wait(WM_HOST_WAIT_DEVICE, NULL, WM_HOST_NO_TIME);
}

static void yield_to_device(void)
{
    check_self();
    wm_host_pause();
}

static void end(void)
{
    if (!wm_host_is_live() || wm_host_thread == 0)
        return;
    wm_host_recorder.on = false;
    wm_host_turns_finish();
    wm_host_recorder_send();
    wm_host_recorder_send_end();
    wm_host_recorder.several = false;
    wm_host_recorder.ended = true;
}

// --- For a recording ---

static void mark(enum wm_host_mark kind, uint64_t command)
{
    if (wm_host_recorder.traces && !wm_host_recorder.ended && wm_host_thread != 0)
        wm_host_turn_mark(wm_host_command_word(kind, command));
}

// In time it is executed, unless the buffer is full: it is not the time to send that.
static bool issued(uint64_t command)
{
    enum { WORDS = 2 };
    mark(WM_HOST_MARK_ISSUES, command);
    if (!wm_host_is_timed() || wm_host_recorder.ended || wm_host_thread == 0 ||
        wm_host_recorder.count + WORDS > WM_HOST_RECORDER_WORDS)
        return false;
    if (wm_host_counted > 0)
        wm_host_put_counted();
    wm_host_turn_mark(wm_host_command_word(WM_HOST_MARK_ISSUES, command));
    return true;
}

// A thread that polls finds the same again and again.
static void awaited(uint64_t command)
{
    static _Thread_local uint64_t last __attribute__((tls_model("initial-exec")));
    if (command <= last)
        return;
    last = command;
    mark(WM_HOST_MARK_AWAITS, command);
}

void wm_host_live_start(void)
{
    static const struct wm_host_threads threads = {
        .wait = wait_for_device,
        .yield = yield_to_device,
        .end = end,
        .call = wm_host_live_call,
        .issued = issued,
        .awaited = awaited,
        .describe_code = wm_host_live_describe_code,
        .visit_variables = wm_host_live_visit_variables,
    };
    const struct wm_host_threads_device *device = NULL;
    void *connect = find_connect();
    if (connect != NULL)
        device = ((__typeof__(&wm_host_threads_connect))connect)(&threads);
    if (device == NULL)
        wm_host_recorder_end_refused(); // why has been printed
    wm_host_live_begin(device);
    if (device->turn_accesses != 0)
        wm_host_turns_shorten(device->turn_accesses);
    if (!wm_host_recorder.traces)
        wm_host_processors_are_cores(device->cores);
    wm_host_one_processor_add(device->worker);
    wm_host_begin_threads();
}
