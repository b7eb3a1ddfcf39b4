#include "engine/replay/core_operations.h"

#include "base/containers/array.h"
#include "engine/replay/core_order.h"

#include <inttypes.h>
#include <stdlib.h>

// --- All cores ---

static enum wm_status check(const struct wm_recording *recording, uint32_t most_cores,
                            struct wm_error *error)
{
    uint64_t cores = wm_recorded_blocks(&recording->launch);
    if (recording->header.lanes != 1) {
        wm_fail(error, WM_INVALID, "the recording is not of CPU cores");
        wm_error_place(error, "%s", recording->file.path);
        return wm_error_hint(error, "cores run what warpmem import makes of a CPU's trace");
    }
    if (cores <= most_cores)
        return WM_OK;
    wm_fail(error, WM_LIMIT, "the recording is of %" PRIu64 " cores; %" PRIu32 " are there", cores,
            most_cores);
    return wm_error_place(error, "%s", recording->file.path);
}

static enum wm_status check_whole(const struct wm_recorded_streams *streams, struct wm_error *error)
{
    if (streams->whole)
        return WM_OK;
    wm_fail(error, WM_INVALID, "its launch is not whole");
    wm_error_place(error, "%s", streams->recording->file.path);
    return wm_error_hint(error, "import the trace again");
}

static enum wm_status open_streams(struct wm_core_streams *streams, struct wm_error *error)
{
    uint32_t cores = (uint32_t)wm_recorded_blocks(&streams->launch.streams.launch);
    WM_TRY(check_whole(&streams->launch.streams, error));
    WM_TRY(WM_ARRAY_NEW(streams->streams, cores, error, "the operations of CPU cores"));
    for (uint32_t core = 0; core < cores; core++) {
        struct wm_core_stream *stream = &streams->streams[core];
        stream->all = streams;
        stream->core = core;
        WM_TRY(wm_warp_reader_init(&stream->reader, &streams->launch, error));
        streams->count++;
        wm_warp_reader_begin(&stream->reader, core, 0);
    }
    return WM_OK;
}

enum wm_status wm_core_streams_open(struct wm_recording *recording, uint32_t most_cores,
                                    struct wm_core_streams *streams, struct wm_error *error)
{
    *streams = (struct wm_core_streams){.count = 0};
    WM_TRY(check(recording, most_cores, error));
    WM_TRY(wm_launch_reader_open(recording, &streams->launch, error));
    enum wm_status status = open_streams(streams, error);
    if (status != WM_OK) {
        for (uint32_t core = 0; core < streams->count; core++)
            wm_warp_reader_release(&streams->streams[core].reader);
        free(streams->streams);
        wm_launch_reader_close(&streams->launch);
        *streams = (struct wm_core_streams){.count = 0};
    }
    return status;
}

void wm_core_streams_close(struct wm_core_streams *streams)
{
    if (streams->streams == NULL)
        return;
    for (uint32_t core = 0; core < streams->count; core++)
        wm_warp_reader_release(&streams->streams[core].reader);
    free(streams->streams);
    wm_launch_reader_close(&streams->launch);
    *streams = (struct wm_core_streams){.count = 0};
}

// --- One core's ---

static void fail(struct wm_core_stream *stream, const char *what)
{
    stream->status =
        wm_fail(&stream->error, WM_INVALID, "core %" PRIu32 ": %s", stream->core, what);
    wm_error_place(&stream->error, "%s", stream->all->launch.streams.recording->file.path);
    wm_error_hint(&stream->error, "import the trace again");
}

// False at the end, or when it cannot be read.
static bool read_step(struct wm_core_stream *stream)
{
    bool more = true;
    stream->taken = 0;
    stream->status = wm_warp_reader_step(&stream->reader, &stream->step, &more, &stream->error);
    stream->has_step = stream->status == WM_OK && more;
    stream->ended = !stream->has_step;
    if (stream->ended)
        return false;
    stream->instructions += stream->step.skipped + stream->step.executed;
    return true;
}

