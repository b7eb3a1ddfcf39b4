#include "study/database/query.h"

#include "study/database/read_only.h"

#include <stdarg.h>

enum wm_status wm_database_error(struct wm_database *database, const char *what,
                                 struct wm_error *error)
{
    return wm_database_file_error(database->handle, what, database->path, error);
}

static enum wm_status prepare(struct wm_database *database, sqlite3_stmt **statement,
                              struct wm_error *error, const char *sql, const char *types,
                              va_list list)
{
    *statement = NULL;
    if (sqlite3_prepare_v2(database->handle, sql, -1, statement, NULL) != SQLITE_OK)
        return wm_database_error(database, "the database cannot be queried", error);
    int result = SQLITE_OK;
    for (int i = 1; *types != '\0' && result == SQLITE_OK; i++, types++) {
        if (*types == 'i')
            result = sqlite3_bind_int64(*statement, i, va_arg(list, int64_t));
        else if (*types == 'r')
            result = sqlite3_bind_double(*statement, i, va_arg(list, double));
        else
            result =
                sqlite3_bind_text(*statement, i, va_arg(list, const char *), -1, SQLITE_STATIC);
    }
    if (result == SQLITE_OK)
        return WM_OK;
    wm_database_error(database, "the database cannot be queried", error);
    sqlite3_finalize(*statement);
    *statement = NULL;
    return error ? error->status : WM_IO;
}

enum wm_status wm_query(struct wm_database *database, sqlite3_stmt **statement,
                        struct wm_error *error, const char *sql, const char *types, ...)
{
    va_list list;
    va_start(list, types);
    enum wm_status status = prepare(database, statement, error, sql, types, list);
    va_end(list);
    return status;
}

enum wm_status wm_query_step(struct wm_database *database, sqlite3_stmt *statement, bool *row,
                             struct wm_error *error)
{
    int result = sqlite3_step(statement);
    *row = result == SQLITE_ROW;
    if (*row)
        return WM_OK;
    enum wm_status status = WM_OK;
    if (result != SQLITE_DONE)
        status = wm_database_error(database, "the database refused", error);
    sqlite3_finalize(statement);
    return status;
}

static enum wm_status finish(struct wm_database *database, sqlite3_stmt *statement,
                             struct wm_error *error)
{
    bool row;
    do {
        WM_TRY(wm_query_step(database, statement, &row, error));
    } while (row);
    return WM_OK;
}

enum wm_status wm_execute(struct wm_database *database, struct wm_error *error, const char *sql,
                          const char *types, ...)
{
    sqlite3_stmt *statement;
    va_list list;
    va_start(list, types);
    enum wm_status status = prepare(database, &statement, error, sql, types, list);
    va_end(list);
    return status == WM_OK ? finish(database, statement, error) : status;
}

enum wm_status wm_query_number(struct wm_database *database, int64_t otherwise, int64_t *number,
                               struct wm_error *error, const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement;
    va_list list;
    bool row;
    *number = otherwise;
    va_start(list, types);
    enum wm_status status = prepare(database, &statement, error, sql, types, list);
    va_end(list);
    WM_TRY(status);
    WM_TRY(wm_query_step(database, statement, &row, error));
    if (!row)
        return WM_OK;
    *number = sqlite3_column_int64(statement, 0);
    return finish(database, statement, error);
}

enum wm_status wm_transaction_begin(struct wm_database *database, struct wm_error *error)
{
    return wm_execute(database, error, "BEGIN IMMEDIATE", "");
}

enum wm_status wm_transaction_end(struct wm_database *database, enum wm_status status,
                                  struct wm_error *error)
{
    if (status == WM_OK)
        status = wm_execute(database, error, "COMMIT", "");
    if (status != WM_OK)
        sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
