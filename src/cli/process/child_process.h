// Starts a program and stands in its place until it ends: signals sent to us are passed on.
#ifndef WM_CLI_PROCESS_CHILD_PROCESS_H
#define WM_CLI_PROCESS_CHILD_PROCESS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_child {
    const char *path;             // of the program
    const char *const *arguments; // argv, NULL-terminated
    // Environment variables to set: name, value, name, value, …; a NULL value removes.
    const char *const *environment;
    uint32_t environment_count; // pairs
    const char *output;         // file that its standard output goes to; NULL: where ours goes
    bool output_to_error;       // its standard output goes to where ours says errors
};

struct wm_child_end {
    int status; // exit status, or 128 plus the signal's number
    int signal; // that ended it, 0 for none
};

// WM_IO when it could not be started.
enum wm_status wm_child_run(const struct wm_child *child, struct wm_child_end *end,
                            struct wm_error *error);

#endif
