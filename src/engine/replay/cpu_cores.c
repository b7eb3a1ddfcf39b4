#include "engine/replay/cpu_cores.h"

#include "engine/clock/clock.h"
#include "engine/session/session_state.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

// As priorities: kernels have their rounds first; or what threads did comes before these.
enum { BEHIND_KERNELS = INT_MAX, BEFORE_KERNELS = INT_MIN };

bool wm_cpu_cores_run(const struct wm_recording *recording, const struct wm_session *session)
{
    return recording->header.lanes == 1 && session->machine.sm.warp_width != 1 &&
           session->cores.count != 0;
}

static enum wm_status check(const struct wm_recording *recording, const struct wm_session *session,
                            struct wm_error *error)
{
    const struct wm_machine *machine = &session->machine;
    uint64_t cores = wm_recorded_blocks(&recording->launch);
    if (recording->header.lanes != 1) {
        wm_fail(error, WM_INVALID, "the recording is not of CPU cores");
        wm_error_place(error, "%s", recording->file.path);
        return wm_error_hint(error, "cores run what warpmem import makes of a CPU's trace");
    }
    if (cores <= session->cores.count)
        return session->clock != NULL ? wm_clock_check_cores(machine, error) : WM_OK;
    wm_fail(error, WM_LIMIT,
            "the recording is of %" PRIu64 " cores, and machine %s has %" PRIu32
            " CPU cores beside its SMs",
            cores, machine->name, session->cores.count);
    wm_error_place(error, "%s", recording->file.path);
    return session->cores.count == 0
               ? wm_error_hint(error, "take a machine that has a cpu, as machines/examples/"
                                      "cpu-gpu-llc.yaml")
               : wm_error_hint(error, "give --set cpu.core.count=%" PRIu64, cores);
}

// A recording of cores is one launch.
static enum wm_status read_launch(struct wm_recording *recording, struct wm_error *error)
{
    struct wm_recorded_event event;
    bool more = true;
    wm_recording_rewind(recording);
    do
        WM_TRY(wm_recording_next(recording, &event, &more, error));
    while (more && event.kind != WM_RECORDED_LAUNCH);
    if (more)
        return WM_OK;
    wm_fail(error, WM_INVALID, "the recording has nothing that a core runs");
    return wm_error_place(error, "%s", recording->file.path);
}

enum wm_status wm_cpu_cores_begin(struct wm_cpu_cores *cores, struct wm_recording *recording,
                                  struct wm_session *session, struct wm_error *error)
{
    *cores = (struct wm_cpu_cores){0};
    WM_TRY(read_launch(recording, error));
    WM_TRY(check(recording, session, error));
    WM_TRY(wm_recorded_work_init(&cores->work, recording, session->cores.count, error));
    cores->work.work.gpu = WM_ON_CORES;
    int priority = recording->of_cores ? BEFORE_KERNELS : BEHIND_KERNELS;
    enum wm_status status =
        wm_session_start_work(session, &cores->work.work, priority, false, &cores->running, error);
    if (status == WM_OK)
        cores->recording = recording;
    else
        wm_recorded_work_release(&cores->work);
    return status;
}

bool wm_cpu_cores_has_threads(const struct wm_recording *recording,
                              const struct wm_session *session)
{
    return recording->cores_section != 0 && session->cores.count != 0 &&
           !session->options.no_host_threads;
}

static enum wm_status open_cores(struct wm_recording *cores, const struct wm_recording *beside,
                                 const struct wm_session *session, struct wm_error *error)
{
    const struct wm_recording *given = session->options.core_recording;
    if (!wm_cpu_cores_has_threads(beside, session))
        return wm_recording_open_again(cores, given, error);
    if (given == NULL)
        return wm_recording_open_cores(cores, beside, error);
    wm_fail(error, WM_INVALID, "the recording has threads, which the CPU cores run");
    wm_error_place(error, "%s", beside->file.path);
    return wm_error_hint(error, "leave out %s, or the threads: --no-host-threads",
                         given->file.path);
}

enum wm_status wm_cpu_cores_begin_beside(struct wm_cpu_cores *cores,
                                         const struct wm_recording *beside,
                                         struct wm_session *session, struct wm_error *error)
{
    *cores = (struct wm_cpu_cores){0};
    if (session->options.core_recording == NULL && !wm_cpu_cores_has_threads(beside, session))
        return WM_OK;
    struct wm_recording *recording = malloc(sizeof *recording);
    if (recording == NULL)
        return wm_fail_no_memory(error, "a recording");
    enum wm_status status = open_cores(recording, beside, session, error);
    if (status == WM_OK) {
        status = wm_cpu_cores_begin(cores, recording, session, error);
        cores->owned = status == WM_OK;
        if (!cores->owned)
            wm_recording_close(recording);
    }
    if (!cores->owned)
        free(recording);
    return status;
}

enum wm_status wm_cpu_cores_end(struct wm_cpu_cores *cores, struct wm_session *session,
                                enum wm_status status, struct wm_error *error)
{
    if (cores->recording == NULL)
        return status;
    while (status == WM_OK && !wm_concurrent_launch_has_ended(cores->running))
        (void)wm_session_step(session);
    struct wm_error later;
    wm_error_clear(&later);
    enum wm_status ended = wm_session_collect(session, cores->running, NULL, &later);
    if (status == WM_OK && ended != WM_OK) {
        status = ended;
        *error = later;
    }
    wm_recorded_work_release(&cores->work);
    if (cores->owned) {
        wm_recording_close(cores->recording);
        free(cores->recording);
    }
    *cores = (struct wm_cpu_cores){0};
    return status;
}
