// The table of the text report about the links between GPUs. Private to study/.
#ifndef WM_STUDY_TABLES_PEER_LINKS_H
#define WM_STUDY_TABLES_PEER_LINKS_H

#include "base/text/text.h"
#include "engine/session/results.h"
#include "study/tables/columns.h"

extern const struct wm_report_table wm_peer_link_table;

// Adds a table of the directions of links that something crossed, or a line where nothing crossed
// any, behind an empty line; nothing for a machine of one GPU.
void wm_report_peer_links(const struct wm_results *results, unsigned columns, struct wm_text *text);

#endif
