// Chooses the cache hints of loads on GPUs that have more than .ca and .cg: eviction priorities of
// L1, and policies for L2. By trying out: the recording is replayed on the machine with each word,
// side by side, and a word that saves is kept.
//
// The rule. Loads start as the solver decided. Heaviest first (by the sectors that its warps
// request), each load tries all words of L1 that its kernel's text and the machine know, with what
// was decided for the loads before it and what the solver decided for those after; then, in the
// same order, those of L2. Of a level's words, in their order, beginning with the load's own in
// the program, one takes the place of the one before when with it WM_HINT_LEAST_GAIN per cent fewer
// bytes move below that level on the kernel's behalf (between L1 and L2; between L2 and DRAM), and
// the whole run's bytes of DRAM do not grow by as much. Measured in time, of cycles: the kernel's,
// and the whole run's. Loads that request less than WM_HINT_LEAST_GAIN per cent of their kernel's
// sectors stay as the solver decided, without a word for L2.
#ifndef WM_BYPASS_HINTS_H
#define WM_BYPASS_HINTS_H

#include "bypass/program.h"
#include "machine/plugins.h"

enum { WM_HINT_LEAST_GAIN = 1 }; // per cent

// Of a kernel, or of the whole run, under one choice of words for all loads.
struct wm_hint_counts {
    uint64_t l1_l2, dram; // bytes, both ways: below L1, below L2
    uint64_t cycles;      // of the SMs' clock; 0 by the walk
};

// What trying one level's words for a load came to: the kernel's counts with the load's own words
// in the program, and with the chosen one, all other loads alike.
struct wm_hint_trial {
    bool tried; // else the counts are zeros
    struct wm_hint_counts before, after;
};

struct wm_hinted_load {
    struct wm_load_hint own, chosen; // in the program; as decided
    struct wm_hint_trial trials[2];  // of L1, of L2
};

struct wm_hinted_kernel {
    struct wm_hinted_load *loads; // by load
    // Which words were tried, and, as sentences without a full stop, why others were not.
    bool tries[WM_LOAD_WORDS];
    const char *left_out[3];
    uint32_t left_out_count;
    struct wm_hint_counts before, after; // of the kernel: as the program is; as decided
};

struct wm_bypass_hints {
    struct wm_arena arena;
    struct wm_hinted_kernel *kernels;    // by kernel of the program
    struct wm_hint_counts before, after; // of the whole run
    uint64_t replays;                    // of the recording, that the decisions took
    // Settings of the machine that make it obey loads' hints, and that all of this was measured
    // with: "gpu.l1.replacement=priority".
    const char *settings[3];
    uint32_t setting_count;
};

// WM_UNSUPPORTED for a machine whose GPU knows no priorities: of compute capability below 7.0.
enum wm_status wm_bypass_hints_check(const struct wm_machine *machine, struct wm_error *error);

// Decides, from the solver's solution on. The kernels' `hints` point into `hints` then, so that
// what is written (bypass/output.h) has them. `threads` 0: one a processor; the numbers do
// not depend on it. The caller releases `hints`, whatever the outcome, and not before the program
// was written. WM_LIMIT for more words than a machine's list can hold; errors of
// wm_variants_measure.
enum wm_status wm_bypass_hints_find(struct wm_bypass_program *program, enum wm_bypass_solver solver,
                                    struct wm_recording *recording,
                                    const struct wm_machine *machine,
                                    const struct wm_plugins *plugins, bool clock, uint32_t threads,
                                    const struct wm_bypass_options *options,
                                    struct wm_bypass_hints *hints, struct wm_error *error);
void wm_bypass_hints_release(struct wm_bypass_hints *hints);

#endif
