// Keeps a timeline while the clock engine runs. Private to engine/clock/.
//
// Thread rules: between windows, by the thread that runs these.
#ifndef WM_ENGINE_CLOCK_TIMELINE_WRITER_H
#define WM_ENGINE_CLOCK_TIMELINE_WRITER_H

#include "engine/session/timeline.h"

#include <stdbool.h>

struct wm_clock;
struct wm_clock_launch;
struct wm_arena;
struct wm_clock_timeline;

// NULL when out of memory. A sample every so many cycles, at least 1.
struct wm_clock_timeline *wm_clock_timeline_new(uint64_t sample_cycles);
// Harmless on NULL.
void wm_clock_timeline_free(struct wm_clock_timeline *timeline);

// All of these do nothing when `clock` keeps no timeline; memory that runs out is remembered.
// A launch of the results' kernel of that index (WM_KERNEL_NOT_COUNTED: of none, and the launch is
// left out) begins, and has ended: `last` is the SMs' cycle behind the last thing that happened.
// `waits`: nothing happens until its first blocks begin.
void wm_clock_timeline_begin(struct wm_clock *clock, struct wm_clock_launch *running,
                             uint32_t kernel, bool waits);
void wm_clock_timeline_end(struct wm_clock *clock, const struct wm_clock_launch *running,
                           uint64_t last);
// A block takes its place, and leaves it.
void wm_clock_timeline_start(struct wm_clock *clock, const struct wm_clock_launch *running,
                             uint32_t sm, uint32_t place, uint64_t block);
void wm_clock_timeline_finish(struct wm_clock *clock, uint32_t sm, uint32_t place);
// A window has ended.
void wm_clock_timeline_window(struct wm_clock *clock);

// A copy of what there is; NULL when memory ran out, now or before.
const struct wm_timeline *wm_clock_timeline_copy(const struct wm_clock_timeline *timeline,
                                                 struct wm_arena *arena);

#endif
