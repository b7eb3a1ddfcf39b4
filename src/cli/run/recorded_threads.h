// The second half of `warpmem record --host-threads`: what the program's threads did, which their
// library has written as a trace, comes into the recording of its kernels.
#ifndef WM_CLI_RUN_RECORDED_THREADS_H
#define WM_CLI_RUN_RECORDED_THREADS_H

#include "base/error.h"

// `recording` is replaced when the new one is whole. WM_NOT_FOUND when there is no trace, for which
// the program has said why; WM_INVALID and others as wm_core_import.
enum wm_status wm_recorded_threads_join(const char *trace, const char *recording,
                                        struct wm_error *error);

#endif
