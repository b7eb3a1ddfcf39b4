// Places in a text file, as errors about it name them: lines and columns, both 1-based, columns in
// characters of UTF-8.
#ifndef WM_BASE_TEXT_POSITION_H
#define WM_BASE_TEXT_POSITION_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct wm_text_place {
    uint32_t line, column;
};

// Of the byte `offset`; behind the text, of its end.
struct wm_text_place wm_text_position_of(const char *text, size_t length, size_t offset);

// Adds "file:line:column" and the line itself to an error already set; a line that is empty, or
// behind the text, shows none. Returns as wm_error_place does.
enum wm_status wm_error_point(struct wm_error *error, const char *file, const char *text,
                              size_t length, struct wm_text_place place);

#endif
