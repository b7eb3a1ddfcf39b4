// The parts of warpmem bypass's page that lie in files of their own.
#ifndef WM_CLI_BYPASS_PAGE_H
#define WM_CLI_BYPASS_PAGE_H

#include "cli/bypass/report.h"
#include "study/tables/columns.h"

#include <stdio.h>

extern const char wm_bypass_style[]; // in addition to wm_page_style

// Of the loads' edges those that weigh most are drawn, as many as these.
enum { WM_BYPASS_MOST_DRAWN = 600 };

// The heads of the table's first `count` columns, and `more` behind them; the body is begun.
void wm_bypass_put_heads(FILE *stream, const struct wm_report_table *table, uint32_t count,
                         const char *more);

// Writes the kernel's traffic graph as a picture (SVG) in the page, and its legend below it: loads
// on a circle in the order of the PTX, from the top clockwise. False when out of memory.
bool wm_bypass_draw_graph(FILE *stream, const struct wm_bypass_report *report,
                          const struct wm_bypass_kernel *kernel);

#endif
