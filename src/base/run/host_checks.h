// Checks of what host code accesses (`warpmem run --check memory` of a program compiled with
// `warpmem cc --trace-host`): what the CUDA library (cuda/) gives to the library of traced programs
// (host_trace/). They are in two libraries of one process, which find each other by the name of
// wm_host_checks_begin.
//
// Thread rules: `access` is called by any thread of the program.
#ifndef WM_BASE_RUN_HOST_CHECKS_H
#define WM_BASE_RUN_HOST_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

struct wm_host_checks {
    // Host code is about to access bytes; `caller`: where the call made for that returns to.
    void (*access)(uint64_t address, uint64_t bytes, bool write, const void *caller);
};

// From here on accesses of instrumented code are checked. `checks` is borrowed for good.
void wm_host_checks_begin(const struct wm_host_checks *checks);
#define WM_HOST_CHECKS_BEGIN "wm_host_checks_begin"

#endif
