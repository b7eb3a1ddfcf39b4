// What a run of a program writes: where it goes, which is decided before the program starts, and
// what became of it, when the program has ended. The program's process writes the files
// (docs/decisions/0003-results-are-written-by-the-program.md).
#ifndef WM_CLI_RUN_OUTPUTS_H
#define WM_CLI_RUN_OUTPUTS_H

#include "cli/process/child_process.h"
#include "cli/run/program_run.h"

struct wm_run_outputs {
    const struct wm_program_run *request;
    // What the process writes to: absolute, or a descriptor that it inherits; NULL: not requested.
    const char *paths[WM_RUN_OUTPUTS], *record;
    const char *report;                // absolute, or "-"
    bool standard;                     // one is standard output: what is for people goes elsewhere
    bool instrumented;                 // the program's host code is (warpmem cc --trace-host)
    bool reader_left;                  // a pipe was closed by its reader, of which nothing is said
    int inherited[WM_RUN_OUTPUTS + 1]; // descriptors made for the process
    unsigned inherited_count;
};

// WM_IO for what cannot be written, WM_INVALID for two outputs of one place or one that is the
// program's file; `outputs` is to be released in any case.
enum wm_status wm_run_outputs_plan(const struct wm_program_run *request, const char *program,
                                   struct wm_arena *arena, struct wm_run_outputs *outputs,
                                   struct wm_error *error);
void wm_run_outputs_release(struct wm_run_outputs *outputs);

// Says what the processes of a run left in its folder. Returns the run's exit status: WM_EXIT_LIMIT
// when one of them was stopped at a limit; else that of the program, where it has one;
// WM_EXIT_FAILURE when a requested output was not written, checks found something, or a
// launch failed and that counts (--fail-on-error).
// With outputs->reader_left the command ends as by SIGPIPE, when all is tidied up.
int wm_run_outputs_deliver(struct wm_run_outputs *outputs, const char *folder, const char *program,
                           const struct wm_child_end *end, const struct wm_invocation *invocation);

#endif
