// What a run may take at most: a kernel without an end is stopped there. Private to engine/.
#ifndef WM_ENGINE_SESSION_RUN_LIMIT_H
#define WM_ENGINE_SESSION_RUN_LIMIT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_run_limit {
    uint64_t most_instructions, most_ns; // 0: any number
    uint64_t begin_ns;                   // of the host's clock
    uint64_t instructions;               // warp instructions executed so far, of all launches
    uint32_t turns;                      // since the host's clock was read
};

void wm_run_limit_init(struct wm_run_limit *limit, uint64_t most_instructions, uint64_t most_ns);

// WM_STOPPED once limit->instructions, or the host's time where `look` says so, has reached what it
// may be.
enum wm_status wm_run_limit_check(const struct wm_run_limit *limit, bool look,
                                  struct wm_error *error);

static inline bool wm_run_limit_is_set(const struct wm_run_limit *limit)
{
    return (limit->most_instructions | limit->most_ns) != 0;
}

// Turns, or windows of the clock engine, between two looks at the host's clock.
enum { WM_RUN_LIMIT_TURNS = 64 };

#endif
