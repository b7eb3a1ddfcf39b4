// The core as docs/engine-clock.md describes it, cycle by cycle over a list of all instructions.
#ifndef WM_TESTS_UNIT_CPU_OBVIOUS_CORE_H
#define WM_TESTS_UNIT_CPU_OBVIOUS_CORE_H

#include "one_core.h"

// As run_core.
uint64_t run_obvious_core(const struct wm_core_spec *spec, const struct program *program,
                          const struct memory *memory, struct sent_list *sent,
                          struct wm_core_counters *counters, uint64_t *done);

#endif
