// What warpmem bypass has found and decided, for its text, JSON and page.
#ifndef WM_CLI_BYPASS_REPORT_H
#define WM_CLI_BYPASS_REPORT_H

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

#endif
