// Handlers of memory instructions (private to exec/).
#ifndef WM_EXEC_MEMORY_OPS_H
#define WM_EXEC_MEMORY_OPS_H

#include "exec/interpreter.h"

// Any memory instruction.
wm_op_handler wm_run_memory;
// Scalar loads and stores with op->move: global and generic addresses, constant memory, shared
// memory.
wm_op_handler wm_run_move_global;
wm_op_handler wm_run_move_shared;
// The same of vectors, in any of these spaces.
wm_op_handler wm_run_move_vector;
// ld.param and st.param of functions: op->memory's offset lies in the frame's parameter space.
wm_op_handler wm_run_function_param;
// ld.param of a kernel's parameter that every lane reads whole: op->offset, op->d, op->flags is the
// size in bytes.
wm_op_handler wm_run_kernel_param;
// The same of vectors and of what is narrower than its register: op->offset and op->memory.
wm_op_handler wm_run_kernel_params;
// prefetch: the address is not read (PTX ISA 9.7.9.15: no fault outside of global memory).
wm_op_handler wm_run_nothing;
wm_op_handler wm_run_fence; // memory is always current: it is only reported

// Reports to the sink the access that warp->addresses and `lanes` describe. True when the warp
// should stop after it.
bool wm_memory_report(struct wm_warp *warp, const struct wm_op *op, wm_ptx_space space,
                      uint64_t lanes);

#endif
