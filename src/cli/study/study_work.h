// The work of `warpmem study run`: compiles and records each workload once, replays what points the
// database lacks, and stores each as it ends. Everything is done by this executable, started anew.
#ifndef WM_CLI_STUDY_STUDY_WORK_H
#define WM_CLI_STUDY_STUDY_WORK_H

#include "cli/options/limit_option.h"
#include "study/database/results_database.h"

#include <stdio.h>

struct wm_study_work {
    struct wm_study *study;
    struct wm_database *database;
    const char *executable; // of this program
    const char *folder;     // for programs and recordings: exists, and is locked for this run
    const char *build;      // of what recordings depend on: part of their names
    uint32_t threads;
    const uint8_t *selected;       // by point, workload by workload: 1 for those to do
    struct wm_limit_values limits; // of each recording
};

// Points: selected; of these, in the database before this run, done by it, failed in it.
struct wm_study_work_counts {
    uint32_t requested, already_done, done, failed;
};

// Errors are of the system and the database; a workload or point that fails is stored as failed.
enum wm_status wm_study_work(const struct wm_study_work *work, struct wm_study_work_counts *done,
                             struct wm_error *error);

#endif
