// Kernels' source, line by line, with what each line did to memory and advice where a rule applies
// (docs/annotate.md). From results with explained misses; the source files are read when they are
// found, else the kernel's PTX is shown.
#ifndef WM_STUDY_ANNOTATE_ANNOTATE_H
#define WM_STUDY_ANNOTATE_ANNOTATE_H

#include "base/error.h"
#include "base/text/text.h"
#include "engine/session/session.h"
#include "machine/plugins.h"
#include "trace/recording_reader.h"

// What was measured of the advice that results lead to, as variants of the machine.
struct wm_measured_advice;

struct wm_measure_options {
    const char *reason;             // not NULL: nothing is measured, and that is why
    struct wm_recording *recording; // of the run; NULL with a reason
    const struct wm_machine *machine;
    const struct wm_plugins *plugins; // NULL: none
    uint32_t threads;                 // 0: one a processor
    // As of the run that the results are of. With `clock` of the variants alone: they are replayed
    // in time.
    struct wm_session_options options;
};

// Replays the recording on what the rules propose: the machine as it is and all its variants side
// by side; not at all where they propose none. The options are borrowed, the machine as long as
// what was measured. Errors of wm_variants_measure: those are to be said, and the advice may be
// printed with `*measured` all the same, which then says why it was not measured. NULL when out of
// memory.
enum wm_status wm_annotate_measure(const struct wm_results *results,
                                   const struct wm_measure_options *options,
                                   struct wm_measured_advice **measured, struct wm_error *error);
void wm_measured_advice_free(struct wm_measured_advice *measured);

// `measured` may be NULL below: then advice has estimates alone.
//
// For people, lines cut to `columns`, which may be WM_REPORT_UNLIMITED. With `chains`, below a line
// with instructions of inlined functions stands where these are.
void wm_annotate_text(const struct wm_results *results, const struct wm_measured_advice *measured,
                      unsigned columns, bool chains, struct wm_text *text);
// docs/formats/annotate-json.md. WM_IO, WM_NO_MEMORY.
enum wm_status wm_annotate_json(const struct wm_results *results,
                                const struct wm_measured_advice *measured, const char *path,
                                struct wm_error *error);
// One page with no resource outside it. WM_IO, WM_NO_MEMORY.
enum wm_status wm_annotate_html(const struct wm_results *results,
                                const struct wm_measured_advice *measured, const char *path,
                                struct wm_error *error);
// The rules, with their thresholds, for people.
void wm_annotate_rules(struct wm_text *text);

#endif
