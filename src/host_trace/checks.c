#include "host_trace/checks.h"

const struct wm_host_checks *wm_host_checks;

__attribute__((visibility("default"))) void wm_host_checks_begin(
    const struct wm_host_checks *checks)
{
    __atomic_store_n(&wm_host_checks, checks, __ATOMIC_RELEASE);
}
