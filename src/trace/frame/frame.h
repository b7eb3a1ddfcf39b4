// A frame: the chunks of many blocks packed together, each string of bytes that warps have in
// common once (docs/formats/recording.md, "Frames"). A chunk is a part of one block's run: all of
// its warps, from where the block's chunk before ended. Private to trace/.
#ifndef WM_TRACE_FRAME_FRAME_H
#define WM_TRACE_FRAME_FRAME_H

#include "base/error.h"
#include "trace/warp/decoder.h"
#include "trace/warp/encoder.h"

// --- Packing ---

struct wm_frame_string {
    uint64_t hash;
    size_t offset, length;
};

struct wm_frame_packer {
    uint32_t slots, warps; // memory instructions of the kernel; warps of a block
    uint64_t chunk_count, string_count;
    struct wm_bytes chunks, ids, lengths, strings, slot_column, bases, shapes;
    struct wm_frame_string *table; // owned; open addressing, `table_size` a power of two
    uint32_t *numbers;             // owned; of the table's strings, plus 1
    uint64_t table_size;
    struct wm_trace_first_access *last; // owned; by slot
    uint64_t *last_step;                // owned; by slot
    uint64_t previous_block, previous_control, previous_data, previous_steps;
    uint64_t steps; // of all warps
    bool failed;
};

// Begins an empty frame for blocks of `warps` warps.
void wm_frame_packer_begin(struct wm_frame_packer *packer, uint32_t slots, uint32_t warps);
void wm_frame_packer_release(struct wm_frame_packer *packer);
// Adds the chunk number `sequence` of `block`; its encoders have ended. `last`: no more will come.
void wm_frame_packer_add(struct wm_frame_packer *packer, uint64_t block, uint64_t sequence,
                         bool last, const struct wm_warp_encoder *encoders);
static inline size_t wm_frame_packer_bytes(const struct wm_frame_packer *packer)
{
    return packer->chunks.length + packer->ids.length + packer->strings.length +
           packer->slot_column.length + packer->bases.length + packer->shapes.length;
}
// Writes the frame's content behind `content`.
void wm_frame_packer_end(struct wm_frame_packer *packer, uint64_t launch, struct wm_bytes *content);

// --- Unpacking ---

struct wm_frame_warp {
    uint32_t control, data; // strings
    uint64_t steps;         // of its items
    uint64_t first;         // among the firsts
    uint32_t first_count;
};

struct wm_frame_chunk {
    uint64_t block, sequence;
    bool last;
};

struct wm_frame {
    struct wm_bytes content; // owned
    uint64_t launch;
    uint64_t chunk_count, string_count, first_count;
    uint32_t warps;
    struct wm_frame_chunk *chunks;   // owned
    struct wm_frame_warp *warp;      // owned; chunk by chunk, warp by warp
    struct wm_cursor *strings;       // owned
    struct wm_decoded_first *firsts; // owned
    struct wm_trace_shape *shapes;   // owned; that these have
    uint64_t shape_count;
    // Owned; by string, of those that are control strings. NULL: none yet, no warp has begun;
    // wm_frame_unplanned: one has.
    struct wm_trace_plan **plans;
    uint32_t items_planned, long_strings;
};

extern struct wm_trace_plan wm_frame_unplanned;

// Takes the content over. WM_INVALID when it breaks the format or has slots beyond `slots`.
enum wm_status wm_frame_unpack(struct wm_bytes *content, uint32_t slots, uint32_t warps,
                               uint32_t lanes, struct wm_frame *frame, struct wm_error *error);
void wm_frame_release(struct wm_frame *frame);

static inline struct wm_trace_first_access wm_frame_first(const struct wm_frame *frame,
                                                          uint64_t index)
{
    const struct wm_decoded_first *first = &frame->firsts[index];
    return (struct wm_trace_first_access){
        .slot = first->slot, .base = first->base, .shape = frame->shapes[first->shape]};
}

#endif
