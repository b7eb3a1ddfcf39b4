// Reads the stream of one warp (trace/warp_stream.h), item by item, access by access. Whatever the
// bytes are, nothing outside them is read and nothing is handed out that the kernel does not have.
// One thread at a time.
#ifndef WM_TRACE_WARP_DECODER_H
#define WM_TRACE_WARP_DECODER_H

#include "trace/warp_stream.h"

struct wm_warp_decoder {
    struct wm_cursor control, data;
    const struct wm_trace_first *firsts; // borrowed
    uint32_t first_count, next_first;
    uint64_t control_run, data_run;
    uint64_t steps_left; // of those that the chunk says its items have
    struct wm_trace_successors successors;
    struct wm_trace_slot *slots; // borrowed: slot_count of them, this warp's own
    uint32_t slot_count;
    uint32_t instruction_count, lanes; // of the kernel; of a warp
    // Addresses in shared memory are passed over: wm_warp_decoder_regular leaves them undefined.
    bool skips_shared;
};

// The strings and firsts of one chunk, borrowed, and the steps of its items. `slots` is cleared.
void wm_warp_decoder_begin(struct wm_warp_decoder *decoder, struct wm_cursor control,
                           struct wm_cursor data, const struct wm_trace_first *firsts,
                           uint32_t first_count, uint64_t steps);

// The next item; false at the end of the chunk, or with `control.bad` set where the string is none.
bool wm_warp_decoder_item(struct wm_warp_decoder *decoder, struct wm_trace_item *item);

// The next access, which is of the memory instruction `slot`: all fields of `access` but pc, its
// addresses in `addresses` (room for WM_MAX_LANES). False when the string has none.
bool wm_warp_decoder_access(struct wm_warp_decoder *decoder, uint32_t slot,
                            struct wm_warp_access *access, uint64_t *addresses);
// The same, but where lanes lie at a base and a stride `access->addresses` is NULL and `addresses`
// is not written.
bool wm_warp_decoder_regular(struct wm_warp_decoder *decoder, uint32_t slot,
                             struct wm_warp_access *access, uint64_t *addresses);

#endif
