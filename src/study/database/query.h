// Statements of SQL with their values bound, so that a query is one call. Private to
// study/database/.
#ifndef WM_STUDY_DATABASE_QUERY_H
#define WM_STUDY_DATABASE_QUERY_H

#include "study/database/results_database.h"

// Made where it is needed: it joined the others later.
#define WM_PLUGIN_TABLE                                                                          \
    "CREATE TABLE IF NOT EXISTS plugin(study_id INTEGER NOT NULL, machine_id INTEGER NOT NULL,"  \
    " position INTEGER NOT NULL, file TEXT NOT NULL, hash TEXT NOT NULL, entries TEXT NOT NULL," \
    " PRIMARY KEY(machine_id, position)) WITHOUT ROWID"

// Adds the database's own message to an error; WM_IO.
enum wm_status wm_database_error(struct wm_database *database, const char *what,
                                 struct wm_error *error);

// Prepares a statement and binds its values: in `types` a letter a value, i (int64_t), r (double),
// t (const char *, NULL for NULL; must live until the statement ends).
enum wm_status wm_query(struct wm_database *database, sqlite3_stmt **statement,
                        struct wm_error *error, const char *sql, const char *types, ...);
// The next row: `*row` false after the last, and the statement is finished.
enum wm_status wm_query_step(struct wm_database *database, sqlite3_stmt *statement, bool *row,
                             struct wm_error *error);
// A statement without rows.
enum wm_status wm_execute(struct wm_database *database, struct wm_error *error, const char *sql,
                          const char *types, ...);
// The first column of the first row; `otherwise` when there is none.
enum wm_status wm_query_number(struct wm_database *database, int64_t otherwise, int64_t *number,
                               struct wm_error *error, const char *sql, const char *types, ...);

// A transaction: begin, then end with what became of it, which commits or rolls back.
enum wm_status wm_transaction_begin(struct wm_database *database, struct wm_error *error);
enum wm_status wm_transaction_end(struct wm_database *database, enum wm_status status,
                                  struct wm_error *error);

// Stores the metrics of a point from its results' JSON, in the transaction around it.
enum wm_status wm_database_put_metrics(struct wm_database *database, const struct wm_study *study,
                                       int64_t point, const char *results, struct wm_error *error);

#endif
