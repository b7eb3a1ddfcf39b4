// What launches side by side are made of (concurrent_launches.c, which runs them), for
// launch_starts.c, which makes them and takes them away. Private to engine/session/.
#ifndef WM_ENGINE_SESSION_CONCURRENT_LAUNCHES_STATE_H
#define WM_ENGINE_SESSION_CONCURRENT_LAUNCHES_STATE_H

#include "engine/clock/clock.h"
#include "engine/session/live_work.h"
#include "engine/session/session_state.h"

enum wm_side_state { WM_SIDE_WAITS, WM_SIDE_UNDER_WAY, WM_SIDE_ENDED };

struct wm_concurrent_launch {
    struct wm_concurrent_launch *next; // in the order of their rounds
    uint32_t gpu;                      // that it runs on
    int priority;
    const struct wm_concurrent_launch
        *parent; // whose block launched it and may wait for it; NULL: the host
    bool waits;  // its blocks may wait for what they launch
    enum wm_side_state state;
    bool alone; // its blocks wait for each other, and all are to be resident
    bool is_live;
    struct wm_live_work live;          // if it is
    struct wm_checked_launch *checked; // owned; NULL: no checker observes it
    struct wm_work *work;              // what is driven
    // Its local memory, in bytes from where local memory lies; equal where it has none.
    uint64_t local_begin, local_end;
    struct wm_block_resources needs;
    struct wm_occupancy occupancy;        // when it is alone
    struct wm_spare_residency *residency; // while under way, as the next
    struct wm_kernel_record *record;
    struct wm_launch_accounting launch;
    struct wm_launch_state run;
    struct wm_clock_launch clock_launch; // in time
    struct wm_progress progress;
    enum wm_status status; // of its end
    struct wm_error error;
};

struct wm_concurrent_launches {
    struct wm_concurrent_launch *first;  // borrowed: their owners take them
    struct wm_concurrent_launch *counts; // what components count is its; NULL: no launch's yet
    struct wm_sm_use *use;               // in the session's arena, by SM of all GPUs
    uint32_t under_way, under_way_on[WM_PLACES_TO_RUN];
    bool several; // in time: more than one is, or was since the first began
    bool stopped; // in time: one has failed, and none continues before all have been taken
};

// Takes a launch out of those under way, if it is one, and notes how it ended: its error, where the
// status is one, is filled.
void wm_concurrent_launch_end(struct wm_session *session, struct wm_concurrent_launch *side,
                              enum wm_status status);

#endif
