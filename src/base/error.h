// Status and error: every function that can fail returns a wm_status and fills a wm_error that
// says what failed, where, and what to do about it. Bad input is always reported this way; an
// assertion is kept for a broken invariant of our own.
#ifndef WM_BASE_ERROR_H
#define WM_BASE_ERROR_H

#include <stdarg.h>

enum wm_status {
    WM_OK = 0,
    WM_INVALID,     // the input breaks a rule of its format or of the API
    WM_UNSUPPORTED, // well-formed, but warpmem does not do this yet
    WM_NOT_FOUND,   // a named file, kernel, key or preset does not exist
    WM_NO_MEMORY,   // host or simulated device memory is exhausted
    WM_IO,          // the operating system refused a read or a write
    WM_LIMIT,       // the request exceeds a limit of the described machine
    WM_FAULT,       // the simulated program did something a GPU would trap on
    WM_DEADLOCK,    // every live thread of a launch waits for ever
    WM_STOPPED,     // the run has come to a limit that its user has set
};

// One error, by value: no allocation, so that running out of memory can be reported too.
// Texts are cut with an ellipsis when they do not fit.
struct wm_error {
    enum wm_status status;
    char place[256]; // "file:line:column", "kernel f, block (0,0,0), thread (3,0,0)"; may be empty
    char message[768]; // what failed: lower case, subject in quotes, no full stop
    char excerpt[512]; // optional: the source line and a caret below it, newline between them
    char hint[384];    // optional: what to do, as a sentence without a full stop
};

// Clears `error` to WM_OK with empty texts. `error` may be NULL in every function below:
// then only the status is returned.
void wm_error_clear(struct wm_error *error);

// Sets status and message (printf style) and empties the other texts. Returns `status`, so that
// a caller writes `return wm_fail(error, WM_INVALID, "…", …);`.
enum wm_status wm_fail(struct wm_error *error, enum wm_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// What every message says of the host's memory, before what it was to be for.
#define WM_NO_MEMORY_FOR "out of host memory for "

// The error of every place where the host has no memory: WM_NO_MEMORY_FOR and what the rest
// says (printf style: "a recording", "\"%s\""), with a hint at what a user can do. WM_NO_MEMORY.
// Simulated memory that a program has used up is no matter of this one.
enum wm_status wm_fail_no_memory(struct wm_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Adds to an error already set. Each returns the error's status, or WM_INVALID when `error` is
// NULL: `return wm_error_hint(…)` never turns a failure into success.
enum wm_status wm_error_place(struct wm_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum wm_status wm_error_hint(struct wm_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Builds the excerpt from one source line (not NUL-terminated, `length` bytes) and the 1-based
// column that the caret points at.
enum wm_status wm_error_excerpt(struct wm_error *error, const char *line, unsigned long length,
                                unsigned column);

// Writes the whole error as people read it:
//   error: PLACE: MESSAGE
//     EXCERPT
//   hint: CURE
// into `buffer` (always NUL-terminated); returns `buffer`.
const char *wm_error_format(const struct wm_error *error, char *buffer, unsigned long size);

// A stable lower-case name for a status ("invalid", "not-found"): for JSON and tests.
const char *wm_status_name(enum wm_status status);

// Forwards a failure: WM_TRY(wm_memory_new(&spec, prefix, &memory, error));
#define WM_TRY(expression)                            \
    do {                                              \
        enum wm_status wm_try_status_ = (expression); \
        if (wm_try_status_ != WM_OK)                  \
            return wm_try_status_;                    \
    } while (0)

#endif
