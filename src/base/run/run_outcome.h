// What `warpmem run` learns of the outputs that the program's process writes: a mark for each in
// the run's folder, so that a failure reaches the exit status. A process that was killed leaves
// none.
#ifndef WM_BASE_RUN_OUTCOME_H
#define WM_BASE_RUN_OUTCOME_H

// The outputs that are not named by the variable of their setting ("WARPMEM_JSON").
#define WM_RUN_TEXT "text"
#define WM_RUN_RECORDING "WARPMEM_RECORD"
// What happened besides, as a mark that something failed: a launch did not run to its end; a limit
// of the run was reached.
#define WM_RUN_FAILURE "failure"
#define WM_RUN_LIMIT "limit"

enum wm_run_outcome {
    WM_RUN_OUTCOME_NONE,
    WM_RUN_OUTCOME_WRITTEN,
    WM_RUN_OUTCOME_FAILED, // the process has said why
    // errno of it is in the mark: `warpmem run` says it, which knows how the output was named and
    // what a pipe without a reader means to it.
    WM_RUN_OUTCOME_REFUSED,
};

// `number` of the process in its run; `reason` is that of WM_RUN_OUTCOME_REFUSED. Without room for
// a mark there is none.
void wm_run_outcome_set(const char *folder, unsigned number, const char *output,
                        enum wm_run_outcome mark, int reason);
// `*reason`: of WM_RUN_OUTCOME_REFUSED, else 0; may be NULL.
enum wm_run_outcome wm_run_outcome_get(const char *folder, unsigned number, const char *output,
                                       int *reason);

#endif
