// The annotated source of a recording: what `warpmem annotate` prints of a program, from a replay
// of what it did.
#ifndef WM_CLI_RUN_ANNOTATE_RECORDING_H
#define WM_CLI_RUN_ANNOTATE_RECORDING_H

#include "cli/run/program_run.h"

// Whether the file is a recording of warpmem's, by its first bytes.
bool wm_is_recording(const char *path);

// Replays the invocation's one operand on the requested machine, misses explained,
// measures what is advised, and writes the text and files. Returns the exit status; reasons are
// printed.
int wm_annotate_recording(const struct wm_program_run *request,
                          const struct wm_invocation *invocation);

#endif
