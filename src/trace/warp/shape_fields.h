// The fields of a shape that frames and the streams of warps write alike
// (docs/formats/recording.md, "Frames" and "Warps"). Private to trace/.
#ifndef WM_TRACE_WARP_SHAPE_FIELDS_H
#define WM_TRACE_WARP_SHAPE_FIELDS_H

#include "trace/warp/stream.h"

static inline void wm_trace_rows_put(struct wm_bytes *bytes, const struct wm_trace_shape *shape)
{
    if (shape->row_shift == 0)
        return;
    wm_bytes_put_number(bytes, shape->row_shift);
    wm_bytes_put_signed(bytes, shape->row_stride);
}

// `rows`: whether there are any.
static inline void wm_trace_rows_read(struct wm_cursor *cursor, bool rows,
                                      struct wm_trace_shape *shape)
{
    shape->row_shift = rows ? (uint8_t)wm_cursor_number_to(cursor, WM_TRACE_ROW_SHIFTS) : 0;
    shape->row_stride = rows ? wm_cursor_signed(cursor) : 0;
    cursor->bad |= rows && shape->row_shift == 0;
}

// What the access is, wherever its lanes lie.
static inline void wm_trace_words_put(struct wm_bytes *bytes, const struct wm_trace_shape *shape)
{
    wm_bytes_put_number(bytes, shape->space);
    wm_bytes_put_number(bytes, shape->kind | (shape->continues ? 4u : 0u));
    wm_bytes_put_number(bytes, shape->hint);
    wm_bytes_put_number(bytes, shape->bytes_per_lane);
}

static inline void wm_trace_words_read(struct wm_cursor *cursor, struct wm_trace_shape *shape)
{
    shape->space = (uint8_t)wm_cursor_number_to(cursor, WM_SPACE_TEXTURE);
    uint64_t kind = wm_cursor_number_to(cursor, WM_ACCESS_REDUCTION | 4);
    shape->kind = kind & 3;
    shape->continues = kind > 3;
    shape->hint = (uint8_t)wm_cursor_number_to(cursor, WM_HINT_NO_L1);
    shape->bytes_per_lane = (uint16_t)wm_cursor_number_to(cursor, 256);
}

#endif
