// On which SM each block ran (--block-map). Private to study/.
#ifndef WM_STUDY_TABLES_BLOCK_MAPS_H
#define WM_STUDY_TABLES_BLOCK_MAPS_H

#include "base/text/text.h"
#include "engine/session/results.h"

#include <stdio.h>

// Of each of a few kernels the last launch: its grid, with an SM's number for each block, no wider
// than `columns`. Nothing where maps were not kept.
void wm_report_block_maps(const struct wm_results *results, unsigned columns, struct wm_text *text);
// The member "block_maps" of the results, with its comma and newline.
void wm_block_maps_json(const struct wm_results *results, FILE *stream);

#endif
