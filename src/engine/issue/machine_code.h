// An estimate of the machine code that ptxas makes of a kernel's PTX: how many issue slots each PTX
// instruction takes, and which loops are unrolled (gpu.sm.machine_code: estimated;
// docs/engine-clock.md, "Machine code").
//
// It follows registers that one instruction writes, without a guard: that one is executed before
// each reader, wherever branches go. Compilers give nearly every value such a register. Branches
// are followed where the work has its module's text (wm_work_ops.copy_ptx). Private to engine/.
#ifndef WM_ENGINE_ISSUE_MACHINE_CODE_H
#define WM_ENGINE_ISSUE_MACHINE_CODE_H

#include "engine/session/work.h"

// `slots`: by pc, work->instruction_count of them. 0: the instruction is an operand of those that
// read its result, or they do its work; n: it is a sequence. Instructions of SASS are one each.
// `rounds`: likewise; of a branch that ends a round of a loop, how many rounds ptxas makes one
// basic block of; UINT8_MAX of one that it leaves out. Else 0. `compute_major`: of the machine's
// compute capability. WM_NO_MEMORY.
enum wm_status wm_machine_code_estimate(const struct wm_work *work, uint32_t compute_major,
                                        uint8_t *slots, uint8_t *rounds, struct wm_error *error);

#endif
