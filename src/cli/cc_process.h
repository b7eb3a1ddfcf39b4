// Running the compiler and the linker as child processes.
#ifndef WM_CLI_CC_PROCESS_H
#define WM_CLI_CC_PROCESS_H

#include "base/error.h"

#include <stdio.h>

// A command as words; the array ends with NULL.
struct wm_cc_process {
    const char *const *words;
};

// Runs words[0], found along PATH when it has no slash, with this process's streams, and waits.
// WM_OK when it ends with status 0. WM_NOT_FOUND when there is no such program; WM_INVALID when it
// ends with another status (it has said why by itself: the error's message is then empty);
// WM_IO when it was killed by a signal or could not be started. While it runs, this process ignores
// an interrupt from the terminal, which the child gets too, so that the caller can clean up.
enum wm_status wm_cc_process_run(const struct wm_cc_process *process, struct wm_error *error);

// Writes the command on one line, quoted for a shell.
void wm_cc_process_print(const struct wm_cc_process *process, FILE *stream);

#endif
