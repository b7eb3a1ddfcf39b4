// The database of a study's results: SQLite, as docs/formats/results-database.md specifies it.
// Every change is one transaction, so that a process that is killed leaves whole points and nothing
// else.
//
// Thread rules: one database is used by one thread at a time. Other processes may read meanwhile.
#ifndef WM_STUDY_DATABASE_RESULTS_DATABASE_H
#define WM_STUDY_DATABASE_RESULTS_DATABASE_H

#include "base/error.h"
#include "study/file/study_file.h"

#include <sqlite3.h>

struct wm_database {
    sqlite3 *handle; // owned
    const char *path;
    int64_t study_id;
};

enum wm_database_access {
    // WM_NOT_FOUND when there is no file. One that may not be written is read into a temporary
    // copy: what is changed there is lost when it is closed.
    WM_DATABASE_EXISTING,
    WM_DATABASE_CREATE, // makes the file when there is none
};

// Opens for reading and writing. WM_INVALID, without touching the file, for one that is no database
// of ours or of another version of the schema; WM_IO. `path` is borrowed. Close it in any case.
enum wm_status wm_database_open(struct wm_database *database, const char *path,
                                enum wm_database_access access, struct wm_error *error);
void wm_database_close(struct wm_database *database);

enum { WM_POINT_ABSENT, WM_POINT_DONE, WM_POINT_FAILED };

// The build whose points count.
struct wm_database_version {
    const char *name; // of this build; NULL: points count whichever build they are of
    bool keep;        // points of another build stay, under this build's name
};

// Brings the study's rows in step with its file: rows of workloads and machines that it no longer
// names or that have changed go, their done points are kept aside and come back with them. Points
// of another version go. `*other_version` (may be NULL) is the version the points had, in the
// study's arena; NULL when it is the same or there were none.
enum wm_status wm_database_sync_study(struct wm_database *database, struct wm_study *study,
                                      const struct wm_database_version *version,
                                      const char **other_version, struct wm_error *error);
// Forgets failed points, to try them again.
enum wm_status wm_database_retry(struct wm_database *database, struct wm_error *error);

// WM_POINT_… of each point, `states[workload * machine_count + machine]`.
enum wm_status wm_database_states(struct wm_database *database, const struct wm_study *study,
                                  uint8_t *states, struct wm_error *error);

struct wm_point {
    uint32_t workload, machine;
    double seconds;
    const char *results; // JSON of the replay; NULL: failed
    const char *failure; // what was said, when it failed
};

// Stores a point with its metrics. WM_INVALID when the results are no JSON.
enum wm_status wm_database_put_point(struct wm_database *database, const struct wm_study *study,
                                     const struct wm_point *point, struct wm_error *error);

// The metrics of all points: `values[(workload * machine_count + machine) * metric_count +
// metric]`, NAN where one is not known. free() it.
enum wm_status wm_database_values(struct wm_database *database, const struct wm_study *study,
                                  double **values, struct wm_error *error);

// Calls `visit` for each failed point in the study's order.
enum wm_status wm_database_failures(struct wm_database *database, const struct wm_study *study,
                                    void (*visit)(void *context, uint32_t workload,
                                                  uint32_t machine, const char *failure),
                                    void *context, struct wm_error *error);

struct wm_claim_result {
    enum wm_verdict verdict;
    const char *ours; // in the study's arena
};

// Checks every claim on `values` as above; `results` has one for each claim.
enum wm_status wm_study_check_claims(struct wm_study *study, const double *values,
                                     struct wm_claim_result *results, struct wm_error *error);
// Stores them.
enum wm_status wm_database_put_claims(struct wm_database *database, const struct wm_study *study,
                                      const struct wm_claim_result *results,
                                      struct wm_error *error);

#endif
