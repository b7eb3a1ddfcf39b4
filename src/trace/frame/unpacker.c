#include "base/containers/array.h"
#include "trace/frame/frame.h"

#include "trace/warp/shape_fields.h"

#include <stdlib.h>

struct wm_trace_plan wm_frame_unplanned;

// The columns of a frame, each read up to its own end.
struct columns {
    struct wm_cursor chunks, ids, lengths, slots, bases, shapes, strings;
    bool too_long; // its steps
};

static struct wm_cursor take_column(struct wm_cursor *content)
{
    uint64_t length = wm_cursor_number(content);
    const uint8_t *data = wm_cursor_take(content, length);
    return wm_cursor_of(data, data != NULL ? (size_t)length : 0);
}

static bool read_chunks(struct wm_frame *frame, struct columns *columns)
{
    uint64_t block = 0;
    for (uint64_t i = 0; i < frame->chunk_count; i++) {
        block += wm_cursor_signed(&columns->chunks);
        uint64_t word = wm_cursor_number(&columns->chunks);
        frame->chunks[i] =
            (struct wm_frame_chunk){.block = block, .sequence = word >> 1, .last = (word & 1) != 0};
    }
    return !columns->chunks.bad && wm_cursor_left(&columns->chunks) == 0;
}

static bool read_strings(struct wm_frame *frame, struct columns *columns)
{
    for (uint64_t i = 0; i < frame->string_count; i++) {
        uint64_t length = wm_cursor_number(&columns->lengths);
        const uint8_t *data = wm_cursor_take(&columns->strings, length);
        if (data == NULL)
            return false;
        frame->strings[i] = wm_cursor_of(data, (size_t)length);
    }
    return !columns->lengths.bad && wm_cursor_left(&columns->lengths) == 0 &&
           wm_cursor_left(&columns->strings) == 0;
}

static struct wm_trace_shape read_shape(struct wm_cursor *cursor, uint64_t flags, uint32_t lanes)
{
    struct wm_trace_shape shape = {.irregular = (flags & 2) != 0};
    shape.mask = wm_cursor_any_number(cursor);
    shape.stride = wm_cursor_signed(cursor);
    wm_trace_rows_read(cursor, (flags & 4) != 0, &shape);
    wm_trace_words_read(cursor, &shape);
    cursor->bad |= shape.mask == 0 || (shape.mask & ~wm_all_lanes(lanes)) != 0 || (flags & 1) == 0;
    return shape;
}

enum {
    TOLD_NUMBERS = 7,   // of a shape, and two more with rows
    KNOWN_SHAPES = 256, // kept at hand: most that are read were read before
};

// A shape as it is encoded, byte by byte, and zeros behind it.
struct encoded_shape {
    uint64_t low, high;
    uint32_t length; // 0: too long, or too near to the column's end
};

struct known_shape {
    uint64_t low, high;
    uint32_t shape; // among the frame's, plus one; 0: none
};

// While firsts are read: of each slot, what its last was; and shapes read before, by a hash of
// their bytes.
struct slot_history {
    uint64_t base, step;
    uint32_t shape; // among the frame's, plus one; 0: none
};

struct history {
    struct slot_history *slots;
    struct known_shape known[KNOWN_SHAPES];
    uint64_t shape_room; // of frame->shapes
    bool no_memory;
};

static struct encoded_shape encoded_shape_at(const struct wm_cursor *cursor)
{
    struct encoded_shape encoded = {0};
    enum { MOST = sizeof encoded.low + sizeof encoded.high };
    if (wm_cursor_left(cursor) < MOST)
        return encoded;
    memcpy(&encoded.low, cursor->at, sizeof encoded.low);
    memcpy(&encoded.high, cursor->at + sizeof encoded.low, sizeof encoded.high);
    uint32_t ends = wm_number_ends(encoded.low) | wm_number_ends(encoded.high) << 8;
    for (int i = 1; i < TOLD_NUMBERS; i++)
        ends &= ends - 1;
    if ((encoded.low & 4) != 0) // rows
        for (int i = 0; i < 2; i++)
            ends &= ends - 1;
    if (ends == 0)
        return encoded;
    encoded.length = (uint32_t)__builtin_ctz(ends) + 1;
    uint32_t behind = 8 * (MOST - encoded.length); // bits that are not of the shape
    encoded.low &= behind > 64 ? UINT64_MAX >> (behind - 64) : UINT64_MAX;
    encoded.high &= behind < 64 ? UINT64_MAX >> behind : 0;
    return encoded;
}

