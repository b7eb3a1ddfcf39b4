// The table of the text report about lines that several caches write. Private to study/.
#ifndef WM_STUDY_TABLES_WRITTEN_LINES_H
#define WM_STUDY_TABLES_WRITTEN_LINES_H

#include "base/text/text.h"
#include "engine/session/results.h"
#include "study/tables/columns.h"

extern const struct wm_report_table wm_written_line_table;

// Adds a table of the lines of which other caches' writes took most copies, each with the
// instructions that did, or missed for it, behind an empty line; nothing where such lines were not
// noted, or there was none.
void wm_report_written_lines(const struct wm_results *results, unsigned columns,
                             struct wm_text *text);

#endif
