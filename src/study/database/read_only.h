// Opening a results database that is only to be read, also where nothing may be written: a folder
// of another user, a disk that is mounted read-only. Private to study/.
#ifndef WM_STUDY_DATABASE_READ_ONLY_H
#define WM_STUDY_DATABASE_READ_ONLY_H

#include "base/error.h"

#include <sqlite3.h>
#include <stdbool.h>

// Whether a connection could write: the file, and the files that SQLite makes next to it.
bool wm_database_file_is_writable(const char *path);

// A connection that changes nothing, whether it could or not. Returns SQLite's result; `*handle` is
// the caller's in any case (sqlite3_close), and may be NULL.
int wm_database_file_open(const char *path, sqlite3 **handle);

// The error of a failed call: `what`, SQLite's words and the operating system's reason, with a hint
// where there is one.
enum wm_status wm_database_file_error(sqlite3 *handle, const char *what, const char *path,
                                      struct wm_error *error);

#endif
