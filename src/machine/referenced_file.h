// Files that a machine file or a setting names: lists and tables kept apart from it.
#ifndef WM_MACHINE_REFERENCED_FILE_H
#define WM_MACHINE_REFERENCED_FILE_H

#include "base/error.h"
#include "base/text/text.h"

#include <stddef.h>

// What `name` means when `referrer`, a file, names it: relative to that file's folder; to the
// working folder when `referrer` is NULL. WM_INVALID when that is too long for `path`.
enum wm_status wm_referenced_file_path(const char *referrer, const char *name, char *path,
                                       size_t size, struct wm_error *error);

// Reads a whole file of at most 1 MiB, comments included; `bytes` is empty before. Errors call it
// `what` ("bypass list") and have no place: WM_NOT_FOUND, WM_IO, WM_NO_MEMORY, and WM_INVALID when
// it is no file or too large.
enum wm_status wm_referenced_file_read(const char *what, const char *path, struct wm_text *bytes,
                                       struct wm_error *error);

#endif
