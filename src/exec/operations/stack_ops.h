// Handlers of the thread's stack (private to exec/): alloca, stacksave, stackrestore (PTX ISA
// 9.7.16). Variables of functions grow up from the beginning of a thread's local memory, with the
// calls; what is allocated grows down from its end, and goes when the function returns.
#ifndef WM_EXEC_STACK_OPS_H
#define WM_EXEC_STACK_OPS_H

#include "exec/interpreter.h"

wm_op_handler wm_run_alloca;        // op->d, ->a: bytes, ->b: alignment; flags: see below
wm_op_handler wm_run_stack_save;    // op->d
wm_op_handler wm_run_stack_restore; // op->a
// As wm_run_stack_restore, for the lanes that return.
wm_op_handler wm_run_stack_leave;

enum {
    WM_STACK_WIDE = 1,    // the registers have 64-bit lanes
    WM_STACK_GUARDED = 2, // wm_run_stack_leave: only where op->guard holds
};

// Everything allocated by the warp's threads is free.
void wm_stack_start(struct wm_warp *warp);
// The lowest of what the current lanes have allocated: the end of what calls may take.
uint32_t wm_stack_room(const struct wm_warp *warp);

#endif
