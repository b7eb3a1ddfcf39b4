// Lines that several caches write, as data: in JSON (docs/formats/results-json.md,
// annotate-json.md) and CSV (docs/formats/results-csv.md). Private to study/.
#ifndef WM_STUDY_RUN_REPORT_WRITTEN_LINE_DATA_H
#define WM_STUDY_RUN_REPORT_WRITTEN_LINE_DATA_H

#include "base/names/counters.h"
#include "base/text/text.h"
#include "engine/session/results.h"

#include <stdbool.h>
#include <stdio.h>

// What is counted of a line, and of an instruction at a line.
extern const struct wm_counter_set wm_written_line_set, wm_written_place_set;

// Appends "near, shared+0x40, 3 more": what has bytes of the line, `most` of it at most; nothing
// where none is known.
void wm_written_line_names(const struct wm_written_line_result *line, uint32_t most,
                           struct wm_text *text);
// The member `"written_lines": {…}`, a line of text for each, without what separates it from
// others. Nothing but in results that note such lines. False without memory.
bool wm_written_lines_json(const struct wm_results *results, FILE *stream);
// Rows as wm_report_csv has them; none where such lines are not noted.
void wm_written_lines_csv(const struct wm_results *results, FILE *stream);

#endif
