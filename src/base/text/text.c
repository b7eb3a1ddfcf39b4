#include "base/text/text.h"

#include "base/containers/array.h"

#include <stdarg.h>

void wm_text_init(struct wm_text *text)
{
    *text = (struct wm_text){0};
}

void wm_text_release(struct wm_text *text)
{
    free(text->data);
    *text = (struct wm_text){0};
}

static bool reserve(struct wm_text *text, size_t more)
{
    if (text->failed)
        return false;
    text->failed = more == (size_t)-1 || // and a byte that ends it
                   !WM_ARRAY_RESERVE(text->data, text->length, text->capacity, more + 1);
    return !text->failed;
}

void wm_text_append(struct wm_text *text, const char *data, size_t length)
{
    if (!reserve(text, length))
        return;
    memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = '\0';
}

char *wm_text_reserve(struct wm_text *text, size_t most)
{
    return reserve(text, most) ? text->data + text->length : NULL;
}

void wm_text_add(struct wm_text *text, const char *string)
{
    wm_text_append(text, string, strlen(string));
}

void wm_text_format(struct wm_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, (size_t)length)) {
        text->failed = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

char *wm_text_take(struct wm_text *text)
{
    wm_text_append(text, "", 0);
    char *data = text->failed ? NULL : text->data;
    if (text->failed)
        free(text->data);
    *text = (struct wm_text){.failed = text->failed};
    return data;
}
