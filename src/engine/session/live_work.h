// A launch that the interpreter executes, as a session's work. Private to engine/session/.
#ifndef WM_ENGINE_SESSION_LIVE_WORK_H
#define WM_ENGINE_SESSION_LIVE_WORK_H

#include "engine/session/work.h"
#include "exec/exec.h"

struct wm_live_work {
    struct wm_work work;
    struct wm_grid *grid; // owned
    const struct wm_kernel *kernel;
};

// Checks the launch as wm_grid_new does. `launch` is borrowed for the call alone.
enum wm_status wm_live_work_init(struct wm_live_work *live, const struct wm_launch *launch,
                                 struct wm_device_memory *memory, struct wm_error *error);
void wm_live_work_release(struct wm_live_work *live);

#endif
