// Sharing trackers in time (docs/memory-system.md, R12; docs/engine-clock.md): what
// mem/access_path/tracked_miss.h does at once. A cache is noted as a holder when the last of a
// line's bytes have come; a line that is written meanwhile is not noted.
//
// Thread rules: the caches of one tracker's group by one thread at a time.
#ifndef WM_MEM_TIMED_LEVEL_TRACKER_H
#define WM_MEM_TIMED_LEVEL_TRACKER_H

#include "mem/timed/level/level.h"

// The L1s of the SMs that share a tracker.
struct wm_timed_tracker_group {
    struct wm_sharing_tracker *tracker; // borrowed
    struct wm_timed_level **l1s;        // owned; `count` of them, borrowed
    uint32_t count;
};

// A look-up has been served: `victim` left, and a store has written `line`.
void wm_timed_tracker_served(struct wm_timed_level *level, bool store, uint64_t line,
                             const struct wm_cache_victim *victim);
// The level lacks `sectors` of `line`. Returns whether another cache supplies them, `*holder`.
bool wm_timed_tracker_look_up(struct wm_timed_level *level, uint64_t line, uint32_t sectors,
                              struct wm_instruction_counters *charged, uint32_t *holder);
// The line is written, or accessed coherently, on its way past or through the level.
void wm_timed_tracker_written(struct wm_timed_level *level, uint64_t line);
// Whether the level will be noted when `sectors` of `line` have come, which are about to; and they
// have, and displaced `victim`: it is, if `notes`.
bool wm_timed_tracker_completes(const struct wm_timed_level *level, uint64_t line,
                                uint32_t sectors);
void wm_timed_tracker_filled(struct wm_timed_level *level, bool notes, uint64_t line,
                             const struct wm_cache_victim *victim);

#endif
