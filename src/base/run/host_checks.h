// Checks of what host code accesses (`warpmem run --check memory` of a program compiled with
// `warpmem cc --trace-host`): what the CUDA library (cuda/) gives to the library of traced programs
// (host_trace/), and what that has found. They are in two libraries of one process, which find each
// other by the names of these functions.
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

// Of the CUDA library: a program that is to be checked has started. It may make no CUDA call.
void wm_host_checks_connect(void);
#define WM_HOST_CHECKS_CONNECT "wm_host_checks_connect"

enum wm_host_heap_mistake { WM_HOST_HEAP_FREED, WM_HOST_HEAP_BEYOND, WM_HOST_HEAP_FREED_AGAIN };

// What one instruction did wrong with a block of malloc() or `new`. Code: where it goes on.
struct wm_host_heap_finding {
    enum wm_host_heap_mistake what;
    bool write;
    const void *code, *made_by;
    const void *freed_by; // NULL: the block was not freed
    uint64_t count;
    int64_t offset; // of the first access, from the block's begin
    uint64_t bytes, block_bytes;
};

// In the order in which they were first seen, when the program ends.
void wm_host_heap_findings(void (*visit)(void *context, const struct wm_host_heap_finding *finding),
                           void *context);
#define WM_HOST_HEAP_FINDINGS "wm_host_heap_findings"

#endif
