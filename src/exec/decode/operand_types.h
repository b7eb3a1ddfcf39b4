// How many operands an arithmetic instruction has, and of which types (private to exec/).
#ifndef WM_EXEC_OPERAND_TYPES_H
#define WM_EXEC_OPERAND_TYPES_H

#include "ptx/ptx.h"

enum { WM_OPERANDS_MOST = 5 };

// Destination first; WM_PTX_none behind the last.
struct wm_operand_types {
    wm_ptx_type types[WM_OPERANDS_MOST];
};

// The destination included (PTX ISA 9.7.1 to 9.7.9). The lane kernels take what they are given, so
// an instruction with another count is refused before one is chosen for it. 0 where the opcode
// table leaves it to the opcode's family.
unsigned wm_operand_count(const struct wm_ptx_instruction *instruction);

// Of an instruction whose count is not 0.
struct wm_operand_types wm_operand_types(const struct wm_ptx_instruction *instruction);

#endif
