// The sections of a study's page. Each writes one, headed by an <h2>; nothing when the study has
// nothing for it. What the stream refuses is found when the file is closed. Private to study/.
#ifndef WM_STUDY_PAGE_SECTIONS_H
#define WM_STUDY_PAGE_SECTIONS_H

#include "study/page/chart_table.h"
#include "study/page/machine_values.h"
#include "study/page/study_rows.h"

#include <stdio.h>

struct wm_page {
    FILE *stream;
    const struct wm_study_rows *study;
    uint32_t number; // of the study in the page: part of every id
    bool has_charts;
    const struct wm_chart_table *figures;     // of each figure_row
    const struct wm_machine_values *machines; // of each machine_row
    const char *const *pictures;              // likewise: SVG, or NULL
};

void wm_page_claims(const struct wm_page *page);
void wm_page_figures(const struct wm_page *page);
void wm_page_machines(const struct wm_page *page);
void wm_page_failures(const struct wm_page *page);
// The place that the page's script fills with a point's kernels and instructions.
void wm_page_loads(const struct wm_page *page);

// The data of all studies for the scripts, as one JSON object in a <script> element: figures, and
// what each point did. WM_INVALID when a point's results are damaged.
enum wm_status wm_page_data(const struct wm_page *pages, uint32_t page_count,
                            const struct wm_results_file *file, struct wm_error *error);

// <th scope="row">, <td class="…"> and the like, with text that is no markup.
void wm_page_cell(FILE *stream, const char *open, const char *text, const char *close);

#endif