static enum wm_core_kind kind_of(enum wm_access_kind kind)
{
    switch (kind) {
    case WM_ACCESS_LOAD: return WM_CPU_LOAD;
    case WM_ACCESS_STORE: return WM_CPU_STORE;
    case WM_ACCESS_ATOMIC:
    case WM_ACCESS_REDUCTION: break;
    }
    return WM_CPU_LOCKED;
}

// The next access of the step.
static enum wm_core_supply take_access(struct wm_core_stream *stream,
                                       struct wm_core_operation *operation)
{
    const struct wm_warp_access *access = &stream->step.accesses[stream->taken];
    if (access->bytes_per_lane == 0 || access->bytes_per_lane > WM_MAX_ACCESS_BYTES) {
        fail(stream, "its accesses break the format");
        stream->ended = true;
        return WM_CORE_ENDED;
    }
    *operation = (struct wm_core_operation){.kind = kind_of(access->kind),
                                            .address = access->addresses[0],
                                            .bytes = access->bytes_per_lane,
                                            .pc = stream->step.pc,
                                            .instructions = stream->instructions,
                                            .continues = stream->taken > 0};
    stream->instructions = 0;
    stream->taken++;
    return WM_CORE_NEXT;
}

static bool is_core_event(const struct wm_core_stream *stream, enum wm_phase_operation operation)
{
    return stream->step.event == WM_TRACE_PHASE &&
           wm_trace_phase_operation(stream->step.barrier) == operation;
}

// Whether the step is a wait that is not over.
static bool waits(struct wm_core_stream *stream)
{
    struct wm_core_streams *all = stream->all;
    if (!is_core_event(stream, WM_PHASE_FOLLOWS))
        return false;
    stream->awaited = wm_trace_phase_object(stream->step.barrier);
    stream->awaited_accesses = stream->step.threads;
    if (stream->awaited >= all->count || stream->awaited == stream->core) {
        fail(stream, "what it waits for breaks the format");
        stream->ended = true;
        return false;
    }
    return all->done != NULL && all->done(all->context, stream->awaited) < stream->awaited_accesses;
}

static enum wm_core_supply take_fence(struct wm_core_stream *stream,
                                      struct wm_core_operation *operation)
{
    // Where instructions are counted it is one of them.
    *operation = (struct wm_core_operation){.kind = WM_CPU_FENCE,
                                            .pc = stream->step.pc,
                                            .instructions = stream->instructions,
                                            .continues = stream->instructions == 0};
    stream->instructions = 0;
    stream->has_step = false;
    return WM_CORE_NEXT;
}

enum wm_core_supply wm_core_stream_next(void *context, struct wm_core_operation *operation)
{
    struct wm_core_stream *stream = context;
    while (!stream->ended) {
        if (!stream->has_step && !read_step(stream))
            break;
        if (stream->taken < stream->step.access_count)
            return take_access(stream, operation);
        if (waits(stream))
            return WM_CORE_WAITS;
        if (!stream->ended && is_core_event(stream, WM_PHASE_FENCE))
            return take_fence(stream, operation);
        stream->has_step = false;
    }
    *operation =
        (struct wm_core_operation){.kind = WM_CPU_PLAIN, .instructions = stream->instructions};
    return WM_CORE_ENDED;
}

enum wm_status wm_core_stream_fail_order(const struct wm_core_stream *stream,
                                         struct wm_error *error)
{
    const struct wm_core_streams *all = stream->all;
    const struct wm_core_wait wait = {
        .core = stream->core,
        .made = all->done(all->context, stream->core),
        .awaited = stream->awaited,
        .accesses = stream->awaited_accesses,
        .awaited_made = all->done(all->context, stream->awaited),
        .state = all->streams[stream->awaited].ended ? "and has ended" : "and waits, too"};
    return wm_core_order_fail(&wait, all->launch.streams.recording->file.path, error);
}
