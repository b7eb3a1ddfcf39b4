#include "engine/replay.h"

#include "engine/recorded_work.h"
#include "engine/replay_parts.h"
#include "engine/walk_feed.h"
#include "engine/walk_parts.h"

#include <inttypes.h>

static enum wm_status run_launch(struct wm_walk *walk, struct wm_recorded_work *recorded,
                                 struct wm_error *error)
{
    struct wm_walk_feed *feed = walk->tracer.feed;
    struct wm_feed_launch *launch = NULL;
    if (feed != NULL)
        WM_TRY(wm_feed_launch_begin(feed, walk, recorded, &launch, error));
    enum wm_status status = wm_walk_run(walk, &recorded->work, error);
    if (feed != NULL)
        wm_feed_launch_end(feed, walk, launch);
    return status;
}

// Cores run side by side: one block each.
enum wm_status wm_replay_check_cores(const struct wm_recording *recording,
                                     const struct wm_walk *walk, struct wm_error *error)
{
    uint64_t cores = wm_recorded_blocks(&recording->launch);
    uint32_t count = walk->machine.sm.count;
    if (recording->header.lanes != 1 || cores <= count)
        return WM_OK;
    wm_fail(error, WM_LIMIT, "the recording is of %" PRIu64 " cores, and machine %s has %" PRIu32,
            cores, walk->machine.name, count);
    wm_error_place(error, "%s", recording->file.path);
    return wm_error_cure(error, "give --set gpu.sm.count=%" PRIu64, cores);
}

static enum wm_status replay_launch(struct wm_recording *recording, struct wm_walk *walk,
                                    struct wm_error *error)
{
    struct wm_recorded_work recorded;
    WM_TRY(wm_replay_check_cores(recording, walk, error));
    WM_TRY(wm_recorded_work_init(&recorded, recording, walk->machine.sm.count, error));
    enum wm_status status = run_launch(walk, &recorded, error);
    wm_recorded_work_release(&recorded);
    return status;
}

void wm_replay_host_event(struct wm_walk *walk, const struct wm_recorded_event *event)
{
    switch (event->kind) {
    case WM_RECORDED_HOST_WRITE: wm_walk_host_write(walk, event->address, event->bytes); break;
    case WM_RECORDED_HOST_READ: wm_walk_host_read(walk, event->address, event->bytes); break;
    case WM_RECORDED_DEVICE_COPY:
        wm_walk_device_copy(walk, event->address, event->from, event->bytes);
        break;
    case WM_RECORDED_DEVICE_FILL: wm_walk_device_fill(walk, event->address, event->bytes); break;
    case WM_RECORDED_RANGE_BEGIN: wm_walk_range(walk, true); break;
    case WM_RECORDED_RANGE_END: wm_walk_range(walk, false); break;
    case WM_RECORDED_LAUNCH:
    case WM_RECORDED_ORDER:
    case WM_RECORDED_ALLOCATE:
    case WM_RECORDED_FREE:
    case WM_RECORDED_EVENT_KINDS: break;
    }
}

static enum wm_status replay_event(struct wm_recording *recording, struct wm_walk *walk,
                                   const struct wm_recorded_event *event, struct wm_error *error)
{
    if (event->kind == WM_RECORDED_LAUNCH)
        return replay_launch(recording, walk, error);
    wm_replay_host_event(walk, event);
    if (walk->tracer.feed != NULL)
        wm_feed_event(walk->tracer.feed, event);
    return WM_OK;
}

static enum wm_status check_lanes(const struct wm_recording *recording, const struct wm_walk *walk,
                                  struct wm_error *error)
{
    uint32_t lanes = recording->header.lanes, width = walk->machine.sm.warp_width;
    if (lanes == width)
        return WM_OK;
    if (lanes == 1) {
        wm_fail(error, WM_INVALID,
                "the recording is of CPU cores, and machine %s has warps of %" PRIu32 " lanes",
                walk->machine.name, width);
        wm_error_place(error, "%s", recording->file.path);
        return wm_error_cure(error, "replay it with -m cpu-core2, or another machine whose "
                                    "gpu.sm.warp_width is 1");
    }
    wm_fail(error, WM_INVALID,
            "the recording has warps of %" PRIu32 " lanes, and machine %s has %" PRIu32, lanes,
            walk->machine.name, width);
    wm_error_place(error, "%s", recording->file.path);
    if (width == 1)
        return wm_error_cure(error, "replay it on a machine whose gpu.sm.warp_width is %" PRIu32,
                             lanes);
    return wm_error_cure(error, "record the program with -m %s", walk->machine.name);
}

bool wm_replay_has_sides(const struct wm_recording *recording,
                         const struct wm_walk_options *options)
{
    return recording->order_section != 0 && !options->serial_streams;
}

enum wm_status wm_replay(struct wm_recording *recording, struct wm_walk *walk,
                         struct wm_error *error)
{
    WM_TRY(check_lanes(recording, walk, error));
    if (wm_replay_has_sides(recording, &walk->options))
        return wm_replay_side_by_side(recording, walk, error);
    struct wm_recorded_event event;
    bool more;
    wm_recording_rewind(recording);
    for (;;) {
        WM_TRY(wm_recording_next(recording, &event, &more, error));
        if (!more)
            return WM_OK;
        WM_TRY(replay_event(recording, walk, &event, error));
    }
}
