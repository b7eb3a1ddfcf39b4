// The kind "warp order": which resident warp of an SM executes next. An entry is a struct of
// functions over a state that the SM owns; it sees slots and what became of a turn, never a warp's
// registers or addresses, and must not look at anything else: the same calls give the same picks.
//
// A slot is a place for one warp on the SM: place of its block times warps a block, plus the warp's
// number in the block. Sets of slots are bit masks, 64 a word, slot s in bit s % 64 of word s / 64.
#ifndef WM_SM_WARP_ORDER_H
#define WM_SM_WARP_ORDER_H

#include "sm/sm_spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_NO_WARP = -1 };

// Why a warp's turn ended.
enum wm_warp_stop {
    WM_WARP_STOP_MEMORY,   // after a memory instruction beyond the SM that L1 served, or a store
    WM_WARP_STOP_MISS,     // after a load or an atomic of which some bytes lay below L1
    WM_WARP_STOP_BUDGET,   // the SM's turn is over; the warp could go on
    WM_WARP_STOP_WAITS,    // at a barrier
    WM_WARP_STOP_FINISHED, // all its threads have exited
};

struct wm_warp_order_ops {
    const char *name;     // key in machine files
    const char *title;    // for people
    const char *source;   // where it is described
    const char *sentence; // what it does: lower case, no full stop
    const char *details;  // more about it, in whole sentences; NULL for none
    // A warp's turn ends after each memory instruction that reaches beyond the SM (MEMORY, MISS).
    bool stops_at_memory;
    bool asks_for_misses; // it tells MISS from MEMORY
    // Bytes of state for an SM of `slots` slots; the SM allocates them, aligned to 8.
    size_t (*state_bytes)(uint32_t slots);
    // Back to an SM without warps.
    void (*reset)(void *state, uint32_t slots);
    // A new warp came into `slot`.
    void (*join)(void *state, uint32_t slot);
    // The next warp among the ready ones, or WM_NO_WARP when the set is empty. Every warp that
    // stays ready must be picked after finitely many picks, or a warp that spins for another one
    // would spin for ever.
    int32_t (*pick)(void *state, const uint64_t *ready, uint32_t slots);
    // The warp picked last has had its turn.
    void (*ran)(void *state, uint32_t slot, enum wm_warp_stop stop);
};

// Rotate after each memory instruction.
extern const struct wm_warp_order_ops wm_warp_order_round_robin;
// Stay with a warp until it waits for memory or a barrier, or finishes; then take the oldest.
extern const struct wm_warp_order_ops wm_warp_order_greedy_then_oldest;

// Every entry, in the order of enum wm_warp_order; `*count` of them.
const struct wm_warp_order_ops *const *wm_warp_order_table(size_t *count);
// The entry of a machine's setting.
const struct wm_warp_order_ops *wm_warp_order_find(enum wm_warp_order order);

#endif
