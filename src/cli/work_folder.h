// A folder in TMPDIR for what a command leaves to itself, flat.
#ifndef WM_CLI_WORK_FOLDER_H
#define WM_CLI_WORK_FOLDER_H

#include "base/error.h"

#include <stddef.h>

// `name` is a part of its name. WM_IO with the operating system's reason.
enum wm_status wm_work_folder_make(const char *name, char *folder, size_t size,
                                   struct wm_error *error);
// With the files in it.
void wm_work_folder_remove(const char *folder);

#endif
