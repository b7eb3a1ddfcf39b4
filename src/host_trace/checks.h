// Accesses of host code on their way to the checks of a run (base/run/host_checks.h).
#ifndef WM_HOST_TRACE_CHECKS_H
#define WM_HOST_TRACE_CHECKS_H

#include "base/run/host_checks.h"

#include <stddef.h>

extern const struct wm_host_checks *wm_host_checks; // NULL: nothing is checked

// By functions that the program calls alone, or that are inlined into these.
static inline __attribute__((always_inline)) void wm_host_check(const volatile void *address,
                                                                size_t bytes, bool write)
{
    if (__builtin_expect(wm_host_checks != NULL, false))
        wm_host_checks->access((uintptr_t)address, bytes, write, __builtin_return_address(0));
}

#endif
