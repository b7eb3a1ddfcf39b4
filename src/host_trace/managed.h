// Which calls of threads' functions are taken over: in a traced process those of threads that take
// turns. In a CUDA program the runtime has threads of its own, which run beside: what CUDA's and
// other libraries call goes to the C library, and what the program and its C++ library call does
// not.
#ifndef WM_HOST_TRACE_MANAGED_H
#define WM_HOST_TRACE_MANAGED_H

#include "host_trace/exported_calls.h"
#include "host_trace/recorder.h"

#include <time.h>

extern bool wm_host_has_cuda;
// Looks at what is loaded; sets wm_host_has_cuda.
void wm_host_managed_start(void);
bool wm_host_is_programs_own(const void *caller);

static inline bool wm_host_manages(const void *caller)
{
    return wm_host_recorder.channel >= 0 && wm_host_thread != 0 &&
           (!wm_host_has_cuda || wm_host_is_programs_own(caller));
}

#define MANAGED wm_host_manages(CALLER)

// A time to wait until, of the program's: false where it is none.
static inline bool wm_host_is_time(const struct timespec *time)
{
    return time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}

#endif
