// The kind "warp scheduler": which resident warp executes next, of an SM's in a
// walk, of a warp scheduler's in the clock engine. An entry is a struct of functions over a state
// that the SM or the scheduler owns; it sees slots and what became of a turn, never a warp's
// registers or addresses, and must not look at anything else: the same calls give the same picks.
//
// A slot is a place for one warp. In a walk it is the place of its block times warps a block, plus
// the warp's number in the block; a scheduler numbers its own. Sets of slots are bit masks, 64 a
// word, slot s in bit s % 64 of word s / 64.
//
// An engine that keeps time sends one instruction at a time and says ISSUED. Its ready sets are the
// warps that can issue in this cycle: one that waits for memory is not among them until it can go
// on. The untimed walk's are the warps that can go on at all, those that missed too.
#ifndef WM_SM_WARP_SCHEDULER_WARP_SCHEDULER_H
#define WM_SM_WARP_SCHEDULER_WARP_SCHEDULER_H

#include "sm/sm_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_NO_WARP = -1 };

// Why a warp's turn ended.
enum wm_warp_stop {
    WM_WARP_STOP_MEMORY, // walk: after a memory instruction beyond the SM that L1 served, or a
                         // store
    // Walk: after a load or an atomic of which some bytes lay below L1. Timed: it waits for memory.
    WM_WARP_STOP_MISS,
    WM_WARP_STOP_BUDGET,   // walk: its turn, or the SM's, is over; the warp could go on
    WM_WARP_STOP_WAITS,    // at a barrier
    WM_WARP_STOP_FINISHED, // all its threads have exited
    WM_WARP_STOP_ISSUED,   // timed: one instruction was issued and the warp may go on
};

struct wm_warp_scheduler_ops {
    const char *name;     // key in machine files
    const char *title;    // for people
    const char *source;   // where it is described
    const char *sentence; // what it does: lower case, no full stop
    const char *details;  // more about it, in whole sentences; NULL for none
    // A warp's turn ends after each memory instruction that reaches beyond the SM (MEMORY, MISS).
    bool stops_at_memory;
    bool distinguishes_misses; // MISS and MEMORY differ for it
    // Timed: the next is always the first ready one behind the one picked last, in the order of
    // slots, and behind the last slot comes the first. Then `pick` need not be called.
    bool in_turn;
    // A pick may be WM_NO_WARP though some warp is ready: one that it holds back until another
    // waits or finishes. In a walk, where a warp stops being ready in its own turn only, that never
    // is.
    bool holds_back;
    // Bytes of state for an SM or scheduler of `slots` slots, which allocates them, aligned to 8. A
    // state may have pointers into itself: it is not moved.
    size_t (*state_bytes)(uint32_t slots);
    // Back to an SM without warps.
    void (*reset)(void *state, uint32_t slots);
    // After reset, the machine's gpu.sm.active_warps, at least 1, for each scheduler that the state
    // is of; NULL when the entry has no use for it.
    void (*limit)(void *state, uint32_t warps);
    // A new warp came into `slot`.
    void (*join)(void *state, uint32_t slot);
    // The warp's slot is free again: when its block has finished, in a walk. Never NULL.
    void (*leave)(void *state, uint32_t slot);
    // Timed, before a pick: the warps that could go on if their units took another now. NULL where
    // it does not matter to the entry.
    void (*offer)(void *state, const uint64_t *warps);
    // The next warp among the ready ones, or WM_NO_WARP when the set is empty. In a walk every warp
    // that stays ready must be picked after finitely many picks, or a warp that spins for another
    // one would spin for ever.
    int32_t (*pick)(void *state, const uint64_t *ready, uint32_t slots);
    // The warp picked last has had its turn. A timed engine may also say later, of any warp, that
    // it was found to wait (MISS, WAITS) or has finished.
    void (*ran)(void *state, uint32_t slot, enum wm_warp_stop stop);
    // The same of the warp picked last and of the ready ones in the slots above it up to `slot`,
    // which had their turns in this order without being picked, each to a stop at MEMORY. NULL
    // where another may be next after such a turn than the ready one in the next slot up.
    void (*ran_up)(void *state, uint32_t slot);
    // How many warps that are there came before the one in `slot`, which is there; 0: the oldest.
    uint32_t (*age_rank)(const void *state, uint32_t slot);
};

// Every entry, in the order of lists and documentation: its file defines wm_warp_scheduler_NAME,
// and this line is all that registers it.
#define WM_WARP_SCHEDULERS(X) X(round_robin) X(greedy_then_oldest) X(oldest) X(two_level)

#define WM_DECLARE_WARP_SCHEDULER(entry) \
    extern const struct wm_warp_scheduler_ops wm_warp_scheduler_##entry;
WM_WARP_SCHEDULERS(WM_DECLARE_WARP_SCHEDULER)
#undef WM_DECLARE_WARP_SCHEDULER

// `*count` of them.
const struct wm_warp_scheduler_ops *const *wm_warp_scheduler_table(size_t *count);
// Back to an SM, or to `schedulers` of its schedulers with one state, without warps.
void wm_warp_scheduler_reset(const struct wm_sm_spec *spec, uint32_t schedulers, void *state,
                             uint32_t slots);

#endif
