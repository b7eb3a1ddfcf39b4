// How a recording says what a launch, or a command that makes events, is ordered behind
// (docs/formats/recording.md, "Order"). Private to trace/.
#ifndef WM_TRACE_RECORDING_ORDER_H
#define WM_TRACE_RECORDING_ORDER_H

#include "base/error.h"
#include "trace/recording.h"
#include "trace/section/bytes.h"

enum {
    WM_ORDER_VERSION = 1, // of this part of the format, which its section has
    WM_ORDER_CONCURRENT = 1,
    WM_ORDER_WAITED = 2,
    WM_ORDER_PRIORITY = 4,
    WM_ORDER_ALONE = 8,
    WM_ORDER_GPU = 16,
    WM_ORDER_COMMAND = 32,
};

// Numbers of one order that was read; reused for the next. Zeros at first.
struct wm_order_buffer {
    uint64_t *numbers; // owned
    size_t capacity;
};

// `next`: how many launches come before it.
void wm_order_put(struct wm_bytes *bytes, const struct wm_recorded_order *order, uint64_t next);
// Reads one; its numbers lie in `room`. False when it cannot be: the cursor is bad, or `error` says
// which launch it names in vain. WM_NO_MEMORY there, too. `of_launch`: not of events.
bool wm_order_get(struct wm_cursor *cursor, uint64_t next, bool of_launch,
                  struct wm_order_buffer *room, struct wm_recorded_order *order,
                  struct wm_error *error);

#endif
