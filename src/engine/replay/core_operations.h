// What each CPU core of a recording does (docs/formats/cores.md), operation by operation, as a core
// in time takes it (cpu/core.h, struct wm_core_source).
//
// Thread rules: opening and closing by one thread; then each core's operations by one thread at a
// time, those of different cores at the same time. Private to engine/.
#ifndef WM_ENGINE_REPLAY_CORE_OPERATIONS_H
#define WM_ENGINE_REPLAY_CORE_OPERATIONS_H

#include "cpu/core.h"
#include "trace/warp/reader.h"

struct wm_core_streams;

// Of one core.
struct wm_core_stream {
    struct wm_core_streams *all;
    uint32_t core; // index of its block
    struct wm_warp_reader reader;
    struct wm_warp_step step;
    uint32_t taken;        // of the step's accesses
    uint64_t instructions; // since the operation before
    bool has_step, ended;
    // What it waits for, when wm_core_stream_next has returned WM_CORE_WAITS: until that core has
    // done so many accesses.
    uint32_t awaited, awaited_accesses;
    enum wm_status status; // of reading; with `error`, when the operations have ended before theirs
    struct wm_error error;
};

struct wm_core_streams {
    struct wm_launch_reader launch;
    struct wm_core_stream *streams; // owned; by block
    uint32_t count;
    // How many of a core's first accesses are done, as others see it (wm_core_operations_done of
    // cpu/core.h); the caller's, set before the first operation. NULL: nothing is waited for.
    uint64_t (*done)(void *context, uint32_t core);
    void *context;
};

// Of the launch that was read last from the recording, which is borrowed. WM_INVALID: it is not of
// cores, damaged or not whole; WM_LIMIT: of more than `most_cores`; WM_NO_MEMORY.
enum wm_status wm_core_streams_open(struct wm_recording *recording, uint32_t most_cores,
                                    struct wm_core_streams *streams, struct wm_error *error);
// Harmless on a zeroed one.
void wm_core_streams_close(struct wm_core_streams *streams);

// wm_core_source.next of one core; `context` is a struct wm_core_stream.
enum wm_core_supply wm_core_stream_next(void *context, struct wm_core_operation *operation);

// The error of a core that waits while none can go on: WM_INVALID, with core, what it waits for,
// and the file. Fills `error`, which is returned.
enum wm_status wm_core_stream_fail_order(const struct wm_core_stream *stream,
                                         struct wm_error *error);

#endif
