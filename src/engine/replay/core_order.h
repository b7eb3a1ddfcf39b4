// What is said of CPU cores that wait for each other's accesses, and none can go on. Private to
// engine/replay/.
#ifndef WM_ENGINE_REPLAY_CORE_ORDER_H
#define WM_ENGINE_REPLAY_CORE_ORDER_H

#include "base/error.h"

#include <stdint.h>

// A core that waits, and what for.
struct wm_core_wait {
    uint64_t core, made; // it, and the accesses that it has made
    uint32_t awaited;    // the other
    uint32_t accesses;   // that are waited for
    uint64_t awaited_made;
    const char *state; // of the other: "and waits, too"
};

// WM_INVALID, with the recording's path as the place.
enum wm_status wm_core_order_fail(const struct wm_core_wait *wait, const char *path,
                                  struct wm_error *error);

#endif
