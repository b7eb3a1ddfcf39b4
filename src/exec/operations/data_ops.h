// Handlers that move data between registers, and the bridge to the lane kernels (private to exec/).
#ifndef WM_EXEC_DATA_OPS_H
#define WM_EXEC_DATA_OPS_H

#include "exec/interpreter.h"

wm_op_handler wm_run_lanes_32, wm_run_lanes_64; // op->lane, for a warp of 32 or 64 lanes
wm_op_handler wm_run_lanes_pair;                // … with a fourth source, op->extra
wm_op_handler wm_run_copy_predicate, wm_run_negate_predicate;
wm_op_handler wm_run_pack, wm_run_unpack; // op->pack
wm_op_handler wm_run_add_8;               // d = a + op->immediate, 64-bit lanes
wm_op_handler wm_run_add_local_base;      // d = op->immediate + the function's local base
wm_op_handler wm_run_is_constant;         // isspacep.const
wm_op_handler wm_run_activemask;
// op->flags: WM_CLOCK_…, op->immediate: shift, op->extra: as wm_decode_spin_length.
wm_op_handler wm_run_clock;
enum { WM_CLOCK_WIDE = 1, WM_CLOCK_NANOSECONDS = 2 };
#define WM_SPIN_CONTINUES UINT32_MAX

#endif
