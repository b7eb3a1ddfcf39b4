// The process of a program ends when the `warpmem run` that it belongs to was killed: its results
// have no reader any more, and a kernel may run for ever.
#ifndef WM_CUDA_RUN_OWNER_H
#define WM_CUDA_RUN_OWNER_H

// `folder`: the run's, borrowed for the process's life; NULL: there is no such run. A program that
// still runs after the run has ended as it should is left alone.
void wm_run_owner_watch(const char *folder);

#endif
