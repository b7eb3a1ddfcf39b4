// Handlers of control flow (private to exec/).
#ifndef WM_EXEC_CONTROL_OPS_H
#define WM_EXEC_CONTROL_OPS_H

#include "exec/interpreter.h"

wm_op_handler wm_run_branch;        // bra: op->target
wm_op_handler wm_run_branch_if;     // @p bra: op->guard, ->target, ->reconverge
wm_op_handler wm_run_branch_around; // the same, but no instruction of the program
wm_op_handler wm_run_branch_index;  // brx.idx: op->a, op->targets, op->target_count
wm_op_handler wm_run_reconverge;    // where lanes reconverge; no instruction of the program
wm_op_handler wm_run_exit, wm_run_exit_if;
wm_op_handler wm_run_call;
wm_op_handler wm_run_refused;       // the body of a function that cannot be executed: op->refusal
wm_op_handler wm_run_call_indirect; // op->a, ->indirect; its lanes reconverge at the next op
wm_op_handler wm_run_return, wm_run_return_if;
wm_op_handler wm_run_trap;
wm_op_handler wm_run_pause;   // nanosleep
wm_op_handler wm_run_guarded; // any other guarded instruction: op->body does the work

wm_op_handler wm_run_extra; // op->body, which is no instruction of the program

#endif
