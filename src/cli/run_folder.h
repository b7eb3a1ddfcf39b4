// The folder in which the programs of one run leave their text reports, numbered in the order in
// which they first used the device ("1.claim" when one starts, "1.txt" when it has reported).
#ifndef WM_CLI_RUN_FOLDER_H
#define WM_CLI_RUN_FOLDER_H

#include "base/error.h"
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

struct wm_run_reports {
    uint32_t started, reported; // programs that used the device, and that left a report
};

enum wm_status wm_run_folder_make(char *folder, size_t size, struct wm_error *error);
// Appends the reports in order, an empty line between them.
struct wm_run_reports wm_run_folder_collect(const char *folder, struct wm_text *text);
void wm_run_folder_remove(const char *folder);

#endif
