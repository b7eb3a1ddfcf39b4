// Listens to all that the interpreter tells of, and holds it to what base/access.h promises.
#ifndef EXEC_LISTENER_H
#define EXEC_LISTENER_H

#include "exec/exec.h"

enum { LISTENER_PENDING = 4096 };

struct listener {
    const struct wm_kernel *kernel; // may be NULL; set: memory instructions are looked up in it
    uint64_t warp_instructions, thread_instructions;
    uint64_t accesses, arrivals, exits, exited_lanes;
    // Of events whose stretch has not come, in order. Afterwards none is left when each was in a
    // stretch that came after it.
    uint32_t pending[LISTENER_PENDING], pending_count, lost;
};

struct wm_access_sink listener_sink(struct listener *listener);

#endif
