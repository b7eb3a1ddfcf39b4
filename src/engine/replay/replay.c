#include "engine/replay/replay.h"

#include "engine/replay/cpu_cores.h"
#include "engine/replay/recorded_work.h"
#include "engine/replay/replay_parts.h"
#include "engine/session/session_state.h"
#include "engine/walk/walk_team.h"
#include "mem/system/coherent_levels.h"

#include <inttypes.h>

static enum wm_status run_launch(struct wm_session *session, struct wm_recorded_work *recorded,
                                 struct wm_error *error)
{
    struct wm_request_batcher *batcher = session->front_end.batcher; // a profile's
    if (batcher != NULL)
        WM_TRY(batcher->launch_begins(batcher, &recorded->work, error));
    WM_TRY(wm_session_run_work(session, &recorded->work, error));
    return batcher != NULL ? batcher->launch_ends(batcher, &recorded->work, session, error) : WM_OK;
}

// Cores run side by side: one block each.
enum wm_status wm_replay_check_cores(const struct wm_recording *recording,
                                     const struct wm_session *session, struct wm_error *error)
{
    uint64_t cores = wm_recorded_blocks(&recording->launch);
    uint32_t count = session->machine.sm.count;
    if (recording->header.lanes != 1 || cores <= count)
        return WM_OK;
    wm_fail(error, WM_LIMIT, "the recording is of %" PRIu64 " cores, and machine %s has %" PRIu32,
            cores, session->machine.name, count);
    wm_error_place(error, "%s", recording->file.path);
    return wm_error_hint(error, "give --set gpu.sm.count=%" PRIu64, cores);
}

// Fences of such recordings are counted among other instructions, and not known.
static enum wm_status check_fences(const struct wm_recording *recording,
                                   const struct wm_session *session, struct wm_error *error)
{
    const struct wm_memory_spec *memory = &session->machine.memory;
    bool scoped = false;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        scoped |= wm_level_is_scoped(memory, i);
    if (!recording->header.memory_only || !scoped)
        return WM_OK;
    wm_fail(error, WM_INVALID,
            "the recording has memory instructions alone, and no fences, which L1s of machine %s "
            "invalidate their lines at",
            session->machine.name);
    wm_error_place(error, "%s", recording->file.path);
    return wm_error_hint(error, "record the program without --memory-only, or set gpu.l1.coherence "
                                "to none");
}

enum wm_status wm_replay_open_work(struct wm_recording *recording, const struct wm_session *session,
                                   struct wm_recorded_work *recorded, struct wm_error *error)
{
    uint32_t sms = session->machine.sm.count;
    WM_TRY(check_fences(recording, session, error));
    WM_TRY(wm_recorded_work_init(recorded, recording, sms, error));
    if (!session->block_dispatch->in_order)
        wm_recorded_streams_keep(&recorded->streams, sms);
    return WM_OK;
}

static enum wm_status replay_launch(struct wm_recording *recording, struct wm_session *session,
                                    struct wm_error *error)
{
    struct wm_recorded_work recorded;
    WM_TRY(wm_replay_check_cores(recording, session, error));
    WM_TRY(wm_replay_open_work(recording, session, &recorded, error));
    enum wm_status status = run_launch(session, &recorded, error);
    wm_recorded_work_release(&recorded);
    return status;
}

void wm_replay_host_event(struct wm_session *session, const struct wm_recorded_event *event)
{
    switch (event->kind) {
    case WM_RECORDED_HOST_WRITE:
        wm_session_host_write(session, event->address, event->bytes);
        break;
    case WM_RECORDED_HOST_READ: wm_session_host_read(session, event->address, event->bytes); break;
    case WM_RECORDED_DEVICE_COPY:
        wm_session_device_copy(session, event->address, event->from, event->bytes);
        break;
    case WM_RECORDED_DEVICE_FILL:
        wm_session_device_fill(session, event->address, event->bytes);
        break;
    case WM_RECORDED_RANGE_BEGIN: wm_session_profiler_range(session, true); break;
    case WM_RECORDED_RANGE_END: wm_session_profiler_range(session, false); break;
    case WM_RECORDED_LAUNCH:
    case WM_RECORDED_ORDER:
    case WM_RECORDED_ALLOCATE:
    case WM_RECORDED_FREE:
    case WM_RECORDED_EVENT_KINDS: break;
    }
}

static enum wm_status replay_event(struct wm_recording *recording, struct wm_session *session,
                                   const struct wm_recorded_event *event, struct wm_error *error)
{
    if (event->kind == WM_RECORDED_LAUNCH)
        return replay_launch(recording, session, error);
    wm_replay_host_event(session, event);
    for (uint32_t i = 1; session->team != NULL && i < wm_walk_team_sessions(session->team); i++) {
        struct wm_session *follower = wm_walk_team_follower(session->team, i);
        if (follower != NULL)
            wm_replay_host_event(follower, event);
    }
    return WM_OK;
}

static enum wm_status check_lanes(const struct wm_recording *recording,
                                  const struct wm_session *session, struct wm_error *error)
{
    uint32_t lanes = recording->header.lanes, width = session->machine.sm.warp_width;
    if (lanes == width)
        return WM_OK;
    if (lanes == 1) {
        wm_fail(error, WM_INVALID,
                "the recording is of CPU cores, and machine %s has warps of %" PRIu32 " lanes",
                session->machine.name, width);
        wm_error_place(error, "%s", recording->file.path);
        return wm_error_hint(error, "replay it with -m cpu-core2, or another machine whose "
                                    "gpu.sm.warp_width is 1");
    }
    wm_fail(error, WM_INVALID,
            "the recording has warps of %" PRIu32 " lanes, and machine %s has %" PRIu32, lanes,
            session->machine.name, width);
    wm_error_place(error, "%s", recording->file.path);
    if (width == 1)
        return wm_error_hint(error, "replay it on a machine whose gpu.sm.warp_width is %" PRIu32,
                             lanes);
    return wm_error_hint(error, "record the program with -m %s", session->machine.name);
}

bool wm_replay_is_concurrent(const struct wm_recording *recording,
                             const struct wm_session_options *options)
{
    return options->core_recording != NULL ||
           (recording->cores_section != 0 && !options->no_host_threads) ||
           (recording->order_section != 0 && !options->serial_streams);
}

static enum wm_status replay_on_cores(struct wm_recording *recording, struct wm_session *session,
                                      struct wm_error *error)
{
    struct wm_cpu_cores cores;
    if (session->options.core_recording != NULL) {
        wm_fail(error, WM_INVALID, "two recordings of CPU cores, and no other");
        wm_error_place(error, "%s", recording->file.path);
        return wm_error_hint(error, "leave out one; several traces are one recording: warpmem "
                                    "import A B");
    }
    WM_TRY(wm_cpu_cores_begin(&cores, recording, session, error));
    return wm_cpu_cores_end(&cores, session, WM_OK, error);
}

enum wm_status wm_replay(struct wm_recording *recording, struct wm_session *session,
                         struct wm_error *error)
{
    if (wm_cpu_cores_run(recording, session))
        return replay_on_cores(recording, session, error);
    WM_TRY(check_lanes(recording, session, error));
    if (wm_replay_is_concurrent(recording, &session->options))
        return wm_replay_concurrent(recording, session, error);
    struct wm_recorded_event event;
    bool more;
    wm_recording_rewind(recording);
    for (;;) {
        WM_TRY(wm_recording_next(recording, &event, &more, error));
        if (!more)
            return WM_OK;
        WM_TRY(replay_event(recording, session, &event, error));
    }
}
