// What a run cost by its machine's energy table: for people, and as JSON. Private to study/.
#ifndef WM_STUDY_TABLES_ENERGY_H
#define WM_STUDY_TABLES_ENERGY_H

#include "base/text/text.h"
#include "engine/session/results.h"
#include "study/tables/columns.h"

#include <jansson.h>
#include <stdio.h>

extern const struct wm_report_table wm_energy_columns;

// A section of wm_report_text; nothing without an energy table.
void wm_report_energy(const struct wm_results *results, unsigned columns, struct wm_text *text);

// The object "energy" of docs/formats/results-json.md, of the whole run or, with `kernel`, of one.
// NULL when out of memory.
json_t *wm_energy_json(const struct wm_energy_result *energy, bool kernel);

// The rows of docs/formats/results-csv.md, of the whole run when `kernel` is "".
void wm_energy_csv(const struct wm_energy_result *energy, const char *kernel, FILE *stream);

#endif