static bool make_room_for_shape(struct wm_frame *frame, struct history *history)
{
    if (frame->shape_count < history->shape_room)
        return true;
    history->no_memory = !WM_ARRAY_RESERVE(frame->shapes, frame->shape_count, history->shape_room,
                                           (uint64_t)KNOWN_SHAPES);
    return !history->no_memory;
}

// The next shape's number in the frame, plus one; 0 when it is none, or out of memory. `last` is
// that of the slot's last.
static uint32_t take_shape(struct wm_frame *frame, struct wm_cursor *cursor, uint32_t lanes,
                           struct history *history, uint32_t last)
{
    if (cursor->at != cursor->end && *cursor->at == 0) { // most often it is the same
        cursor->at++;
        return last;
    }
    struct encoded_shape encoded = encoded_shape_at(cursor);
    uint64_t mixed = (encoded.low ^ encoded.high * 3) * UINT64_C(0x9E3779B97F4A7C15);
    struct known_shape *known = &history->known[mixed >> 56];
    if (encoded.length != 0 && known->shape != 0 &&
        ((known->low ^ encoded.low) | (known->high ^ encoded.high)) == 0) {
        cursor->at += encoded.length;
        return known->shape;
    }
    uint64_t flags = wm_cursor_number_to(cursor, 5);
    if (flags == 0)
        return cursor->bad ? 0 : last;
    struct wm_trace_shape shape = read_shape(cursor, flags, lanes);
    if (cursor->bad || !make_room_for_shape(frame, history))
        return 0;
    frame->shapes[frame->shape_count++] = shape;
    if (encoded.length != 0)
        *known = (struct known_shape){
            .low = encoded.low, .high = encoded.high, .shape = (uint32_t)frame->shape_count};
    return (uint32_t)frame->shape_count;
}

static bool read_firsts(struct wm_frame *frame, struct columns *columns, uint32_t slots,
                        uint32_t lanes, uint64_t count, struct history *history)
{
    uint64_t expected = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t slot = expected + wm_cursor_signed(&columns->slots);
        if (slot >= slots || columns->slots.bad)
            return false;
        expected = slot + 1;
        struct slot_history *last = &history->slots[slot];
        last->step += wm_unzigzag(wm_cursor_any_number(&columns->bases));
        last->base += last->step;
        last->shape = take_shape(frame, &columns->shapes, lanes, history, last->shape);
        if (columns->bases.bad || last->shape == 0)
            return false;
        frame->firsts[frame->first_count++] = (struct wm_decoded_first){
            .base = last->base, .slot = (uint32_t)slot, .shape = last->shape - 1};
    }
    return true;
}

static bool read_warps(struct wm_frame *frame, struct columns *columns, uint32_t slots,
                       uint32_t lanes, struct history *history)
{
    uint64_t warps = frame->chunk_count * frame->warps, control = 0, data = 0, steps = 0;
    uint64_t steps_left = WM_TRACE_FRAME_STEPS;
    uint64_t most = wm_cursor_count(&columns->bases); // a first has a number there
    for (uint64_t i = 0; i < warps; i++) {
        control += wm_unzigzag(wm_cursor_any_number(&columns->ids));
        data += wm_unzigzag(wm_cursor_any_number(&columns->ids));
        steps += wm_cursor_signed(&columns->ids);
        uint64_t count = wm_cursor_number(&columns->slots);
        if (columns->ids.bad || columns->slots.bad || control >= frame->string_count ||
            data >= frame->string_count || count > most - frame->first_count)
            return false;
        columns->too_long = steps > steps_left;
        if (columns->too_long)
            return false;
        steps_left -= steps;
        frame->warp[i] = (struct wm_frame_warp){.control = (uint32_t)control,
                                                .data = (uint32_t)data,
                                                .steps = steps,
                                                .first = frame->first_count,
                                                .first_count = (uint32_t)count};
        if (!read_firsts(frame, columns, slots, lanes, count, history))
            return false;
    }
    return wm_cursor_left(&columns->ids) == 0 && wm_cursor_left(&columns->slots) == 0 &&
           wm_cursor_left(&columns->bases) == 0 && wm_cursor_left(&columns->shapes) == 0;
}

