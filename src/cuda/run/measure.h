// What a run's advice is measured with (WARPMEM_MEASURE): a recording of the run in its folder,
// made during the run, and the variants of the machine that replay it when the run has ended.
//
// It is made whether there will be advice or not: a program cannot be run again, as it may have
// changed its input, or print everything twice, and what the rules will say is known at the end. It
// keeps memory instructions alone, but for variants in time, and ends at a bound.
#ifndef WM_CUDA_RUN_MEASURE_H
#define WM_CUDA_RUN_MEASURE_H

#include "cuda/run/environment.h"
#include "engine/record/recorder.h"
#include "study/annotate/annotate.h"

#include <stdatomic.h>

struct wm_run_measure {
    const struct wm_machine *machine; // borrowed, as the plug-ins; NULL: nothing is measured
    const struct wm_plugins *plugins;
    struct wm_session_options options; // of the run's session
    char path[4096];                   // of the recording; "": there is none
    bool records, whole;               // it is being made; it is there, and whole
    atomic_bool side_by_side;          // kernels ran concurrently: they are in no recording
    char reason[768];                  // why it is not there; "": not known
};

// Before the run's recorder: whether there is one to measure with, where none was requested.
bool wm_run_measure_wanted(const struct wm_run_settings *settings);
// Begins the recording. A failure is kept as the reason: then `*recorder` is NULL.
void wm_run_measure_record(struct wm_run_measure *measure, const struct wm_run_settings *settings,
                           unsigned number, const struct wm_recording_header *header,
                           struct wm_recorder **recorder);
// The session has been made with these options.
void wm_run_measure_begin(struct wm_run_measure *measure, const struct wm_machine *machine,
                          const struct wm_plugins *plugins,
                          const struct wm_session_options *options);
// The run has ended: ends the recording and frees its recorder, and sets `*recorder` NULL, if it is
// one to measure with.
void wm_run_measure_end(struct wm_run_measure *measure, struct wm_recorder **recorder);
// Measures what the results lead to, and removes the recording. What fails is printed, and becomes
// the reason in `*measured`, which is NULL where nothing was requested.
void wm_run_measure_advice(struct wm_run_measure *measure, const struct wm_run_settings *settings,
                           const struct wm_results *results, struct wm_measured_advice **measured);

#endif
