// Opening and making the database.
#include "study/database/results_database.h"

#include "study/database/query.h"
#include "study/database/read_only.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { APPLICATION_ID = 0x574d7273 /* "WMrs" */, SCHEMA_VERSION = 1, PATIENCE_MS = 20000 };

static const char schema[] =
    "CREATE TABLE study(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, title TEXT NOT NULL,"
    " paper TEXT NOT NULL, file TEXT NOT NULL, hash TEXT NOT NULL, version TEXT NOT NULL);"
    "CREATE TABLE workload(id INTEGER PRIMARY KEY, study_id INTEGER NOT NULL, label TEXT NOT NULL,"
    " position INTEGER NOT NULL, arguments TEXT NOT NULL, hash TEXT NOT NULL,"
    " UNIQUE(study_id, label));"
    "CREATE TABLE machine(id INTEGER PRIMARY KEY, study_id INTEGER NOT NULL, label TEXT NOT NULL,"
    " position INTEGER NOT NULL, axes TEXT NOT NULL, description TEXT NOT NULL,"
    " hash TEXT NOT NULL, UNIQUE(study_id, label));"
    "CREATE TABLE point(id INTEGER PRIMARY KEY, study_id INTEGER NOT NULL,"
    " workload_id INTEGER NOT NULL, machine_id INTEGER NOT NULL,"
    " status TEXT NOT NULL CHECK(status IN ('done', 'failed')), error TEXT, seconds REAL NOT NULL,"
    " results TEXT, UNIQUE(study_id, workload_id, machine_id));"
    "CREATE TABLE metric(point_id INTEGER NOT NULL, name TEXT NOT NULL, value REAL NOT NULL,"
    " PRIMARY KEY(point_id, name)) WITHOUT ROWID;"
    "CREATE TABLE metric_definition(study_id INTEGER NOT NULL, name TEXT NOT NULL,"
    " position INTEGER NOT NULL, expression TEXT NOT NULL, title TEXT NOT NULL,"
    " unit TEXT NOT NULL, PRIMARY KEY(study_id, name));"
    "CREATE TABLE claim(study_id INTEGER NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL,"
    " place TEXT NOT NULL, text TEXT NOT NULL, statement TEXT NOT NULL, paper TEXT NOT NULL,"
    " holds INTEGER, ours TEXT NOT NULL, PRIMARY KEY(study_id, id));"
    "CREATE TABLE figure(study_id INTEGER NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL,"
    " title TEXT NOT NULL, specification TEXT NOT NULL, PRIMARY KEY(study_id, id));"
    "CREATE TABLE spare(workload TEXT NOT NULL, machine TEXT NOT NULL, version TEXT NOT NULL,"
    " seconds REAL NOT NULL, results TEXT NOT NULL, PRIMARY KEY(workload, machine, version));"
    "PRAGMA user_version = 1;";
_Static_assert(SCHEMA_VERSION == 1, "the schema sets its own version");

static enum wm_status refuse(const struct wm_database *database, struct wm_error *error,
                             const char *why, const char *hint)
{
    wm_fail(error, WM_INVALID, "%s", why);
    wm_error_place(error, "%s", database->path);
    return wm_error_hint(error, "%s", hint);
}

// Checks that the file is one of ours before anything is written. `*empty`: it has no schema yet.
static enum wm_status check_owner(struct wm_database *database, bool *empty, struct wm_error *error)
{
    int64_t application = 0, version = 0, tables = 0;
    if (sqlite3_exec(database->handle, "SELECT 1 FROM sqlite_master", NULL, NULL, NULL) ==
        SQLITE_NOTADB)
        return refuse(database, error, "this file is no SQLite database",
                      "name another file with --database");
    WM_TRY(wm_query_number(database, 0, &tables, error, "SELECT count(*) FROM sqlite_master", ""));
    WM_TRY(wm_query_number(database, 0, &application, error, "PRAGMA application_id", ""));
    WM_TRY(wm_query_number(database, 0, &version, error, "PRAGMA user_version", ""));
    *empty = tables == 0 && application == 0 && version == 0;
    if (*empty)
        return WM_OK;
    if (application != APPLICATION_ID)
        return refuse(database, error, "this database is another program's, not warpmem's",
                      "name another file with --database");
    if (version > SCHEMA_VERSION)
        return refuse(database, error, "this database was made by a newer warpmem",
                      "use that one, or name a new file with --database and run the study again");
    if (version < SCHEMA_VERSION)
        return refuse(database, error, "this database was made by an older warpmem",
                      "name a new file with --database, or move this one away, and run the study "
                      "again");
    return WM_OK;
}

