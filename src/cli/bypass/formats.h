// The report of warpmem bypass as text, as JSON and as a page.
#ifndef WM_CLI_BYPASS_FORMATS_H
#define WM_CLI_BYPASS_FORMATS_H

#include "cli/bypass/report.h"

// Appends the text, at most `columns` wide where that can be (study/run_report/width.h).
void wm_bypass_text(const struct wm_bypass_report *report, unsigned columns, struct wm_text *text);
// Writes docs/formats/bypass-json.md's document. Errors as wm_report_file_open's.
enum wm_status wm_bypass_json(const struct wm_bypass_report *report, const char *path,
                              struct wm_error *error);
// Writes one page: the graphs drawn, loads, solutions as bars, and what each source of efficiencies
// leads to. Errors as wm_report_file_open's.
enum wm_status wm_bypass_html(const struct wm_bypass_report *report, const char *path,
                              struct wm_error *error);

#endif
