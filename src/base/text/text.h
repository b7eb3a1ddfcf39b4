// A growable string. Out of memory is remembered in `failed` and makes every later append a
// no-op, so that a long print is checked once, at its end.
#ifndef WM_BASE_TEXT_H
#define WM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct wm_text {
    char *data; // owned, NUL-terminated; NULL while empty
    size_t length, capacity;
    bool failed;
};

void wm_text_init(struct wm_text *text);
void wm_text_release(struct wm_text *text);
void wm_text_append(struct wm_text *text, const char *data, size_t length);
// Where the caller may write up to `most` bytes and then sets text->length behind them; NULL when
// the text has failed.
char *wm_text_reserve(struct wm_text *text, size_t most);
void wm_text_add(struct wm_text *text, const char *string);
void wm_text_format(struct wm_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Hands the buffer to the caller (free with free()); never NULL unless `failed`.
char *wm_text_take(struct wm_text *text);

#endif
