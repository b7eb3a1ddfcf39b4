// What warpmem bypass writes to be run or compiled: PTX, a program, and a file of decisions.
#ifndef WM_CLI_BYPASS_OUTPUTS_H
#define WM_CLI_BYPASS_OUTPUTS_H

#include "cli/bypass/report.h"

struct wm_bypass_outputs {
    const char *output;    // of -o: PTX when it ends in .ptx, else a program; NULL: none
    const char *decisions; // NULL: none
};

// What can be known before the program runs: WM_INVALID for a program on standard output, or one
// of a recording.
enum wm_status wm_bypass_outputs_check(const struct wm_bypass_outputs *outputs, bool recording,
                                       struct wm_error *error);
// Writes them as the report's solver decided; `executable` is the program that was run. Appends
// what was written, a line each, to `text`. Errors of bypass/output.h, with the option's
// name.
enum wm_status wm_bypass_outputs_write(const struct wm_bypass_outputs *outputs,
                                       const struct wm_bypass_report *report,
                                       const char *executable, struct wm_text *text,
                                       struct wm_error *error);

#endif
