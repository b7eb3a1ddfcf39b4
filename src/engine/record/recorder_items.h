// The inside of a recorder: recorder.c has the launch, recorder_items.c turns what the interpreter
// reports into the items and accesses of warps' streams. Private to engine/record/.
#ifndef WM_ENGINE_RECORD_RECORDER_ITEMS_H
#define WM_ENGINE_RECORD_RECORDER_ITEMS_H

#include "engine/record/mbarrier_table.h"
#include "engine/record/recorder.h"
#include "trace/recorded_slots.h"

struct wm_recorder_module {
    char *name, *text; // owned; the text until it is written
    size_t length;
    uint64_t hash;
};

struct wm_recorder_code {
    char *name, *module; // owned
    uint64_t fingerprint;
    uint32_t number; // in the recording
    struct wm_recorded_slots slots;
};

// What was reported of instructions whose stretch has not been reported yet, spelt out: in nearly
// all stretches each memory instruction makes one access, and what happens besides is their end's.
struct wm_recorder_event {
    uint32_t pc;
    uint32_t pending; // 0: an access; else one more than its place in `pending`
};

// An arrival, an exit or a phase; the fields as wm_trace_item's.
struct wm_recorder_pending {
    uint64_t lanes;
    uint32_t pc, barrier, threads;
    enum wm_trace_event event;
    bool waits, others;
};

// The last item of a warp, which the next stretch may continue.
struct wm_recorder_open {
    struct wm_trace_item item; // count 0: none
    uint64_t repeats;          // of the item, before it
    uint64_t skipped, skipped_lanes;
};

struct wm_recorder_block {
    struct wm_recording_block *block;
    struct wm_recorder_block *next, *previous;
    uint64_t local_base;
    // What its warps' encoders hold together, but for the warp that runs and for what is put at a
    // chunk's end.
    size_t bytes;
    uint64_t steps;
    struct wm_mbarrier_table phases; // owned
    struct wm_recorder_open open[];  // by warp
};

enum { WM_RECORDER_EVENTS = 8192 }; // a chunk of the interpreter's has at most 1,024 instructions

struct wm_recorder {
    struct wm_recording_writer *writer; // owned
    bool memory_only, failed, skips_too_many;
    uint64_t most_bytes;                // of the file; 0: any number
    bool over;                          // it has them
    struct wm_recorder_module *modules; // owned
    struct wm_recorder_code *codes;     // owned
    uint32_t module_count, module_room, code_count, code_room;
    uint64_t *streams; // owned: the caller's numbers, by ours
    uint32_t stream_count, stream_room, stream;
    uint64_t launches;
    uint32_t last_stream;            // of a launch
    struct wm_launch_order *order;   // owned; NULL: the program has one stream so far
    bool ordered, command_has_event; // the command is in it; and has had an event
    bool numbers_commands;
    uint32_t command; // its number, where they have one
    bool alone;       // of the launch that comes next, as its priority
    int priority;
    // The launch.
    const struct wm_recorder_code *code; // NULL: none
    const struct wm_work *work;
    uint32_t sm_count, warps;
    struct wm_recorder_block *open_blocks, *free_blocks;
    // The warp that runs.
    struct wm_recorder_block *block;
    uint32_t warp;
    struct wm_recorder_open *open;
    struct wm_warp_encoder *encoder; // NULL: it is not recorded
    size_t bytes_before;             // of the encoder, when the warp's turn began; and steps
    uint64_t steps_before;
    // Its accesses that are not spelt out, before the one that `pending` then may hold: one of each
    // of the encoder's slots from the first to before the next. While none is pending, the next
    // stretch is expected to begin as the last one did.
    struct wm_encoder_slot *first_slot, *next_slot;
    // The next, where an access in it needs no closer look; else one that expects no access.
    struct wm_encoder_slot *expected_slot;
    struct wm_encoder_slot no_slot; // zero
    // The last stretch, while it alone is the open item, without an event, and each of its slots
    // had one access: a loop's comes again. `next` is NULL otherwise.
    struct {
        struct wm_warp_stretch stretch;
        const struct wm_encoder_slot *first, *next;
    } again;
    uint32_t event_count, pending_count;
    bool blocked; // the last instruction of the stretch is a test that is made again
    uint32_t blocked_pc;
    uint32_t parts; // accesses of the instruction so far, while its last one continues
    struct wm_recorder_event events[WM_RECORDER_EVENTS];
    struct wm_recorder_pending pending[WM_RECORDER_EVENTS];
};

// Ends the open items of all warps of a block.
void wm_recorder_items_flush(struct wm_recorder *recorder, struct wm_recorder_block *block);

#endif
