// Sharing trackers in time (docs/memory-system.md, R12; docs/engine-clock.md): what
// mem/access_path/tracked_miss.h does at once. An L1 is noted as a holder when the last of a line's
// bytes have come; a line that is written meanwhile is not noted.
//
// Thread rules: the L1s of one tracker's group by one thread at a time.
#ifndef WM_MEM_TIMED_TRACKER_GROUP_H
#define WM_MEM_TIMED_TRACKER_GROUP_H

#include "mem/timed/timed_l1.h"

// The L1s of the SMs that share a tracker.
struct wm_timed_tracker_group {
    struct wm_sharing_tracker *tracker; // borrowed
    struct wm_timed_l1 **l1s;           // owned; `count` of them, borrowed
    uint32_t count;
};

// A line has left L1.
void wm_timed_tracker_evicted(struct wm_timed_l1 *l1, const struct wm_cache_victim *victim);
// L1 lacks `sectors` of `line`, for a load. Returns the SM that supplies them, or
// WM_TRACKER_NONE.
int32_t wm_timed_tracker_look_up(struct wm_timed_l1 *l1, uint64_t line, uint32_t sectors,
                                 struct wm_instruction_counters *instruction_counters);
// The line is written, or accessed coherently, on its way past or through L1.
void wm_timed_tracker_written(struct wm_timed_l1 *l1, uint64_t line);
// Whether L1 will be noted when `sectors` of `line` have come, which are about to; and it is.
bool wm_timed_tracker_completes(const struct wm_timed_l1 *l1, uint64_t line, uint32_t sectors);
void wm_timed_tracker_filled(struct wm_timed_l1 *l1, uint64_t line);

#endif
