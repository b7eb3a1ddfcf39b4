// Reads the stream of one warp (trace/warp_stream.h), item by item, access by access. Whatever the
// bytes are, nothing outside them is read and nothing is handed out that the kernel does not have.
// One thread at a time.
#ifndef WM_TRACE_WARP_DECODER_H
#define WM_TRACE_WARP_DECODER_H

#include "trace/warp_stream.h"

// What each access needs stands together in 64 bytes, as do the items' parts: warps by the thousand
// take turns.
struct wm_warp_decoder {
    uint64_t data_run;
    struct wm_trace_slot *slots; // borrowed: slot_count of them, this warp's own
    struct wm_cursor data;
    const struct wm_trace_first *firsts; // borrowed
    uint32_t first_count, next_first;
    uint32_t lanes; // of a warp
    // Addresses in shared memory are passed over: wm_warp_decoder_regular leaves them undefined.
    bool skips_shared;

    uint32_t slot_count, instruction_count; // of the kernel
    uint64_t control_run;
    struct wm_cursor control;
    uint64_t steps_left; // of those that the chunk says its items have
    struct wm_trace_successors successors;
};

// The strings and firsts of one chunk, borrowed, and the steps of its items. `slots` is cleared.
void wm_warp_decoder_begin(struct wm_warp_decoder *decoder, struct wm_cursor control,
                           struct wm_cursor data, const struct wm_trace_first *firsts,
                           uint32_t first_count, uint64_t steps);

// The next item; NULL at the end of the chunk, or with `control.bad` set where the string is none.
// The decoder's own, until the next is asked for.
const struct wm_trace_item *wm_warp_decoder_next(struct wm_warp_decoder *decoder);
// The same in `*item`; false for NULL.
bool wm_warp_decoder_item(struct wm_warp_decoder *decoder, struct wm_trace_item *item);

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
    struct wm_trace_slot *expected = &decoder->slots[slot];
    if (decoder->data_run == 0 || decoder->data.bad || !expected->seen || expected->shape.irregular)
        return false;
    decoder->data_run--;
    expected->base += expected->step;
    return true;
}

#endif
