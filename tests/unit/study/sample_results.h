// A made-up run with known numbers for the report writers: not what any machine would count.
#ifndef WM_TESTS_SAMPLE_RESULTS_H
#define WM_TESTS_SAMPLE_RESULTS_H

#include "engine/session/results.h"

// `kernel_count` kernels of two shapes in turn, 0 to 40. Owned by the caller (wm_results_free).
struct wm_results *wm_sample_results(uint32_t kernel_count, const char *engine);

// Makes a run of the walk one in time: a kernel takes 10,000 cycles of 1 ns, the second one twice
// as many, and each waited and moved in proportion.
void wm_sample_timed(struct wm_results *results);

#endif