static bool allocate(struct wm_frame *frame, const struct columns *columns)
{
    // Every chunk, warp, string and first has a byte at least of its column: no count that was read
    // takes more memory than a multiple of the frame's size.
    if (frame->chunk_count > wm_cursor_left(&columns->chunks) ||
        frame->string_count > wm_cursor_left(&columns->lengths) ||
        frame->chunk_count * frame->warps > wm_cursor_left(&columns->ids))
        return false;
    frame->chunks = calloc(frame->chunk_count + 1, sizeof *frame->chunks);
    frame->warp = calloc(frame->chunk_count * frame->warps + 1, sizeof *frame->warp);
    frame->strings = calloc(frame->string_count + 1, sizeof *frame->strings);
    frame->plans = calloc(frame->string_count + 1, sizeof(struct wm_trace_plan *));
    // Each has a number there. They are written one by one, and so many that zeros would cost.
    frame->firsts = malloc((wm_cursor_count(&columns->bases) + 1) * sizeof *frame->firsts);
    return true;
}

static bool allocated(const struct wm_frame *frame, const struct history *history)
{
    return frame->chunks != NULL && frame->warp != NULL && frame->strings != NULL &&
           frame->firsts != NULL && frame->plans != NULL && history->slots != NULL;
}

enum wm_status wm_frame_unpack(struct wm_bytes *content, uint32_t slots, uint32_t warps,
                               uint32_t lanes, struct wm_frame *frame, struct wm_error *error)
{
    *frame = (struct wm_frame){.content = *content, .warps = warps};
    *content = (struct wm_bytes){0};
    struct wm_cursor cursor = wm_cursor_of(frame->content.data, frame->content.length);
    frame->launch = wm_cursor_number(&cursor);
    frame->chunk_count = wm_cursor_number(&cursor);
    frame->string_count = wm_cursor_number(&cursor);
    struct columns columns = {.chunks = take_column(&cursor)};
    columns.ids = take_column(&cursor);
    columns.lengths = take_column(&cursor);
    columns.slots = take_column(&cursor);
    columns.bases = take_column(&cursor);
    columns.shapes = take_column(&cursor);
    columns.strings = take_column(&cursor);
    struct history history = {.slots = calloc(slots + UINT64_C(1), sizeof *history.slots)};
    bool good = !cursor.bad && wm_cursor_left(&cursor) == 0 && allocate(frame, &columns);
    enum wm_status status = WM_OK;
    history.no_memory = good && !allocated(frame, &history);
    good = good && !history.no_memory && read_chunks(frame, &columns) &&
           read_strings(frame, &columns) && read_warps(frame, &columns, slots, lanes, &history);
    if (history.no_memory)
        status = wm_fail_no_memory(error, "a frame of %zu bytes", frame->content.length);
    else if (!good)
        status = wm_fail(error, WM_INVALID,
                         columns.too_long ? "it has more steps than any may have"
                                          : "its columns do not fit together");
    free(history.slots);
    if (status != WM_OK)
        wm_frame_release(frame);
    return status;
}

void wm_frame_release(struct wm_frame *frame)
{
    for (uint64_t i = 0; frame->plans != NULL && i < frame->string_count; i++)
        if (frame->plans[i] != &wm_frame_unplanned)
            free(frame->plans[i]);
    free(frame->plans);
    wm_bytes_release(&frame->content);
    free(frame->chunks);
    free(frame->warp);
    free(frame->strings);
    free(frame->firsts);
    free(frame->shapes);
    *frame = (struct wm_frame){0};
}
