// All sets of a kernel's loads (bypass/all_sets.h), predicted and measured: as text, as JSON and as
// a picture. For a report that has them.
#ifndef WM_CLI_BYPASS_ALL_SETS_H
#define WM_CLI_BYPASS_ALL_SETS_H

#include "cli/bypass/report.h"

#include <jansson.h>
#include <stdio.h>

// Appends how alike predictions and measurements rank the sets, the one of fewest bytes, and the
// one that is decided, in lines of at most `width`.
void wm_bypass_sets_text(const struct wm_bypass_report *report, uint32_t kernel, unsigned width,
                         struct wm_text *text);
// The value of a kernel's `all_sets` (docs/formats/bypass-json.md); NULL when out of memory.
json_t *wm_bypass_sets_json(const struct wm_bypass_report *report, uint32_t kernel);
// Writes a heading and a picture (SVG): a dot a set, predicted bytes to the right, measured ones
// upwards.
void wm_bypass_draw_sets(FILE *stream, const struct wm_bypass_report *report, uint32_t kernel);

#endif
