// The issue table (sm/issue/issue.h) of a launch's kernel, from the texts of its instructions: PTX
// of the interpreter and of own recordings, SASS of recordings that were imported from Accel-Sim
// traces.
//
// Registers are numbered over the kernel, each name once, predicates too; registers of functions
// that it calls share the numbers of their names. SASS names the first register of several: the
// others follow where the opcode has several. Not counted as registers are special ones, numbers,
// labels, and what SASS reads as zero or true (RZ, PT, and R255, as which traces have RZ).
// Private to engine/.
#ifndef WM_ENGINE_ISSUE_ISSUE_TABLE_H
#define WM_ENGINE_ISSUE_ISSUE_TABLE_H

#include "engine/session/work.h"
#include "sm/issue/issue.h"

// Behind them stands what is taken of an instruction of which nothing is known
// (wm_work_ops.next_pc): one of integers without registers.
//
// WM_NO_MEMORY; WM_UNSUPPORTED for a kernel of more registers than 65,536, or of an instruction
// that names more than 255. On error there is nothing to release.
enum wm_status wm_issue_table_init(struct wm_issue_table *table, const struct wm_work *work,
                                   struct wm_error *error);
// Another kernel's instructions come behind those of `table`, whose last one, that of which nothing
// is known, stays where it is: the other's first has the table's instruction_count + 1 of before as
// its pc. `more` is not changed, and steps are not found. WM_NO_MEMORY.
enum wm_status wm_issue_table_append(struct wm_issue_table *table,
                                     const struct wm_issue_table *more, struct wm_error *error);
// Machine code is estimated: by pc, the issue slots that each instruction takes
// (engine/issue/machine_code.h), one of integers its unit as often, and how many rounds of a loop
// are one basic block. Before its steps are found.
void wm_issue_table_set_machine_code(struct wm_issue_table *table, const uint8_t *slots,
                                     const uint8_t *rounds);
// The SM's first level is scoped: by pc, what each instruction orders
// (engine/issue/memory_order.h). One that releases waits until its warp's accesses are done, and
// what stands behind an access that acquires waits for that. Before its steps are found.
void wm_issue_table_set_orders(struct wm_issue_table *table, const uint8_t *orders);
void wm_issue_table_release(struct wm_issue_table *table);

#endif
