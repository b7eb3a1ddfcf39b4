#include "study/database/read_only.h"

#include "base/files/output_place.h"
#include "base/text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool wm_database_file_is_writable(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash + 1 - path)) : strdup(".");
    bool writable = folder && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 &&
                    faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0;
    free(folder);
    return writable;
}

// Whether there is a write-ahead log: what a run that continues, or was killed, has not moved into
// the database.
static bool has_log(const char *path)
{
    struct wm_text name;
    struct stat status;
    wm_text_init(&name);
    wm_text_format(&name, "%s-wal", path);
    bool yes = !name.failed && stat(name.data, &status) == 0 && status.st_size > 0;
    wm_text_release(&name);
    return yes;
}

// The path as a URI with a parameter (https://www.sqlite.org/uri.html).
static void name_uri(const char *path, const char *parameter, struct wm_text *uri)
{
    wm_text_add(uri, "file:");
    for (const char *at = path; *at; at++)
        if (strchr("?#%", *at))
            wm_text_format(uri, "%%%02X", (unsigned)(unsigned char)*at);
        else
            wm_text_append(uri, at, 1);
    wm_text_format(uri, "?%s", parameter);
}

int wm_database_file_open(const char *path, sqlite3 **handle)
{
    // A connection that may not write would leave the log's files behind that SQLite makes for a
    // database: the last one to leave tidies up. So where writing is allowed it is one that may.
    if (wm_database_file_is_writable(path)) {
        int result = sqlite3_open_v2(path, handle, SQLITE_OPEN_READWRITE, NULL);
        return result == SQLITE_OK
                   ? sqlite3_exec(*handle, "PRAGMA query_only = 1", NULL, NULL, NULL)
                   : result;
    }
    // With a log its index is needed, which another's run keeps. Without one there is no writer
    // whose changes could be missed, and no file may be made for it.
    struct wm_text uri;
    wm_text_init(&uri);
    name_uri(path, has_log(path) ? "mode=ro" : "immutable=1", &uri);
    *handle = NULL;
    int result = uri.failed ? SQLITE_NOMEM
                            : sqlite3_open_v2(uri.data, handle,
                                              SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    wm_text_release(&uri);
    return result;
}

// Of a database that could not be made SQLite keeps the errno of its other attempt, to read it.
static int output_reason(const char *path, int otherwise)
{
    struct wm_output_place place;
    struct wm_error error;
    wm_error_clear(&error);
    bool refused = wm_output_place_find(&place, path, &error) != WM_OK;
    wm_output_place_release(&place);
    return refused ? wm_output_error_reason(&error) : otherwise;
}

enum wm_status wm_database_file_error(sqlite3 *handle, const char *what, const char *path,
                                      struct wm_error *error)
{
    int result = handle ? sqlite3_errcode(handle) & 0xff : SQLITE_NOMEM;
    int reason = handle ? sqlite3_system_errno(handle) : 0;
    if (result == SQLITE_CANTOPEN)
        reason = output_reason(path, reason);
    bool system = result == SQLITE_IOERR || result == SQLITE_CANTOPEN || result == SQLITE_FULL;
    if (result == SQLITE_FULL && reason == 0)
        reason = ENOSPC;
    if (system && reason != 0)
        wm_fail(error, WM_IO, "%s: %s (%s)", what, sqlite3_errstr(result), strerror(reason));
    else
        wm_fail(error, WM_IO, "%s: %s", what,
                handle ? sqlite3_errmsg(handle) : WM_NO_MEMORY_FOR "SQLite");
    if (error && system)
        wm_output_hint(reason, error);
    if (error && result == SQLITE_CANTOPEN && !wm_database_file_is_writable(path) && has_log(path))
        wm_error_hint(error,
                      "a run goes on or was killed: what it left in \"%s-wal\" can be read "
                      "where this folder may be written, or by a copy of both files",
                      path);
    return wm_error_place(error, "%s", path);
}
