// What the warp schedulers share: which warps are on the SM and since when, and, for those that
// take the oldest, whose turn that makes it. A state of an entry begins with a struct wm_warp_ages
// or a struct wm_warp_priorities. Private to sm/warp_scheduler/.
#ifndef WM_SM_WARP_SCHEDULER_WARP_AGES_H
#define WM_SM_WARP_SCHEDULER_WARP_AGES_H

#include "sm/warp_scheduler/warp_scheduler.h"

// Lies at the front of a state; the ages are elsewhere in it.
struct wm_warp_ages {
    uint64_t *joined; // by slot: when its warp came, small is old; 0: there is none
    uint64_t clock;
    uint32_t slots;
};

// `memory` has room for as many words as slots.
void wm_warp_ages_reset(struct wm_warp_ages *ages, uint64_t *memory, uint32_t slots);
void wm_warp_ages_join(struct wm_warp_ages *ages, uint32_t slot);
// As wm_warp_scheduler_ops.leave and .age_rank, of a state that begins with ages.
void wm_warp_ages_leave(void *state, uint32_t slot);
uint32_t wm_warp_ages_rank(const void *state, uint32_t slot);

// Which of the ready warps is the oldest one that does not wait for memory.
//
// The untimed walk has no latency, so what a warp waits for is said by rule. A warp waits when some
// bytes of its load lay below L1; its data are there, at the latest, when every other ready warp
// waits as well, or when one warp has used up 64 turns since. And a warp that uses up its turn, or
// the SM's, becomes the youngest: it may spin for another warp, and never miss, as where L1 is
// coherent and has the line that the other will write. An engine that keeps time says ISSUED, and
// its ready sets are without those that wait.
struct wm_warp_priorities {
    struct wm_warp_ages ages;
    bool timed;
    uint64_t *order; // by slot: as it joined, or behind all when its turn was used up
    // By slot: turns used up since the set of those that wait was last empty; the set stands
    // behind.
    uint64_t *used_up;
    uint64_t *waiting; // set of slots whose last load missed
};

// Bytes of what lies behind the struct that begins with priorities.
size_t wm_warp_priorities_bytes(uint32_t slots);
void wm_warp_priorities_reset(struct wm_warp_priorities *priorities, uint64_t *memory,
                              uint32_t slots);
// As wm_warp_scheduler_ops.join, of a state that begins with priorities.
void wm_warp_priorities_join(void *state, uint32_t slot);
int32_t wm_warp_priorities_pick(struct wm_warp_priorities *priorities, const uint64_t *ready);
void wm_warp_priorities_ran(struct wm_warp_priorities *priorities, uint32_t slot,
                            enum wm_warp_stop stop);

#endif
