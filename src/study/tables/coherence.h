// The table of the text report about coherent caches. Private to study/.
#ifndef WM_STUDY_TABLES_COHERENCE_H
#define WM_STUDY_TABLES_COHERENCE_H

#include "base/text/text.h"
#include "engine/session/results.h"
#include "study/tables/columns.h"

extern const struct wm_report_table wm_coherence_table;

// Adds a table of the coherent levels and of the directory at memory, behind an empty line; nothing
// where no level was coherent, or nothing came to any.
void wm_report_coherence(const struct wm_results *results, unsigned columns, struct wm_text *text);

#endif
