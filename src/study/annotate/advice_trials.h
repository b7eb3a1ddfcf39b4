// What is advised, tried out: variants of the machine that do to the run's accesses what following
// the advice would, measured on the recording of the run (engine/profile/variants.h). Private to
// study/.
#ifndef WM_STUDY_ANNOTATE_ADVICE_TRIALS_H
#define WM_STUDY_ANNOTATE_ADVICE_TRIALS_H

#include "engine/profile/variants.h"
#include "study/annotate/lines.h"

struct wm_measured_advice;

// A trial gains from so many per cent on: of the cycles where they were counted, else of the bytes
// between L1 and L2. Less than that another input, or another order of the same blocks, makes or
// unmakes: no reason to change a program. This project's choice.
enum { WM_TRIAL_LEAST_GAIN = 1 };

// Gathers an annotation (study/annotate/lines.h) and gives each advice its trials, with what was
// measured of them; `measured` may be NULL. Advice that is nothing but what its trials do, and
// gains by none of them, is moved to `tried` of its line. And where loads had better go around L1,
// that is the cure of others' misses: no more is said of these. `results` and `measured` stay
// borrowed. False when memory runs out; release it all the same.
bool wm_annotation_init(struct wm_annotation *annotation, const struct wm_results *results,
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
