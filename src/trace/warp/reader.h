// The instructions of a launch's warps, one by one, whatever items and chunks the recording has
// them in: what trace info, dump, check, diff and cut walk over.
//
// Thread rules: one thread at a time for all readers of one launch.
#ifndef WM_TRACE_WARP_READER_H
#define WM_TRACE_WARP_READER_H

#include "trace/recorded_slots.h"
#include "trace/recording_reader.h"
#include "trace/warp/decoder.h"

// A launch's streams with the numbering of its memory instructions.
struct wm_launch_reader {
    struct wm_recorded_streams streams;
    const struct wm_recorded_code *code; // the recording's
    struct wm_recorded_slots slots;
};

// Of the launch that wm_recording_next read last. Errors as wm_recorded_streams_open.
enum wm_status wm_launch_reader_open(struct wm_recording *recording,
                                     struct wm_launch_reader *launch, struct wm_error *error);
void wm_launch_reader_close(struct wm_launch_reader *launch);

// One executed warp instruction.
struct wm_warp_step {
    uint32_t pc;
    bool executed; // false: an event alone: lanes ended before pc without an instruction that was
                   // traced; or others than the step before says did something to an mbarrier
    uint64_t active;
    // Executed before it and not listed one by one: warp instructions, and the same times lanes.
    uint64_t skipped, skipped_lanes;
    uint32_t access_count;
    // Addresses are the reader's, until its next step; local ones count from the block's own.
    struct wm_warp_access accesses[WM_MOST_ACCESSES];
    enum wm_trace_event event;
    uint64_t lanes;            // of the event
    uint32_t barrier, threads; // of an arrival or a phase, as wm_trace_item's
    bool waits, others;
};

struct wm_warp_reader {
    struct wm_launch_reader *launch; // borrowed
    uint64_t block, sequence;        // the chunk in use, or the next one
    uint32_t warp;
    bool alone; // this chunk and no other
    bool cut;   // the recording ends before the block does
    struct wm_recorded_chunk chunk;
    struct wm_warp_decoder decoder;                 // its slots are owned
    struct wm_trace_item successors[WM_TRACE_KEYS]; // the decoder's
    struct wm_trace_item item;
    uint32_t done; // instructions of the item
    bool open;     // the item is not returned to its end
    uint64_t addresses[WM_MOST_ACCESSES][WM_MAX_LANES];
};

// WM_NO_MEMORY. Begin it before the first step.
enum wm_status wm_warp_reader_init(struct wm_warp_reader *reader, struct wm_launch_reader *launch,
                                   struct wm_error *error);
void wm_warp_reader_release(struct wm_warp_reader *reader);

// Goes to the beginning of a warp. Or to that of one chunk of it, after which it ends.
void wm_warp_reader_begin(struct wm_warp_reader *reader, uint64_t block, uint32_t warp);
void wm_warp_reader_begin_chunk(struct wm_warp_reader *reader, uint64_t block, uint64_t sequence,
                                uint32_t warp);

// The next instruction; `*more` false at the end, or where the recording was cut off (`cut`).
// WM_INVALID when the stream breaks the format: with launch, block and warp.
enum wm_status wm_warp_reader_step(struct wm_warp_reader *reader, struct wm_warp_step *step,
                                   bool *more, struct wm_error *error);

#endif
