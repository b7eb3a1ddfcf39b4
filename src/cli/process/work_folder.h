// A folder in TMPDIR for what a command leaves to itself, flat. What killed commands left of theirs
// goes when the next one makes one.
#ifndef WM_CLI_PROCESS_WORK_FOLDER_H
#define WM_CLI_PROCESS_WORK_FOLDER_H

#include "base/error.h"

#include <limits.h>

struct wm_work_folder {
    char path[PATH_MAX]; // empty: there is none
    int owner;           // base/files/folder_owner.h
};

// `name` is a part of its name. WM_IO with the operating system's reason.
enum wm_status wm_work_folder_make(const char *name, struct wm_work_folder *folder,
                                   struct wm_error *error);
// With the files in it; nothing when there is none.
void wm_work_folder_remove(struct wm_work_folder *folder);

#endif
