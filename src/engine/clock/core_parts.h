// A CPU core in time, for the files that make it: what it executes (cores.c), and what it sends to
// its L1 (core_requests.c). Private to engine/clock/.
#ifndef WM_ENGINE_CLOCK_CORE_PARTS_H
#define WM_ENGINE_CLOCK_CORE_PARTS_H

#include "cpu/core.h"
#include "engine/clock/core_loads.h"

enum { WM_CLOCK_LOCKED_PARTS = 2 }; // a locked operation of two lines

// A locked operation has read its line, and holds it: what is to be written.
struct wm_clock_locked_part {
    struct wm_core_request access;
    struct wm_request request;
    uint64_t when; // the cycle from which it may be; WM_NEVER: not known yet
    uint32_t tag;
    bool is_underway;
};

struct wm_clock_core {
    struct wm_core core;
    struct wm_timed_level l1; // its own
    struct wm_block *block;   // that it runs, or NULL
    struct wm_launch_state *run;
    uint32_t segment, base;
    bool waits;    // its source waits for another core, or for what supplies it
    bool stops;    // a step when it is at rest
    uint64_t done; // of its operations, as the others know
    // Accesses of the instruction that was executed last, and those of them that the core has.
    struct wm_core_operation ops[WM_MOST_ACCESSES];
    uint32_t op_count, op_taken;
    uint64_t instructions; // executed since the last access
    struct wm_clock_locked_part locked[WM_CLOCK_LOCKED_PARTS];
    uint64_t port_cycle; // of a coherent L1's last access
    uint32_t port_uses;  // and how many it has taken in that
    // Where misses are explained: the bytes of a request, a word a sector of its line; and how long
    // loads take, owned.
    uint32_t bytes[WM_MAX_LINE_SECTORS];
    struct wm_clock_core_loads *loads;
};

// --- core_requests.c ---

// Hooks of struct wm_core_port, whose context is the core's unit: sends a request of the core; and
// a load has retired.
enum wm_core_sent wm_clock_core_send(void *context, const struct wm_core_request *access,
                                     uint64_t cycle, struct wm_core_answer *answer);
void wm_clock_core_count_load(void *context, const struct wm_core_load *load);
// Writes what locked operations hold, if it may be in `cycle`.
void wm_clock_core_write_locked(struct wm_clock_sm *sm, uint64_t cycle);

#endif
