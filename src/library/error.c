#include "library/handles.h"

#include <stdio.h>
#include <string.h>

// The two errors are one struct under two names, so that neither header needs the other.
_Static_assert(sizeof(struct warpmem_error) == sizeof(struct wm_error) &&
                   offsetof(struct warpmem_error, place) == offsetof(struct wm_error, place) &&
                   offsetof(struct warpmem_error, message) == offsetof(struct wm_error, message) &&
                   offsetof(struct warpmem_error, excerpt) == offsetof(struct wm_error, excerpt) &&
                   offsetof(struct warpmem_error, hint) == offsetof(struct wm_error, hint),
               "the texts have one layout");
_Static_assert((int)WARPMEM_INVALID == WM_INVALID && (int)WARPMEM_UNSUPPORTED == WM_UNSUPPORTED &&
                   (int)WARPMEM_NOT_FOUND == WM_NOT_FOUND &&
                   (int)WARPMEM_NO_MEMORY == WM_NO_MEMORY && (int)WARPMEM_IO == WM_IO &&
                   (int)WARPMEM_LIMIT == WM_LIMIT,
               "statuses are the same numbers");

const char *warpmem_version(void)
{
    return WARPMEM_VERSION;
}

enum warpmem_status wm_library_good(struct warpmem_error *error)
{
    // Once an access: not the two kilobytes, but the ends of the texts.
    if (error) {
        error->status = WARPMEM_OK;
        error->place[0] = error->message[0] = error->excerpt[0] = error->hint[0] = '\0';
    }
    return WARPMEM_OK;
}

enum warpmem_status wm_library_report(const struct wm_error *from, const char *function,
                                      struct warpmem_error *error)
{
    if (error) {
        memcpy(error, from, sizeof *error);
        if (!error->place[0])
            snprintf(error->place, sizeof error->place, "%s", function);
    }
    return (enum warpmem_status)from->status;
}

enum warpmem_status wm_library_refuse(const char *function, enum warpmem_status status,
                                      struct warpmem_error *error, const char *format, ...)
{
    if (!error)
        return status;
    memset(error, 0, sizeof *error);
    error->status = status;
    snprintf(error->place, sizeof error->place, "%s", function);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

enum warpmem_status wm_library_refuse_null(const char *function, struct warpmem_error *error,
                                           const char *argument)
{
    return wm_library_refuse(function, WARPMEM_INVALID, error, "%s is NULL", argument);
}

enum warpmem_status wm_library_hint(enum warpmem_status status, struct warpmem_error *error,
                                    const char *format, ...)
{
    if (!error)
        return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->hint, sizeof error->hint, format, arguments);
    va_end(arguments);
    return status;
}

const char *warpmem_error_format(const struct warpmem_error *error, char *buffer, size_t size)
{
    if (!buffer || size == 0)
        return "";
    buffer[0] = '\0';
    if (!error)
        return buffer;
    struct wm_error own;
    memcpy(&own, error, sizeof own);
    // The caller's bytes are anything: none of the texts may run on.
    own.place[sizeof own.place - 1] = own.message[sizeof own.message - 1] = '\0';
    own.excerpt[sizeof own.excerpt - 1] = own.hint[sizeof own.hint - 1] = '\0';
    return wm_error_format(&own, buffer, size);
}
