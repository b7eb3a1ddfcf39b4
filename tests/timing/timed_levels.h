// Random levels (unit/mem/level_machines.h) as a machine for the clock engine.
#ifndef WM_TESTS_TIMED_LEVELS_H
#define WM_TESTS_TIMED_LEVELS_H

#include "clock_forms.h"

// With room for all that one access at a time needs. What the two engines do differently by
// description, as atomic buffers, is left out.
struct wm_machine timed_levels(const struct wm_memory_spec *spec);

// Whether any level is inclusive or exclusive of those above it.
bool has_inclusion(const struct wm_memory_spec *spec);

// Half of those that may: requests join others in flight at L1 and at side caches, and L2 refuses
// requests for locked lines. Returns how many levels do either.
uint32_t draw_contention(uint64_t number, struct wm_machine *machine);

#endif
