// Loads and stores of local memory (private to exec/).
#ifndef WM_EXEC_LOCAL_OPS_H
#define WM_EXEC_LOCAL_OPS_H

#include "exec/interpreter.h"

// Moves what `op` says between the registers of `lanes` and their local memory, at the checked
// offsets in warp->addresses; which it turns into the addresses that the sink gets, when there is
// one.
void wm_local_access(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes);

// A load or store of local memory with op->move, of warps of 32 lanes.
wm_op_handler wm_run_move_local;

#endif
