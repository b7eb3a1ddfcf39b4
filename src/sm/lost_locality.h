// Which warps of an SM may issue loads: cache-conscious wavefront scheduling (T. G. Rogers,
// M. O'Connor and T. M. Aamodt, MICRO 2012, section 3.3). Each warp has a score, and the
// SM a cutoff, the base score times its warps. A warp that is seen to have lost locality
// (mem/timed/victim_tags.h) gets a score by equation 1,
//
//   hits / instructions issued * factor * cutoff,
//
// unless it has more; a score above the base falls by one a cycle. Warps are stacked by their
// scores, the highest first: those that stand above the cutoff, all or in part, may not issue
// loads.
//
// Ours, where the paper is silent: the first of the stack always may; of equal scores the warp that
// came first is first; hits and instructions are those of the launch.
//
// Scores only fall by themselves, so between two events the warps that may issue change in cycles
// that are known: nothing is done in any other. Pure arithmetic; cycles are the SM's.
#ifndef WM_SM_LOST_LOCALITY_H
#define WM_SM_LOST_LOCALITY_H

#include "base/error.h"
#include "sm/sm_spec.h"

enum { WM_LOST_LOCALITY_WARPS = 256 }; // most of an SM

struct wm_lost_locality {
    uint64_t base, factor;
    uint32_t warps;                             // that have come and not finished
    uint16_t order[WM_LOST_LOCALITY_WARPS];     // their slots, as they came
    uint64_t falls_to[WM_LOST_LOCALITY_WARPS];  // by slot: the cycle in which its score is the base
    uint64_t hits;                              // of the launch
    bool stale;                                 // something has happened
    uint64_t changes;                           // the cycle in which who may issue changes
    uint64_t held[WM_LOST_LOCALITY_WARPS / 64]; // by slot: may not issue loads
};

// A launch begins: there are no warps.
void wm_lost_locality_begin(struct wm_lost_locality *lost,
                            const struct wm_load_throttle_spec *spec);
void wm_lost_locality_join(struct wm_lost_locality *lost, uint32_t slot, uint64_t cycle);
void wm_lost_locality_finish(struct wm_lost_locality *lost, uint32_t slot);
// The warp in `slot` missed a line that it had lost; `issued`, at least 1: instructions of the
// launch so far, on this SM.
void wm_lost_locality_hit(struct wm_lost_locality *lost, uint32_t slot, uint64_t cycle,
                          uint64_t issued);

// The score of a warp in `cycle`.
uint64_t wm_lost_locality_score(const struct wm_lost_locality *lost, uint32_t slot, uint64_t cycle);

// Finds which warps are held in `cycle` and until when that stays so; cycles do not decrease.
void wm_lost_locality_find(struct wm_lost_locality *lost, uint64_t cycle);
// Whether that has to be done again.
static inline bool wm_lost_locality_is_due(const struct wm_lost_locality *lost, uint64_t cycle)
{
    return lost->stale || lost->changes <= cycle;
}

#endif
