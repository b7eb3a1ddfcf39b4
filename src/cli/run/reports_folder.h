// The folder in which the programs of one run leave their text reports, numbered in the order in
// which they first used the device ("1.claim" when one starts, "1.txt" when it has reported).
#ifndef WM_CLI_RUN_REPORTS_FOLDER_H
#define WM_CLI_RUN_REPORTS_FOLDER_H

#include "base/text/text.h"

#include <stdint.h>

struct wm_run_reports {
    uint32_t started, reported; // programs that used the device, and that left a report
};

// Appends what the checks of the programs said ("1.checked", or "1.findings" when they found
// something that was checked for). Returns how many programs had such findings.
uint32_t wm_run_folder_findings(const char *folder, uint32_t programs, struct wm_text *text);

// Appends the reports in order, an empty line between them.
struct wm_run_reports wm_run_folder_collect(const char *folder, struct wm_text *text);

#endif
