#include "host_trace/checks.h"

#include "host_trace/exported_calls.h"

const struct wm_host_checks *wm_host_checks;

EXPORTED void wm_host_checks_begin(const struct wm_host_checks *checks)
{
    __atomic_store_n(&wm_host_checks, checks, __ATOMIC_RELEASE);
}
