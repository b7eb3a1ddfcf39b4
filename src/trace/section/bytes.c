#include "trace/section/bytes.h"

#include "base/containers/array.h"

#include <stdlib.h>

bool wm_bytes_grow(struct wm_bytes *bytes, size_t more)
{
    if (bytes->failed)
        return false;
    bytes->failed = !WM_ARRAY_RESERVE(bytes->data, bytes->length, bytes->capacity, more);
    return !bytes->failed;
}

void wm_bytes_release(struct wm_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct wm_bytes){0};
}

void wm_bytes_put(struct wm_bytes *bytes, const void *data, size_t length)
{
    if (length == 0 || !wm_bytes_reserve(bytes, length))
        return;
    memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
}

void wm_bytes_put_text(struct wm_bytes *bytes, const char *text)
{
    size_t length = text != NULL ? strlen(text) : 0;
    wm_bytes_put_number(bytes, length);
    wm_bytes_put(bytes, text, length);
}

uint64_t wm_cursor_long_number(struct wm_cursor *cursor)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && cursor->at != cursor->end; shift += 7) {
        uint64_t byte = *cursor->at++;
        if (shift == 63 && byte > 1)
            break;
        number |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return number;
    }
    cursor->bad = true;
    cursor->at = cursor->end;
    return 0;
}

const uint8_t *wm_cursor_take(struct wm_cursor *cursor, uint64_t length)
{
    if (length > wm_cursor_left(cursor)) {
        cursor->bad = true;
        cursor->at = cursor->end;
        return NULL;
    }
    const uint8_t *taken = cursor->at;
    cursor->at += length;
    return taken;
}

const char *wm_cursor_text(struct wm_cursor *cursor, size_t *length)
{
    uint64_t bytes = wm_cursor_number(cursor);
    const uint8_t *text = wm_cursor_take(cursor, bytes);
    *length = text != NULL ? (size_t)bytes : 0;
    if (text != NULL && memchr(text, '\0', *length) != NULL) {
        cursor->bad = true;
        text = NULL;
        *length = 0;
    }
    return (const char *)text;
}
