// The signals that a write can raise (SIGPIPE: no reader; SIGXFSZ: the limit on files' size).
// warpmem takes them as errors of the write, so that it can say what failed and remove what it has
// made; the programs that it starts have them as warpmem was started with.
#ifndef WM_CLI_FRAMEWORK_WRITE_SIGNALS_H
#define WM_CLI_FRAMEWORK_WRITE_SIGNALS_H

#include <stdbool.h>

// At the beginning of main().
void wm_write_signals_ignore(void);
// In a child, before it executes another program.
void wm_write_signals_restore(void);
// Whether a write to a pipe without a reader ends this process: not where the signal was ignored
// from the beginning.
bool wm_write_signals_pipe_ends(void);
// Ends the process by SIGPIPE, as a program that writes to a closed pipe is expected to end.
// Returns where it does not.
void wm_write_signals_end_by_pipe(void);

#endif
