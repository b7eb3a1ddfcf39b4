// Runs a CUDA program with warpmem's runtime library in front of NVIDIA's: what `warpmem run` and
// `warpmem annotate` share.
#ifndef WM_CLI_PROGRAM_RUN_H
#define WM_CLI_PROGRAM_RUN_H

#include "cli/command.h"

enum { WM_RUN_OUTPUTS = 2 };

// A file that the program's process writes when it ends.
struct wm_run_output {
    const char *option;   // "--json": the place of its errors
    const char *variable; // tells the process: "WARPMEM_JSON"
    const char *path;     // NULL: not asked for
};

// What is asked of a run. Everything is borrowed.
struct wm_program_run {
    const char *machine; // NULL: v100
    const struct wm_option_list *settings, *plugins;
    const char *report; // for the text: a file, "-" for standard output
    bool quiet;         // no text, no progress
    bool memory, explain;
    bool annotate; // the text is the annotated source; else the report
    struct wm_run_output outputs[WM_RUN_OUTPUTS];
};

// Runs the invocation's operands: a program and its arguments. Returns the exit status: the
// program's own, or 128 plus its signal; WM_EXIT_MISUSE when it was not started, WM_EXIT_FAILURE
// when its reports could not be delivered. Reasons are printed.
int wm_program_run(const struct wm_program_run *asked, const struct wm_invocation *invocation);

#endif
