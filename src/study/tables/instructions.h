// The instructions that moved most, in a table for people. Private to study/.
#ifndef WM_STUDY_TABLES_INSTRUCTIONS_H
#define WM_STUDY_TABLES_INSTRUCTIONS_H

#include "engine/session/results.h"
#include "study/tables/columns.h"

extern const struct wm_report_table wm_instruction_table;

// Nothing where no request was made.
void wm_report_instructions(const struct wm_results *results, unsigned columns,
                            struct wm_text *text);

#endif
