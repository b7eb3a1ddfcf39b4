// What each launch counted (--per-launch). Private to study/.
#ifndef WM_STUDY_TABLES_LAUNCHES_H
#define WM_STUDY_TABLES_LAUNCHES_H

#include "base/text/text.h"
#include "engine/session/results.h"
#include "study/tables/columns.h"

#include <stdbool.h>
#include <stdio.h>

extern const struct wm_report_table wm_launch_table;

// A table with a row for each launch; nothing where launches were not kept.
void wm_report_launches(const struct wm_results *results, struct wm_text *text);
// The member "launches" of the results, with its comma and newline.
void wm_launches_json(const struct wm_results *results, FILE *stream);
// Rows of `where` "launch 3" and "launch 3 gpu0.sm[*].l1".
void wm_launches_csv(const struct wm_results *results, FILE *stream);

// A counter of a launch, over all levels of `kind` ("l1").
uint64_t wm_launch_sum(const struct wm_results *results, const struct wm_launch_result *launch,
                       const char *kind, const char *name);

#endif
