// Every counter that reports print, by the name of its kind in JSON, and what NVIDIA's profiler
// calls the same.
#ifndef WM_STUDY_RUN_REPORT_COUNTER_SETS_H
#define WM_STUDY_RUN_REPORT_COUNTER_SETS_H

#include "base/names/counters.h"

#include <stdbool.h>
#include <stddef.h>

struct wm_named_counters {
    const char *kind; // "l1", "instruction": as in JSON's "counters", and before the dot in studies
    const struct wm_counter_set *set;
};

// False past the last. `instruction` and `explained`: those of instructions, of some machine.
bool wm_counter_set_at(size_t index, const struct wm_counter_set *instruction,
                       const struct wm_counter_set *explained, struct wm_named_counters *counters);
// The metric of Nsight Compute that counts the same of a whole kernel, or nearest to it; NULL where
// there is none.
const char *wm_counter_profiler_metric(const char *kind, const char *counter);

// What a kernel counts itself, and what the host copied: of CSV, and by these names in JSON.
extern const struct wm_counter_set wm_kernel_counter_set, wm_host_counter_set;

#endif
