// A growing buffer of bytes, and a cursor that never reads past its end. Private to trace/.
// Numbers are variable-length (LEB128: seven bits a byte, lowest first), signed ones zigzag.
#ifndef WM_TRACE_SECTION_BYTES_H
#define WM_TRACE_SECTION_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct wm_bytes {
    uint8_t *data; // owned; NULL while empty
    size_t length, capacity;
    bool failed; // memory ran out; later writes do nothing
};

// Room for `more` bytes behind the end; false and `failed` when memory runs out.
bool wm_bytes_grow(struct wm_bytes *bytes, size_t more);
static inline bool wm_bytes_reserve(struct wm_bytes *bytes, size_t more)
{
    return (bytes->capacity - bytes->length >= more && !bytes->failed) ||
           wm_bytes_grow(bytes, more);
}
void wm_bytes_release(struct wm_bytes *bytes);
void wm_bytes_put(struct wm_bytes *bytes, const void *data, size_t length);
// Length and bytes; NULL is written as "".
void wm_bytes_put_text(struct wm_bytes *bytes, const char *text);

enum { WM_MOST_VARINT_BYTES = 10 };

// The unchecked form, where wm_bytes_reserve has made room.
static inline uint8_t *wm_varint_write(uint8_t *at, uint64_t number)
{
    while (number >= 0x80) {
        *at++ = (uint8_t)(number | 0x80);
        number >>= 7;
    }
    *at++ = (uint8_t)number;
    return at;
}

static inline uint64_t wm_zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t wm_unzigzag(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

static inline void wm_bytes_put_number(struct wm_bytes *bytes, uint64_t number)
{
    if (bytes->capacity - bytes->length < WM_MOST_VARINT_BYTES &&
        !wm_bytes_reserve(bytes, WM_MOST_VARINT_BYTES))
        return;
    bytes->length = (size_t)(wm_varint_write(bytes->data + bytes->length, number) - bytes->data);
}

static inline void wm_bytes_put_signed(struct wm_bytes *bytes, uint64_t difference)
{
    wm_bytes_put_number(bytes, wm_zigzag(difference));
}

// What is left to read. `bad` once more was read than there is, or a number was none: every later
// read gives 0, so that a reader checks once, at the end of a part.
struct wm_cursor {
    const uint8_t *at, *end;
    bool bad;
};

static inline struct wm_cursor wm_cursor_of(const void *data, size_t length)
{
    const uint8_t *bytes = data;
    // NULL is the address of no bytes, and even 0 may not be added to it (C17 6.5.6).
    return (struct wm_cursor){.at = bytes, .end = length != 0 ? bytes + length : bytes};
}

static inline size_t wm_cursor_left(const struct wm_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

uint64_t wm_cursor_long_number(struct wm_cursor *cursor);

static inline uint64_t wm_cursor_number(struct wm_cursor *cursor)
{
    if (cursor->at != cursor->end && *cursor->at < 0x80)
        return *cursor->at++;
    return wm_cursor_long_number(cursor);
}

// In each of 8 bytes, whether a number ends with it.
#define WM_NUMBER_ENDS UINT64_C(0x8080808080808080)

// The same bit by byte.
static inline uint32_t wm_number_ends(uint64_t bytes)
{
    return (uint32_t)((~bytes & WM_NUMBER_ENDS) * UINT64_C(0x0002040810204081) >> 56);
}

// The number that the lowest bytes of `bytes` are, up to the end that is lowest in `ends`.
static inline uint64_t wm_number_in(uint64_t bytes, uint64_t ends)
{
    uint64_t number = bytes & (ends ^ (ends - 1)) & ~WM_NUMBER_ENDS;
    number = (number & UINT64_C(0x7f007f007f007f00)) >> 1 | (number & UINT64_C(0x7f007f007f007f));
    number = (number & UINT64_C(0x3fff00003fff0000)) >> 2 | (number & UINT64_C(0x3fff00003fff));
    return (number & UINT64_C(0xfffffff00000000)) >> 4 | (number & UINT64_C(0xfffffff));
}

// The same as wm_cursor_number, without a branch on how long it is: for numbers of all lengths.
static inline uint64_t wm_cursor_any_number(struct wm_cursor *cursor)
{
    uint64_t bytes, ends;
    if (__builtin_expect(wm_cursor_left(cursor) < sizeof bytes, 0))
        return wm_cursor_number(cursor);
    memcpy(&bytes, cursor->at, sizeof bytes);
    ends = ~bytes & WM_NUMBER_ENDS;
    if (__builtin_expect(ends == 0, 0))
        return wm_cursor_long_number(cursor);
    cursor->at += ((uint32_t)__builtin_ctzll(ends) + 1) / 8;
    return wm_number_in(bytes, ends);
}

static inline uint64_t wm_cursor_signed(struct wm_cursor *cursor)
{
    return wm_unzigzag(wm_cursor_number(cursor));
}

// How many numbers end in what is left.
static inline size_t wm_cursor_count(const struct wm_cursor *cursor)
{
    size_t count = 0;
    for (const uint8_t *at = cursor->at; at != cursor->end; at++)
        count += *at < 0x80;
    return count;
}

// A number of at most `most`; a larger one is bad.
static inline uint64_t wm_cursor_number_to(struct wm_cursor *cursor, uint64_t most)
{
    uint64_t number = wm_cursor_number(cursor);
    if (number <= most)
        return number;
    cursor->bad = true;
    return 0;
}

// `length` bytes, or NULL when there are not as many.
const uint8_t *wm_cursor_take(struct wm_cursor *cursor, uint64_t length);
// A text as wm_bytes_put_text writes it, without its length; NULL when it is not whole or has a NUL
// in it. Not terminated: `*length` of it.
const char *wm_cursor_text(struct wm_cursor *cursor, size_t *length);

#endif
