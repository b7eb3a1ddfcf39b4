// The clock engine: the same parts as the walk, in time. An SM's warps issue instructions through
// schedulers, a scoreboard and functional units; L1 and L2 have misses on their way; packets cross
// an interconnect; DRAM channels obey their devices' timings. docs/engine-clock.md is the frame:
// islands, links, windows.
//
// It runs the launches of a walk (wm_walk_options.clock), which keeps the kernels' records, the
// counters and the results, and the memory system whose caches it drives.
#ifndef WM_ENGINE_CLOCK_H
#define WM_ENGINE_CLOCK_H

#include "engine/walk_parts.h"

struct wm_clock;

// Of the walk's machine and memory system, which are borrowed. WM_UNSUPPORTED for what the engine
// does not model, naming the key; WM_INVALID, WM_NO_MEMORY.
enum wm_status wm_clock_new(struct wm_walk *walk, struct wm_clock **clock, struct wm_error *error);
// Harmless on NULL.
void wm_clock_free(struct wm_clock *clock);

struct wm_timed_rates wm_clock_rates(const struct wm_clock *clock);

// What it kept of the run over time, copied; NULL when that was not asked for. WM_NO_MEMORY, also
// for memory that ran out while it was kept.
enum wm_status wm_clock_copy_timeline(const struct wm_clock *clock, struct wm_arena *arena,
                                      const struct wm_timeline **timeline, struct wm_error *error);

// Its own components, to stand behind the walk's: at most wm_clock_component_count.
size_t wm_clock_component_count(const struct wm_clock *clock);
size_t wm_clock_list_components(const struct wm_clock *clock,
                                struct wm_component_counters *components);

// Runs a launch until all its blocks have finished, or a fault or deadlock, as wm_walk_run_work.
// What instructions caused is added to the record's. `*cycles`: of the SM's clock, from the
// launch until nothing is on its way any more.
enum wm_status wm_clock_run_work(struct wm_clock *clock, struct wm_walk_run *run,
                                 struct wm_walk_record *record, struct wm_progress *progress,
                                 uint64_t *cycles, struct wm_error *error);

#endif
