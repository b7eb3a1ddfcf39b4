// Accesses of host code on their way to the checks of a run (base/run/host_checks.h).
#ifndef WM_HOST_TRACE_CHECKS_H
#define WM_HOST_TRACE_CHECKS_H

#include "base/run/host_checks.h"

#include <stddef.h>

extern const struct wm_host_checks *wm_host_checks; // NULL: nothing is checked

// `code`: where the traced code goes on behind the access. Called when no other thread's turn comes
// before the access: what such a thread has freed by then is found.
static inline void wm_host_check(const volatile void *address, size_t bytes, bool write,
                                 const void *code)
{
    if (__builtin_expect(wm_host_checks != NULL, false))
        wm_host_checks->access((uintptr_t)address, bytes, write, code);
}

#endif
