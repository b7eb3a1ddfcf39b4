// The cache hints of loads beyond .ca and .cg, and what they were measured to save: rows of text
// and page.
#ifndef WM_CLI_BYPASS_HINT_TABLE_H
#define WM_CLI_BYPASS_HINT_TABLE_H

#include "cli/bypass/bypass_columns.h"

enum wm_bypass_hint_column {
    WM_BYPASS_HINT_NUMBER,
    WM_BYPASS_HINT_AT,
    WM_BYPASS_HINT_LOAD,
    WM_BYPASS_HINT_SAYS,
    WM_BYPASS_HINT_L1_L2,
    WM_BYPASS_HINT_DRAM,
    WM_BYPASS_HINT_CYCLES,
    WM_BYPASS_HINT_COLUMNS
};
extern const struct wm_report_table wm_bypass_hint_table;

struct wm_bypass_hint_cells {
    char text[WM_BYPASS_HINT_COLUMNS][WM_BYPASS_CELL_BYTES];
};

// How many of its columns are printed: without cycles unless they were measured.
uint32_t wm_bypass_hint_columns(const struct wm_bypass_report *report);
// Whether the load gets another hint than it has in the program.
bool wm_bypass_is_hinted(const struct wm_hinted_load *load);
void wm_bypass_hint_cells_of(const struct wm_bypass_report *report, uint32_t kernel, uint32_t load,
                             struct wm_bypass_hint_cells *cells);
// Appends "3.8 MiB instead of 6.0 MiB between L1 and L2 (-37%), 1.0 MiB instead of 1.0 MiB between
// L2 and DRAM (+0%)", and cycles where they were measured.
void wm_bypass_hint_totals(const struct wm_hint_counts *before, const struct wm_hint_counts *after,
                           struct wm_text *text);
// Appends the kernel's rows, totals and what was left out.
void wm_bypass_hint_text(const struct wm_bypass_report *report, uint32_t kernel, unsigned columns,
                         struct wm_text *text);

#endif
