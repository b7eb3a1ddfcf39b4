// The lines of the text report about side caches and TLBs. Private to study/.
#ifndef WM_STUDY_TABLES_SIDE_CACHES_H
#define WM_STUDY_TABLES_SIDE_CACHES_H

#include "base/text/text.h"
#include "engine/session/results.h"
#include "study/tables/columns.h"

extern const struct wm_report_table wm_tlb_table, wm_side_cache_table;

// Adds a table of each behind an empty line, or nothing when no kernel used any.
void wm_report_side_caches(const struct wm_results *results, unsigned columns,
                           struct wm_text *text);

#endif
