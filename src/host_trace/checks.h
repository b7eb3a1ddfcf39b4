// Accesses of host code on their way to the checks of a run (base/run/host_checks.h).
#ifndef WM_HOST_TRACE_CHECKS_H
#define WM_HOST_TRACE_CHECKS_H

#include "base/run/host_checks.h"

#include <stddef.h>

extern bool wm_host_is_checked; // else nothing is

void wm_host_check_access(const volatile void *address, size_t bytes, bool write, const void *code);

// `code`: where the traced code goes on behind the access. Called when no other thread's turn comes
// before the access: what such a thread has freed by then is found.
static inline void wm_host_check(const volatile void *address, size_t bytes, bool write,
                                 const void *code)
{
    if (__builtin_expect(wm_host_is_checked, false))
        wm_host_check_access(address, bytes, write, code);
}

// The program starts: where its run is to check memory, its heap is looked at from now on. Connects
// to the CUDA library, if the program's threads will not do so (live_start.h).
void wm_host_checks_start(bool connects);

#endif
