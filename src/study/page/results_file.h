// What the readers of a results database share. Private to study/.
#ifndef WM_STUDY_PAGE_RESULTS_FILE_H
#define WM_STUDY_PAGE_RESULTS_FILE_H

#include "study/page/study_rows.h"

// "'results.db' is damaged: …", WM_INVALID.
enum wm_status wm_results_file_damaged(const struct wm_results_file *file, struct wm_error *error,
                                       const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A statement to step through and finalize.
enum wm_status wm_results_file_prepare(const struct wm_results_file *file, const char *query,
                                       sqlite3_stmt **statement, struct wm_error *error);
// Reads every study (study_rows.c).
enum wm_status wm_results_file_rows(struct wm_results_file *file, struct wm_error *error);

#endif
