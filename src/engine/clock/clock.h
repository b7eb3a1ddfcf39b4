// The clock engine: the same parts as the walk engine, in time. An SM's warps issue instructions
// through schedulers, a scoreboard and functional units; L1 and L2 have misses on their way;
// packets cross an interconnect; DRAM channels obey their devices' timings. docs/engine-clock.md is
// the frame: islands, links, windows.
//
// It runs the launches of a session (wm_session_options.clock), which keeps the kernels' records,
// the counters and the results, and the memory system whose caches it drives. Private to engine/.
#ifndef WM_ENGINE_CLOCK_CLOCK_H
#define WM_ENGINE_CLOCK_CLOCK_H

#include "engine/session/session_state.h"
#include "exec/device_time.h"

struct wm_clock;

// Of the session's machine and memory system, which are borrowed. WM_UNSUPPORTED for what the
// engine does not model, naming the key; WM_INVALID, WM_NO_MEMORY.
enum wm_status wm_clock_new(struct wm_session *session, struct wm_clock **clock,
                            struct wm_error *error);
// WM_UNSUPPORTED for what CPU cores of the machine have and the engine does not: then launches of
// cores are refused.
enum wm_status wm_clock_check_cores(const struct wm_machine *machine, struct wm_error *error);
// Harmless on NULL.
void wm_clock_free(struct wm_clock *clock);

struct wm_timed_rates wm_clock_rates(const struct wm_clock *clock);

// Copies what it kept of the run over time; NULL when no timeline was requested. WM_NO_MEMORY, also
// for memory that ran out while it was kept.
enum wm_status wm_clock_copy_timeline(const struct wm_clock *clock, struct wm_arena *arena,
                                      const struct wm_timeline **timeline, struct wm_error *error);

// What its launches' kernels read of time; lives as long as the clock.
const struct wm_device_time *wm_clock_time(struct wm_clock *clock);

// Its own components, to be listed behind the session's: at most wm_clock_component_count.
size_t wm_clock_component_count(const struct wm_clock *clock);
size_t wm_clock_list_components(const struct wm_clock *clock,
                                struct wm_component_counters *components);

// A launch that is under way. Its owner's; what it is begun with is borrowed until it is left.
struct wm_clock_launch {
    struct wm_clock_launch *next; // in the order in which blocks are given
    struct wm_launch_state *run;
    struct wm_launch_accounting *launch;
    uint32_t segment;         // of the clock's instructions: which are the kernel's
    uint32_t timeline_launch; // its number there
    uint64_t begins_at;       // the interconnect's cycle in which its first blocks may begin
    uint64_t first;           // the SMs' cycle in which it was launched
    bool has_ended;
    uint64_t cycles; // of the SM's clock, from the launch to its end, when it has
};

// Launches side by side: one joins those under way, in front of `behind` (NULL: behind all); they
// take some windows together, and one has ended when its blocks have finished, and the last of all
// when nothing is on its way any more; then it, or one that failed, leaves. WM_NO_MEMORY, or what
// the issue table refuses; of a step also a fault or deadlock, and the launch that it is of.
enum wm_status wm_clock_join(struct wm_clock *clock, struct wm_clock_launch *running,
                             struct wm_launch_state *run, struct wm_kernel_record *record,
                             struct wm_launch_accounting *launch, struct wm_clock_launch *behind,
                             struct wm_error *error);
enum wm_status wm_clock_step(struct wm_clock *clock, struct wm_clock_launch **failed,
                             struct wm_error *error);
void wm_clock_leave(struct wm_clock *clock, struct wm_clock_launch *running);
// All that the block of the launch launched has completed: its warps that waited for it continue.
void wm_clock_children_ended(struct wm_clock *clock, const struct wm_launch_state *run,
                             uint64_t block);
// Whether one may join: nothing is being written back at the end of a launch.
bool wm_clock_takes_launches(const struct wm_clock *clock);
// While several are under way: what components have counted is given to their kernels' records. The
// session's counters at the begin are then those of now.
void wm_clock_attribute_counters(struct wm_clock *clock);
// Copies of what instructions count of their misses: unit i, levels of groups whose first unit it
// is, and island i of memory have one, of which each writes the rows of its own levels. On machines
// with coherent levels all is on one thread, and has one.
uint32_t wm_clock_counts_apart(const struct wm_clock *clock);
// On such a machine, where misses are explained: it is noted there who shares lines, in the order
// in which accesses are done. By unit wm_memory_coherent_cache_of. Both are borrowed.
struct wm_written_lines; // mem/explain/written_lines.h
void wm_clock_note_written_lines(struct wm_clock *clock, struct wm_written_lines *lines,
                                 const uint32_t *coherent_caches);
// Of the SMs' clock, in which any launch was under way.
uint64_t wm_clock_cycles(const struct wm_clock *clock);

// Work that is supplied while it is under way (wm_work.supplied). The interconnect's cycle that it
// is: all before it is done; and its cycles in a second.
uint64_t wm_clock_now(const struct wm_clock *clock);
uint64_t wm_clock_hz(const struct wm_clock *clock);
// Windows are a cycle long from here on, so that steps can end in any; results are the same.
void wm_clock_shorten_windows(struct wm_clock *clock);
// A step ends, from here on, with the first window that ends in `cycle` of the interconnect or
// later, and where nothing happens before it, in that cycle; WM_NEVER: nowhere.
void wm_clock_stop_at(struct wm_clock *clock, uint64_t cycle);
// While a core executes: the step ends behind the window that runs.
void wm_clock_stop(struct wm_clock *clock);
// Most operations that a core takes in a window.
uint32_t wm_clock_core_lead(const struct wm_clock *clock);
// Whether a warp of any kernel waits for time to pass.
bool wm_clock_any_sleeps(const struct wm_clock *clock);
// Whether a core has nothing to execute and its instructions have all retired. With `stops` steps
// end when it has come to that, until this is called without.
bool wm_clock_core_is_at_rest(struct wm_clock *clock, uint32_t core, bool stops);
// A core's access, while no launch is under way: at once, as in the walk; its caches have what they
// have then. No instruction counts it.
void wm_clock_core_access(struct wm_clock *clock, uint32_t core, enum wm_access_kind kind,
                          uint64_t address, uint32_t bytes);
// A core that had nothing to execute has something.
void wm_clock_wake_core(struct wm_clock *clock, uint32_t core);

// Runs a launch until all its blocks have finished, or a fault or deadlock, as wm_walk_run_work.
// What instructions caused is added to the record's. `*cycles`: of the SM's clock, from the
// launch until nothing is on its way any more.
enum wm_status wm_clock_run_work(struct wm_clock *clock, struct wm_launch_state *run,
                                 struct wm_kernel_record *record, struct wm_progress *progress,
                                 uint64_t *cycles, struct wm_error *error);

#endif
