// Extended-precision integer arithmetic (private to exec/): add.cc, addc, sub.cc, subc, mad.cc and
// madc, which hand a carry from one instruction to the next (PTX ISA 9.7.2). The carry of a
// function's lanes is a predicate in its frame.
#ifndef WM_EXEC_CARRY_OPS_H
#define WM_EXEC_CARRY_OPS_H

#include "exec/interpreter.h"

enum wm_carry_flags {
    WM_CARRY_SUBTRACT = 1,
    WM_CARRY_MULTIPLY = 2, // d = a × b + c
    WM_CARRY_HIGH = 4,     // the high half of the product
    WM_CARRY_SIGNED = 8,
    WM_CARRY_IN = 16,
    WM_CARRY_OUT = 32,
};

// op->extra: the carry.
wm_op_handler wm_run_carry_4, wm_run_carry_8;

#endif
