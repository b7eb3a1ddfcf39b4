#include "base/error.h"

static void fill(char *out, size_t size, const char *format, va_list arguments)
{
    int length = vsnprintf(out, size, format, arguments);
    if (length >= (int)size)
        memcpy(out + size - 4, "...", 4);
}

void wm_error_clear(struct wm_error *error)
{
    if (error)
        *error = (struct wm_error){.status = WM_OK};
}

enum wm_status wm_fail(struct wm_error *error, enum wm_status status, const char *format, ...)
{
    if (!error)
        return status;
    wm_error_clear(error);
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    fill(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

enum wm_status wm_fail_no_memory(struct wm_error *error, const char *format, ...)
{
    if (!error)
        return WM_NO_MEMORY;
    char what[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    fill(what, sizeof what, format, arguments);
    va_end(arguments);
    wm_fail(error, WM_NO_MEMORY, WM_NO_MEMORY_FOR "%s", what);
    wm_error_hint(error, "end other programs, raise the limit of this one's memory (ulimit -v, a "
                         "container's), or give it less to do at a time");
    return WM_NO_MEMORY;
}

enum wm_status wm_error_place(struct wm_error *error, const char *format, ...)
{
    if (!error)
        return WM_INVALID;
    va_list arguments;
    va_start(arguments, format);
    fill(error->place, sizeof error->place, format, arguments);
    va_end(arguments);
    return error->status;
}

enum wm_status wm_error_hint(struct wm_error *error, const char *format, ...)
{
    if (!error)
        return WM_INVALID;
    va_list arguments;
    va_start(arguments, format);
    fill(error->hint, sizeof error->hint, format, arguments);
    va_end(arguments);
    return error->status;
}

enum wm_status wm_error_excerpt(struct wm_error *error, const char *line, unsigned long length,
                                unsigned column)
{
    if (!error)
        return WM_INVALID;
    // A window of the line around the column, so that a caret in a very long line still shows.
    enum { WINDOW = 200 };
    if (column == 0)
        column = 1;
    unsigned long first = column > WINDOW / 2 ? column - WINDOW / 2 : 0;
    if (length <= WINDOW)
        first = 0;
    if (first > length)
        first = length;
    unsigned long shown = length - first < WINDOW ? length - first : WINDOW;
    size_t out = 0;
    for (unsigned long i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)line[first + i];
        error->excerpt[out++] = c == '\t' || c < 0x20 || c == 0x7f ? ' ' : (char)c;
    }
    error->excerpt[out++] = '\n';
    for (unsigned long i = first + 1; i < column && i <= first + shown; i++)
        error->excerpt[out++] = ' ';
    error->excerpt[out++] = '^';
    error->excerpt[out] = '\0';
    return error->status;
}

const char *wm_error_format(const struct wm_error *error, char *buffer, unsigned long size)
{
    size_t used = 0;
    buffer[0] = '\0';
#define ADD(...)                                                                            \
    do {                                                                                    \
        int added = snprintf(buffer + used, size - used, __VA_ARGS__);                      \
        used = added < 0 || used + (size_t)added >= size ? size - 1 : used + (size_t)added; \
    } while (0)
    if (error->place[0])
        ADD("error: %s: %s\n", error->place, error->message);
    else
        ADD("error: %s\n", error->message);
    if (error->excerpt[0]) {
        const char *caret = strchr(error->excerpt, '\n');
        int line = caret ? (int)(caret - error->excerpt) : (int)strlen(error->excerpt);
        ADD("  %.*s\n", line, error->excerpt);
        if (caret)
            ADD("  %s\n", caret + 1);
    }
    if (error->hint[0])
        ADD("hint: %s\n", error->hint);
#undef ADD
    return buffer;
}

const char *wm_status_name(enum wm_status status)
{
    switch (status) {
    case WM_OK: return "ok";
    case WM_INVALID: return "invalid";
    case WM_UNSUPPORTED: return "unsupported";
    case WM_NOT_FOUND: return "not-found";
    case WM_NO_MEMORY: return "no-memory";
    case WM_IO: return "io";
    case WM_LIMIT: return "limit";
    case WM_FAULT: return "fault";
    case WM_DEADLOCK: return "deadlock";
    case WM_STOPPED: return "stopped";
    }
    return "unknown";
}