static enum wm_status make_schema(struct wm_database *database, struct wm_error *error)
{
    bool empty = false;
    char own[64];
    snprintf(own, sizeof own, "PRAGMA application_id = %d;", (int)APPLICATION_ID);
    WM_TRY(wm_transaction_begin(database, error));
    enum wm_status status = check_owner(database, &empty, error); // another run may have been first
    if (status == WM_OK && empty &&
        (sqlite3_exec(database->handle, schema, NULL, NULL, NULL) != SQLITE_OK ||
         sqlite3_exec(database->handle, own, NULL, NULL, NULL) != SQLITE_OK))
        status = wm_database_error(database, "the database cannot be made", error);
    return wm_transaction_end(database, status, error);
}

static enum wm_status set_up(struct wm_database *database, enum wm_database_access access,
                             struct wm_error *error)
{
    bool empty = false;
    sqlite3_busy_timeout(database->handle, PATIENCE_MS);
    if (sqlite3_db_readonly(database->handle, "main") == 1 ||
        !wm_database_file_is_writable(database->path)) {
        wm_fail(error, WM_IO, "this database cannot be written");
        wm_error_place(error, "%s", database->path);
        return wm_error_hint(error, "make the file and its folder writable, or name another with "
                                    "--database; \"warpmem study check\" and \"table\" read it "
                                    "as it is");
    }
    WM_TRY(check_owner(database, &empty, error));
    if (empty && access == WM_DATABASE_EXISTING)
        return refuse(database, error, "this database is empty", "run the study first");
    // WAL: readers do not wait for the run, nor the run for them.
    if (sqlite3_exec(database->handle, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
                     NULL, NULL, NULL) != SQLITE_OK)
        return wm_database_error(database, "the database cannot be written", error);
    return empty ? make_schema(database, error) : WM_OK;
}

// Into a database without a name, which SQLite keeps in memory as far as it fits and removes when
// it is closed: a study whose file has changed is brought in step there.
static enum wm_status copy(struct wm_database *database, sqlite3 *from, struct wm_error *error)
{
    if (sqlite3_open("", &database->handle) != SQLITE_OK)
        return wm_database_error(database, "the database cannot be copied", error);
    sqlite3_backup *backup = sqlite3_backup_init(database->handle, "main", from, "main");
    // A lock that another connection keeps ends a step, and is no error of the backup
    // (https://www.sqlite.org/c3ref/backup_finish.html).
    int step = backup ? sqlite3_backup_step(backup, -1) : SQLITE_ERROR;
    if (!backup || sqlite3_backup_finish(backup) != SQLITE_OK)
        return wm_database_error(database, "the database cannot be copied", error);
    if (step == SQLITE_DONE)
        return WM_OK;
    wm_fail(error, WM_IO, "the database cannot be copied: %s", sqlite3_errstr(step));
    wm_error_place(error, "%s", database->path);
    return wm_error_hint(error, "try again when what writes it has ended");
}

static enum wm_status open_copy(struct wm_database *database, struct wm_error *error)
{
    sqlite3 *from;
    bool empty = false;
    enum wm_status status;
    if (wm_database_file_open(database->path, &from) == SQLITE_OK) {
        sqlite3_busy_timeout(from, PATIENCE_MS);
        struct wm_database source = {.path = database->path, .handle = from};
        status = check_owner(&source, &empty, error);
        if (status == WM_OK && empty)
            status = refuse(database, error, "this database is empty", "run the study first");
        if (status == WM_OK)
            status = copy(database, from, error);
    } else {
        status = wm_database_file_error(from, "cannot open the database", database->path, error);
    }
    sqlite3_close(from);
    return status;
}

enum wm_status wm_database_open(struct wm_database *database, const char *path,
                                enum wm_database_access access, struct wm_error *error)
{
    struct stat status;
    *database = (struct wm_database){.path = path};
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode)) {
        wm_fail(error, WM_INVALID, "this is no file");
        wm_error_place(error, "%s", path);
        return wm_error_hint(error, "name another with --database");
    }
    if (!exists && (errno != ENOENT || access == WM_DATABASE_EXISTING)) {
        wm_fail(error, WM_NOT_FOUND, "there is no database: %s", strerror(errno));
        wm_error_place(error, "%s", path);
        return wm_error_hint(error, "\"warpmem study run\" makes it; --database names another");
    }
    if (exists && access == WM_DATABASE_EXISTING && !wm_database_file_is_writable(path))
        return open_copy(database, error);
    int flags = SQLITE_OPEN_READWRITE | (access == WM_DATABASE_CREATE ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(path, &database->handle, flags, NULL) != SQLITE_OK) {
        wm_database_file_error(database->handle, "cannot open the database", path, error);
        return wm_error_hint(error, "name a file that can be written with --database");
    }
    return set_up(database, access, error);
}

void wm_database_close(struct wm_database *database)
{
    sqlite3_close(database->handle);
    database->handle = NULL;
}
