// Sums over a run's results that more than one report prints. Private to study/.
#ifndef WM_STUDY_RUN_REPORT_RESULT_SUMS_H
#define WM_STUDY_RUN_REPORT_RESULT_SUMS_H

#include "engine/session/component_sum.h"

#include <stdbool.h>

// True for the spaces whose accesses leave the SM.
bool wm_space_leaves_sm(enum wm_address_space space);
// Adds `more` to `sum`, counter by counter.
void wm_instruction_counters_add(struct wm_instruction_counters *sum,
                                 const struct wm_instruction_counters *more);
// Adds what the instruction caused beyond the SM: all of it, or, of a load that a constant cache
// serves, its requests to that cache and to what lies below.
void wm_instruction_counters_add_result(struct wm_instruction_counters *sum,
                                        const struct wm_instruction_result *instruction);
// What all instructions of the kernel that reach beyond the SM caused, and fetching its code.
struct wm_instruction_counters wm_kernel_instruction_counters(
    const struct wm_kernel_result *kernel);
// Where L1's misses go, as a place in the list; without L1, the first place that data come to.
uint32_t wm_place_below_l1(const struct wm_level_list *levels);
// Which of two moved more bytes, of memory or, where these are the same, of the level that is next
// to it, and so on: above 0 the first, below 0 the second, 0 neither.
int wm_compare_moved(const struct wm_level_list *levels, const struct wm_instruction_counters *a,
                     const struct wm_instruction_counters *b);
// wm_component_sum over all kernels of a run.
uint64_t wm_results_sum(const struct wm_results *results, const char *kind, const char *name);
// "global", "shared", …
const char *wm_space_name(enum wm_address_space space);
// "load", "store", …
const char *wm_access_kind_name(enum wm_access_kind kind);

#endif
