#include "trace/recording_order.h"

#include "base/access/gpu_addresses.h"
#include "base/containers/array.h"

#include <inttypes.h>
#include <stdlib.h>

// From the largest down, each less the one before.
static void put_numbers(struct wm_bytes *bytes, const struct wm_recorded_numbers *numbers,
                        uint64_t next)
{
    wm_bytes_put_number(bytes, numbers->count);
    for (uint32_t i = numbers->count; i > 0; i--) {
        wm_bytes_put_number(bytes, next - numbers->items[i - 1]);
        next = numbers->items[i - 1];
    }
}

void wm_order_put(struct wm_bytes *bytes, const struct wm_recorded_order *order, uint64_t next)
{
    uint64_t flags =
        (order->concurrent ? WM_ORDER_CONCURRENT : 0) | (order->waited ? WM_ORDER_WAITED : 0) |
        (order->priority != 0 ? WM_ORDER_PRIORITY : 0) | (order->alone ? WM_ORDER_ALONE : 0) |
        (order->gpu != 0 ? WM_ORDER_GPU : 0) | (order->command != 0 ? WM_ORDER_COMMAND : 0);
    wm_bytes_put_number(bytes, flags);
    if (order->concurrent)
        put_numbers(bytes, &order->behind, next);
    if (order->waited) {
        wm_bytes_put_number(bytes, next - order->ended_below);
        put_numbers(bytes, &order->ended, next);
    }
    if (order->priority != 0)
        wm_bytes_put_signed(bytes, (uint64_t)(int64_t)order->priority);
    if (order->gpu != 0)
        wm_bytes_put_number(bytes, order->gpu);
    if (order->command != 0)
        wm_bytes_put_number(bytes, order->command);
}

// `apart`: how much less than `before` the launch's number is said to be; `first`: `before` is what
// is ordered.
static bool refuse(uint64_t before, uint64_t apart, bool first, struct wm_error *error)
{
    if (apart == 0 && first)
        wm_fail(error, WM_INVALID, "it waits for itself, launch %" PRIu64, before);
    else if (apart == 0)
        wm_fail(error, WM_INVALID, "it waits for launch %" PRIu64 " twice", before);
    else if (first && apart > UINT64_MAX / 2)
        wm_fail(error, WM_INVALID, "it waits for launch %" PRIu64 ", which comes behind it",
                before - apart);
    else
        wm_fail(error, WM_INVALID,
                "it waits for a launch that is not there, %" PRIu64 " before launch %" PRIu64,
                apart, before);
    return false;
}

// Into `items`, which has room for as many as there are bytes left.
static bool get_numbers(struct wm_cursor *cursor, uint64_t next, uint64_t *items,
                        struct wm_recorded_numbers *numbers, struct wm_error *error)
{
    uint64_t count = wm_cursor_number_to(cursor, wm_cursor_left(cursor));
    if (cursor->bad || count > wm_cursor_left(cursor)) {
        cursor->bad = true;
        return false;
    }
    *numbers = (struct wm_recorded_numbers){.items = items, .count = (uint32_t)count};
    for (uint64_t i = count; i > 0; i--) {
        uint64_t apart = wm_cursor_number(cursor);
        if (cursor->bad)
            return false;
        if (apart == 0 || apart > next)
            return refuse(next, apart, i == count, error);
        items[i - 1] = next -= apart;
    }
    return true;
}

static bool make_room(struct wm_order_buffer *room, size_t count)
{
    return WM_ARRAY_RESERVE(room->numbers, 0, room->capacity, count);
}

static bool get_waited(struct wm_cursor *cursor, uint64_t next, uint64_t *items,
                       struct wm_recorded_order *order, struct wm_error *error)
{
    uint64_t apart = wm_cursor_number(cursor);
    if (cursor->bad)
        return false;
    if (apart > next)
        return refuse(next, apart, true, error);
    order->waited = true;
    order->ended_below = next - apart;
    return get_numbers(cursor, next, items, &order->ended, error);
}

// Of a launch, or of any command.
static uint64_t get_flags(struct wm_cursor *cursor, bool of_launch)
{
    uint64_t known = of_launch ? 2 * WM_ORDER_COMMAND - 1
                               : WM_ORDER_CONCURRENT | WM_ORDER_WAITED | WM_ORDER_COMMAND;
    uint64_t flags = wm_cursor_number(cursor);
    cursor->bad |= (flags & ~known) != 0;
    return flags;
}

bool wm_order_get(struct wm_cursor *cursor, uint64_t next, bool of_launch,
                  struct wm_order_buffer *room, struct wm_recorded_order *order,
                  struct wm_error *error)
{
    *order = (struct wm_recorded_order){0};
    uint64_t flags = get_flags(cursor, of_launch);
    cursor->bad |= of_launch && flags == 0; // then nothing is said
    size_t most = wm_cursor_left(cursor);
    if (!make_room(room, 2 * most + 1)) {
        wm_fail_no_memory(error, "what a launch waits for");
        return false;
    }
    order->concurrent = (flags & WM_ORDER_CONCURRENT) != 0;
    order->alone = (flags & WM_ORDER_ALONE) != 0;
    if (order->concurrent && !get_numbers(cursor, next, room->numbers, &order->behind, error))
        return false;
    if ((flags & WM_ORDER_WAITED) != 0 &&
        !get_waited(cursor, next, room->numbers + most, order, error))
        return false;
    if ((flags & WM_ORDER_PRIORITY) != 0) {
        int64_t priority = (int64_t)wm_cursor_signed(cursor);
        cursor->bad |= priority == 0 || priority < INT32_MIN || priority > INT32_MAX;
        order->priority = (int32_t)priority;
    }
    if ((flags & WM_ORDER_GPU) != 0) {
        order->gpu = (uint32_t)wm_cursor_number_to(cursor, WM_MOST_GPUS - 1);
        cursor->bad |= order->gpu == 0;
    }
    if ((flags & WM_ORDER_COMMAND) != 0) {
        order->command = (uint32_t)wm_cursor_number_to(cursor, UINT32_MAX);
        cursor->bad |= order->command == 0;
    }
    return !cursor->bad;
}
