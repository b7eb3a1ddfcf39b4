// What warpmem bypass prints: loads, edges and solutions, as text, as JSON and as a page.
#ifndef WM_CLI_BYPASS_BYPASS_REPORT_H
#define WM_CLI_BYPASS_BYPASS_REPORT_H

#include "bypass/all_sets.h"
#include "bypass/hints.h"
#include "bypass/l1_partition.h"
#include "bypass/measure.h"

// Everything that is printed. Borrowed.
struct wm_bypass_report {
    const struct wm_machine *machine;
    const struct wm_bypass_program *program;
    const struct wm_bypass_measured *measured; // by kernel; NULL: not measured
    const struct wm_bypass_all_sets *all_sets; // by kernel; NULL: not requested
    const struct wm_partitions *partitions;    // NULL: not requested
    const char *model;                         // of the partitions, by name; NULL: none
    enum wm_bypass_solver solver;              // that decides
    const struct wm_bypass_hints *hints;       // NULL: without
    bool clock;                                // measured in time
    const char *const *words;                  // of the program's command line
    uint32_t word_count;
};

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
