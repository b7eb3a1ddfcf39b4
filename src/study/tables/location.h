// Where an instruction is, in a table for people. Private to study/.
#ifndef WM_STUDY_TABLES_LOCATION_H
#define WM_STUDY_TABLES_LOCATION_H

#include "engine/session/results.h"
#include "study/format/text_table.h"

// The CUDA source when the PTX names it, else the PTX line, or the pc, and the kernel.
void wm_report_location_cell(struct wm_text_table *table, uint32_t column,
                             const struct wm_kernel_result *kernel,
                             const struct wm_instruction_result *instruction);
// Begins a row with the instruction's place and its opcode with modifiers: operands are register
// names without meaning here.
void wm_report_instruction_row(struct wm_text_table *table, const struct wm_kernel_result *kernel,
                               const struct wm_instruction_result *instruction);
// The kernel's short name behind `indent`.
void wm_report_name_cell(struct wm_text_table *table, uint32_t column, const char *indent,
                         const struct wm_kernel_result *kernel);

#endif
