// Reads the stream of one warp (trace/warp/stream.h), item by item, access by access. Whatever the
// bytes are, nothing outside them is read and nothing is handed out that the kernel does not have.
// One thread at a time.
#ifndef WM_TRACE_WARP_DECODER_H
#define WM_TRACE_WARP_DECODER_H

#include "trace/warp/stream.h"

// What a chunk has of a warp: all is borrowed.
struct wm_warp_part {
    struct wm_cursor control, data;
    const struct wm_decoded_first *firsts;
    const struct wm_trace_shape *shapes; // that these have
    uint32_t first_count;
    uint64_t steps; // of its items
    // Its items, where others have the same and they are read already; else NULL, and `control` and
    // `steps` say which they are.
    const struct wm_trace_plan *plan;
};

// All items of a control string, which many warps share.
struct wm_trace_plan {
    uint64_t steps;
    uint32_t count;
    bool once; // no memory instruction makes more than one access
    struct wm_trace_item items[];
};

// What each access needs stands together in 64 bytes, as do the items' parts: warps by the thousand
// take turns.
struct wm_warp_decoder {
    uint64_t data_run;
    struct wm_decoder_slot *slots; // borrowed: slot_count of them, this warp's own unless `once`
    struct wm_cursor data;
    const struct wm_decoded_first *firsts; // those not met yet
    const struct wm_trace_shape *shapes;
    uint32_t firsts_left;
    uint32_t chunk; // a number that no slot was met in before the chunk

    uint64_t control_run;
    struct wm_cursor control;
    uint64_t steps_left;                 // of those that the chunk says its items have
    const struct wm_trace_item *planned; // the next of the part's plan
    uint32_t planned_left;
    uint32_t lanes; // of a warp
    // Addresses of loads and stores in shared memory are passed over: wm_warp_decoder_regular
    // leaves them undefined.
    bool skips_shared;
    // By the part's plan each slot is met once: what `slots` know is needed during one access, and
    // other decoders may use the same ones in between.
    bool once;
    uint16_t known; // of `successors`, bit by key

    // Borrowed: WM_TRACE_KEYS of them, this warp's own, what is expected to follow an item. Not
    // touched under a plan, where they may be missing.
    struct wm_trace_item *successors;
    struct wm_trace_previous_item last;
    uint32_t slot_count, instruction_count; // of the kernel
};
static_assert(WM_TRACE_KEYS <= 16, "a bit each in `known`");

// Begins with a part, from which `slots` know nothing yet.
void wm_warp_decoder_begin(struct wm_warp_decoder *decoder, const struct wm_warp_part *part);

// The next item; NULL at the end of the chunk, or with `control.bad` set where the string is none.
// The decoder's own, until the next is read.
const struct wm_trace_item *wm_warp_decoder_read_item(struct wm_warp_decoder *decoder);
static inline const struct wm_trace_item *wm_warp_decoder_next(struct wm_warp_decoder *decoder)
{
    if (decoder->planned_left == 0)
        return wm_warp_decoder_read_item(decoder);
    decoder->planned_left--;
    return decoder->planned++;
}
// The same in `*item`; false for NULL.
bool wm_warp_decoder_item(struct wm_warp_decoder *decoder, struct wm_trace_item *item);

// The plan of a part without one, for a kernel and warps as the decoder's; the caller frees it.
// NULL when it has more than `most` items, breaks the format, or there is no memory.
struct wm_trace_plan *wm_trace_plan_new(const struct wm_warp_decoder *decoder,
                                        const struct wm_warp_part *part, uint32_t most);

// The next access, which is of the memory instruction `slot`: all fields of `access` but pc, its
// addresses in `addresses` (room for WM_MAX_LANES). False when the string has none.
bool wm_warp_decoder_access(struct wm_warp_decoder *decoder, uint32_t slot,
                            struct wm_warp_access *access, uint64_t *addresses);
// The same, but where lanes lie at a base and a stride `access->addresses` is NULL and `addresses`
// is not written.
bool wm_warp_decoder_regular(struct wm_warp_decoder *decoder, uint32_t slot,
                             struct wm_warp_access *access, uint64_t *addresses);

// Takes the next access, of the memory instruction `slot`, where it is as predicted and its lanes
// lie at a base and a stride: decoder->slots[slot] says how. False, with nothing taken, where the
// string has to be read.
static inline bool wm_warp_decoder_predicted(struct wm_warp_decoder *decoder, uint32_t slot)
{
    struct wm_decoder_slot *expected = &decoder->slots[slot];
    if (decoder->data_run == 0 || decoder->data.bad || expected->seen_in != decoder->chunk ||
        expected->shape.irregular)
        return false;
    decoder->data_run--;
    expected->base += expected->step;
    return true;
}

// Takes the next access, of the memory instruction `slot`, where it is the first there and the plan
// has no other, and its lanes lie at a base and a stride: how, as the frame has it, and the base in
// `*base`. decoder->slots need not know. NULL, with nothing taken, where the string has to be read.
static inline const struct wm_trace_shape *wm_warp_decoder_take_first(
    struct wm_warp_decoder *decoder, uint32_t slot, uint64_t *base)
{
    const struct wm_decoded_first *first = decoder->firsts;
    struct wm_cursor *data = &decoder->data;
    if (!decoder->once || decoder->data_run != 0 || data->bad || data->at == data->end ||
        *data->at != WM_TRACE_FIRST || decoder->firsts_left == 0 || first->slot != slot)
        return NULL;
    const struct wm_trace_shape *shape = &decoder->shapes[first->shape];
    if (shape->irregular || shape->bytes_per_lane == 0 ||
        shape->bytes_per_lane > WM_MAX_ACCESS_BYTES)
        return NULL;
    data->at++;
    decoder->firsts++;
    decoder->firsts_left--;
    *base = first->base;
    return shape;
}

#endif
