// Extended-precision integer arithmetic (private to exec/): add.cc, addc, sub.cc, subc, mad.cc and
// madc, which hand a carry from one instruction to the next (PTX ISA 9.7.2). The carry of a
// function's lanes is a predicate in its frame.
#ifndef WM_EXEC_CARRY_OPS_H
#define WM_EXEC_CARRY_OPS_H

#include "exec/interpreter.h"

// op->lane: a kernel of two results, op->extra: the carry.
wm_op_handler wm_run_carry;

#endif
