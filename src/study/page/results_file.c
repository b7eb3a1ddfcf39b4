// Opening a results database for reading, and the checks that it is one.
#include "study/page/results_file.h"

#include "study/database/read_only.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

// docs/formats/results-database.md
enum { APPLICATION = 0x574D7273, VERSION = 1 }; // "WMrs"

enum wm_status wm_results_file_damaged(const struct wm_results_file *file, struct wm_error *error,
                                       const char *format, ...)
{
    char reason[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    wm_fail(error, WM_INVALID, "'%s' is damaged: %s", file->path, reason);
    return wm_error_hint(error, "\"warpmem study run\" writes it anew when it is not there");
}

enum wm_status wm_results_file_prepare(const struct wm_results_file *file, const char *query,
                                       sqlite3_stmt **statement, struct wm_error *error)
{
    if (sqlite3_prepare_v2(file->database, query, -1, statement, NULL) == SQLITE_OK)
        return WM_OK;
    return wm_results_file_damaged(file, error, "%s", sqlite3_errmsg(file->database));
}

// What SQLite refused before anything of the file is known.
static enum wm_status refused(const struct wm_results_file *file, struct wm_error *error)
{
    int code = file->database != NULL ? sqlite3_errcode(file->database) : SQLITE_NOMEM;
    switch (code) {
    case SQLITE_NOMEM: return wm_fail_no_memory(error, "'%s'", file->path);
    case SQLITE_NOTADB:
        wm_fail(error, WM_INVALID, "'%s' is not a results database", file->path);
        return wm_error_hint(error, "\"warpmem study run\" writes one");
    case SQLITE_CORRUPT:
        return wm_results_file_damaged(file, error, "%s", sqlite3_errmsg(file->database));
    default:
        return wm_database_file_error(file->database, "cannot read the database", file->path,
                                      error);
    }
}

static enum wm_status read_number(const struct wm_results_file *file, const char *pragma,
                                  int64_t *number, struct wm_error *error)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(file->database, pragma, -1, &statement, NULL) != SQLITE_OK)
        return refused(file, error);
    enum wm_status status = WM_OK;
    if (sqlite3_step(statement) == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    else
        status = refused(file, error);
    sqlite3_finalize(statement);
    return status;
}

static enum wm_status check_kind(const struct wm_results_file *file, struct wm_error *error)
{
    int64_t application = 0, version = 0;
    WM_TRY(read_number(file, "PRAGMA application_id", &application, error));
    WM_TRY(read_number(file, "PRAGMA user_version", &version, error));
    if (application != APPLICATION) {
        wm_fail(error, WM_INVALID, "'%s' is a database, but not one of warpmem's results",
                file->path);
        return wm_error_hint(error, "\"warpmem study run\" writes one");
    }
    if (version == VERSION)
        return WM_OK;
    wm_fail(error, WM_INVALID,
            "'%s' has version %" PRId64 " of the results database; this warpmem reads version %d",
            file->path, version, VERSION);
    return version > VERSION
               ? wm_error_hint(error, "a newer warpmem wrote it: report with that one")
               : wm_error_hint(error, "run the study again with this warpmem, into a new database");
}

static enum wm_status check_points(const struct wm_results_file *file, struct wm_error *error)
{
    for (uint32_t i = 0; i < file->study_count; i++)
        if (file->studies[i].point_count > 0)
            return WM_OK;
    wm_fail(error, WM_INVALID, "'%s' has no results yet", file->path);
    return wm_error_hint(error, "\"warpmem study run FILE\" computes them");
}

enum wm_status wm_results_file_open(struct wm_results_file *file, const char *path,
                                    struct wm_error *error)
{
    struct stat status;
    *file = (struct wm_results_file){.path = path, .values = json_array()};
    wm_arena_init(&file->arena);
    if (file->values == NULL)
        return wm_fail_no_memory(error, "'%s'", path);
    if (stat(path, &status) != 0)
        return wm_fail(error, errno == ENOENT ? WM_NOT_FOUND : WM_IO, "cannot read '%s': %s", path,
                       strerror(errno));
    if (!S_ISREG(status.st_mode))
        return wm_fail(error, WM_INVALID, "'%s' is not a file", path);
    if (wm_database_file_open(path, &file->database) != SQLITE_OK)
        return refused(file, error);
    // A study may be running: one transaction sees one state of it, and a short lock is waited for.
    sqlite3_busy_timeout(file->database, 10000);
    WM_TRY(check_kind(file, error));
    if (sqlite3_exec(file->database, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return refused(file, error);
    WM_TRY(wm_results_file_rows(file, error));
    return check_points(file, error);
}

void wm_results_file_close(struct wm_results_file *file)
{
    sqlite3_close(file->database);
    json_decref(file->values);
    wm_arena_release(&file->arena);
    *file = (struct wm_results_file){0};
}

enum wm_status wm_results_file_point(const struct wm_results_file *file, int64_t point,
                                     json_t **results, struct wm_error *error)
{
    sqlite3_stmt *statement;
    WM_TRY(wm_results_file_prepare(file, "SELECT results FROM point WHERE id = ?1", &statement,
                                   error));
    sqlite3_bind_int64(statement, 1, point);
    const char *text = sqlite3_step(statement) == SQLITE_ROW
                           ? (const char *)sqlite3_column_text(statement, 0)
                           : NULL;
    json_error_t reason;
    *results = text != NULL ? json_loads(text, 0, &reason) : NULL;
    sqlite3_finalize(statement);
    if (json_is_object(*results))
        return WM_OK;
    json_decref(*results);
    *results = NULL;
    return wm_results_file_damaged(file, error, "the results of point %" PRId64 " are not JSON",
                                   point);
}
