// The sixteen barriers of a block (private to exec/): bar.sync, bar.arrive, bar.red and barrier
// (PTX ISA 9.7.13.1). Each thread arrives by itself; a count named by the instruction is of
// threads, and a warp's exited threads count with the rest of it, as the ISA counts whole warps.
#ifndef WM_EXEC_BARRIERS_H
#define WM_EXEC_BARRIERS_H

#include "exec/interpreter.h"

enum wm_barrier_flags {
    WM_BARRIER_ARRIVE = 1,
    WM_BARRIER_RED_POPC = 2,
    WM_BARRIER_RED_AND = 4,
    WM_BARRIER_RED_OR = 8,
    WM_BARRIER_RED = WM_BARRIER_RED_POPC | WM_BARRIER_RED_AND | WM_BARRIER_RED_OR,
    WM_BARRIER_HAS_COUNT = 16,
    WM_BARRIER_NEGATED = 32, // bar.red: !c
};

// op->a: barrier number, op->b: thread count, op->c: bar.red's predicate, op->d: its result.
wm_op_handler wm_run_barrier;
// barrier.cluster of a cluster that is one block: all of its live threads arrive, then wait.
wm_op_handler wm_run_cluster_arrive, wm_run_cluster_wait;
// Opens the barriers that threads which have exited were the last to hold up.
void wm_barriers_check(struct wm_block_state *block);

#endif
