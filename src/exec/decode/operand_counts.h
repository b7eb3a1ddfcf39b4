// How many operands an arithmetic instruction has (private to exec/).
#ifndef WM_EXEC_OPERAND_COUNTS_H
#define WM_EXEC_OPERAND_COUNTS_H

#include "ptx/ptx.h"

// The destination included (PTX ISA 9.7.1 to 9.7.9). The lane kernels take what they are given, so
// an instruction with another count is refused before one is chosen for it.
unsigned wm_operand_count(const struct wm_ptx_instruction *instruction);

#endif
