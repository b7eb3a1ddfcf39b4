// What is advised, tried out: variants of the machine that do to the run's accesses what following
// the advice would, measured on the recording of the run (engine/profile/variants.h). Private to
// study/.
#ifndef WM_STUDY_ANNOTATE_ADVICE_TRIALS_H
#define WM_STUDY_ANNOTATE_ADVICE_TRIALS_H

#include "engine/profile/variants.h"
#include "study/annotate/rules.h"

struct wm_annotation;
struct wm_advice;
struct wm_measured_advice;

enum wm_trial_kind {
    WM_TRIAL_ALONE,    // the advice's instructions around L1
    WM_TRIAL_TOGETHER, // with those of all advice of the kernel that says the same
    WM_TRIAL_BLOCKS,   // at most so many blocks at a time on an SM
    WM_TRIAL_PRIORITY, // the advice's instructions with an eviction priority of L1
};

// Of one kernel, all its launches.
struct wm_trial_figures {
    uint64_t bytes_l1_l2, bytes_dram, cycles; // cycles: 0 unless timed
};

struct wm_advice_trial {
    enum wm_trial_kind kind;
    uint32_t blocks;      // of WM_TRIAL_BLOCKS
    uint32_t loads;       // of the others: instructions that go around L1, or have the priority
    const char *settings; // what makes the variant, one setting a line
    bool measured;        // else what follows is zeros
    bool gains;           // by WM_TRIAL_LEAST_GAIN
    struct wm_trial_figures before, after;
};

// A trial gains from so many per cent on: of the cycles where they were counted, else of the bytes
// between L1 and L2. Less than that another input, or another order of the same blocks, makes or
// unmakes: no reason to change a program. This project's choice.
enum { WM_TRIAL_LEAST_GAIN = 1 };

// Gives each advice its trials, with what was measured of them; `measured` may be NULL. Advice that
// is nothing but what its trials do, and gains by none of them, is moved to `tried` of its line.
// And where loads had better go around L1, that is the cure of others' misses: no more is said of
// these. False when out of memory.
bool wm_advice_apply_measurements(struct wm_annotation *annotation,
                                  const struct wm_measured_advice *measured);

// "measured: 1.0 MiB instead of 4.0 MiB between L1 and L2 (-75%)": what the trials say, or the
// estimate.
void wm_advice_saving_text(const struct wm_advice *advice, struct wm_text *text);
// "estimate", "counted" or "measured": on what that rests.
const char *wm_advice_basis(const struct wm_advice *advice);

// Why nothing was measured; NULL: it was, or there was nothing to measure.
const char *wm_measured_advice_reason(const struct wm_measured_advice *measured);
// Whether variants were measured, and by the clock engine.
bool wm_measured_advice_any(const struct wm_measured_advice *measured, bool *clock);

#endif
