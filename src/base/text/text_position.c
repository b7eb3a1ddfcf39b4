#include "base/text/text_position.h"

#include <inttypes.h>
#include <string.h>

struct wm_text_place wm_text_position_of(const char *text, size_t length, size_t offset)
{
    struct wm_text_place place = {.line = 1, .column = 1};
    for (size_t i = 0; i < offset && i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n') {
            place.line++;
            place.column = 1;
        } else if ((c & 0xc0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

enum wm_status wm_error_point(struct wm_error *error, const char *file, const char *text,
                              size_t length, struct wm_text_place place)
{
    const char *begin = text, *end = text + length;
    for (uint32_t line = 1; line < place.line && begin < end; line++) {
        const char *newline = memchr(begin, '\n', (size_t)(end - begin));
        begin = newline ? newline + 1 : end;
    }
    const char *newline = begin < end ? memchr(begin, '\n', (size_t)(end - begin)) : NULL;
    size_t shown = (size_t)((newline ? newline : end) - begin);
    enum wm_status status =
        wm_error_place(error, "%s:%" PRIu32 ":%" PRIu32, file, place.line, place.column);
    return shown > 0 ? wm_error_excerpt(error, begin, shown, place.column) : status;
}
