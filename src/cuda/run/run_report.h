// The reports of a process: their files are decided when the device is made, and written when the
// library closes.
#ifndef WM_CUDA_RUN_RUN_REPORT_H
#define WM_CUDA_RUN_RUN_REPORT_H

#include "base/error.h"
#include "cuda/run/environment.h"
#include "cuda/run/measure.h"
#include "engine/record/recorder.h"
#include "engine/session/session.h"

struct wm_run_report {
    struct wm_run_settings settings; // what the process has read, to its end
    unsigned number;                 // of this process in its run, from 1; 0 before it is taken
    struct wm_error failure; // of the first launch that did not run to its end; WM_OK: of none
    bool failure_ran;        // as wm_run_failure.ran
    uint64_t refused;        // launches
    bool written;
    struct wm_run_measure measure;
};

// With its settings read: takes the process's number in its run: a script may start several
// programs, and each writes files of its own (FILE for the first, FILE with ".2" before its ending
// for the second, …).
enum wm_status wm_run_report_open(struct wm_run_report *report, struct wm_error *error);
// Begins the requested recording, or one to measure advice with; NULL in `*recorder` for neither.
enum wm_status wm_run_report_record(struct wm_run_report *report, const struct wm_machine *machine,
                                    struct wm_recorder **recorder, struct wm_error *error);
// The device could not be made: says why, and `warpmem run` needs no other reason.
void wm_run_report_failed(const struct wm_run_report *report, const struct wm_error *error);
// Ends it; `recorder` may be NULL. Failures go to stderr, and to `warpmem record`
// (base/run/run_outcome.h).
void wm_run_report_end_recording(const struct wm_run_report *report, struct wm_recorder *recorder);
// Keeps the first launch's that did not run to its end, for the report and for `warpmem run`, and
// how many were refused.
void wm_run_report_note(struct wm_run_report *report, const struct wm_error *failure, bool ran);
// Writes the requested outputs, once; failures go to stderr, and to `warpmem run`
// (base/run/run_outcome.h).
void wm_run_report_write(struct wm_run_report *report, struct wm_session *session);

#endif
