// Measures what was decided: the recording on the machine with each solution's loads bypassing L1,
// side by side, by the walk or in time.
#ifndef WM_BYPASS_MEASURE_H
#define WM_BYPASS_MEASURE_H

#include "bypass/program.h"
#include "machine/plugins.h"

// One kernel under one solution.
struct wm_bypass_counts {
    uint64_t bytes;        // between L1 and L2, both ways
    uint64_t hits, misses; // of L1, in sectors of loads
    uint64_t cycles;       // of the SMs' clock; 0 by the walk
};

struct wm_bypass_measured {
    struct wm_bypass_counts solvers[WM_BYPASS_SOLVERS];
};

// Fills `measured`, program->kernel_count of them, with what the solutions of the source that
// decides come to. `threads` 0: one a processor. WM_LIMIT for more decisions than a machine's list
// can hold (WM_BYPASS_LIST_BYTES); errors of wm_variants_measure.
enum wm_status wm_bypass_measure(const struct wm_bypass_program *program,
                                 struct wm_recording *recording, const struct wm_machine *machine,
                                 const struct wm_plugins *plugins, bool clock, uint32_t threads,
                                 const struct wm_bypass_options *options,
                                 struct wm_bypass_measured *measured, struct wm_error *error);

#endif
