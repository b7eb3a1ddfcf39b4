// A session takes launches and drives them through a machine, by one of two engines. The walk
// engine is untimed: it follows every access through the described memory system in a defined
// order, as fast as the host can. The clock engine (engine/clock/clock.h) runs the same parts in
// time.
#ifndef WM_ENGINE_SESSION_SESSION_H
#define WM_ENGINE_SESSION_SESSION_H

#include "base/error.h"
#include "engine/session/results.h"
#include "engine/session/work.h"
#include "exec/exec.h"
#include "machine/machine.h"

#include <stdbool.h>

struct wm_session;
struct wm_memory_names;  // base/names/memory_names.h
struct wm_recorder;      // engine/record/recorder.h
struct wm_checker;       // engine/check/check.h
struct wm_recording;     // trace/recording_reader.h
struct wm_launch_filter; // engine/session/launch_filter.h

struct wm_session_options {
    bool memory;   // false: execute only, nothing is traced (the interpreter alone)
    bool in_order; // without memory: take turns as with it all the same. The order is that of the
                   // machine where it does not depend on misses
                   // (wm_warp_scheduler_ops.distinguishes_misses)
    bool progress; // show progress on a terminal
    bool clock;    // with memory: in time, by the clock engine (engine/clock/clock.h)
    uint64_t sample_cycles; // with clock: keep a timeline, a sample every so many; 0: none
    // Of the clock engine, for work that allows it; 0 is 1. Results do not depend on it.
    uint32_t threads;
    bool profiled; // only what happens inside of a profiler's ranges is counted
                   // (wm_session_profiler_range)
    // Borrowed, may be NULL: only the launches that it takes are counted, and nothing between them.
    const struct wm_launch_filter *filter;
    bool per_launch; // keep what each counted launch counted, at every level of the machine
    bool block_map;  // keep on which SM each block of the counted launches ran
    bool explain;    // with memory: explain misses and count bank conflicts (docs/misses.md)
    // Of a replay: the recording that the CPU cores beside the SMs run meanwhile. Borrowed, may be
    // NULL.
    const struct wm_recording *core_recording;
    bool no_host_threads; // of a replay: CPU threads that the recording has do not run
    bool serial_streams;  // of a replay: launches of several streams run one after another
    // Threads of the host and launches take turns in an order of their own: what both access does
    // not depend on how fast the host is, and is not noted.
    bool host_in_turns;
    struct wm_recorder *recorder; // borrowed, may be NULL: what is executed goes there too
    // Borrowed, may be NULL: listens to launches, copies and fills (engine/check/check.h).
    struct wm_checker *checker;
    // What all launches may take together, 0 for any number: one that would continue is stopped, by
    // warp instructions as soon as its turn has ended (the clock engine: within some windows), by
    // the host's time, counted from here on, a little later. WM_STOPPED of it and those that
    // follow.
    uint64_t limit_instructions, limit_ns;
    // Called between two warps' turns, at least once in some ten thousand warp instructions, while
    // the engine holds nothing of device memory: a caller that has an allocation to make during a
    // launch changes the allocation table here. May be NULL.
    void (*at_safe_point)(void *context);
    void *context;
};

// What a launch or all launches so far cost on a GPU, cheap to read between launches: the CUDA
// library estimates event times from it.
struct wm_session_totals {
    uint64_t warp_instructions;
    uint64_t dram_bytes; // 0 without memory system
    uint64_t cycles;     // of the SMs' clock, in which any launch was under way; 0 unless timed
};

// Whether a launch, or a recording, can be run on a machine with so many GPUs: it is of GPU `gpu`.
// WM_LIMIT.
enum wm_status wm_session_check_gpu(const struct wm_machine *machine, uint32_t gpu,
                                    struct wm_error *error);

// Whether the clock engine can run that machine: WM_UNSUPPORTED, with the key, for what it does not
// model.
enum wm_status wm_clock_check(const struct wm_machine *machine, struct wm_error *error);

// Whether a session with these options (memory, clock and explain among them) can run that machine:
// WM_UNSUPPORTED or WM_INVALID, with the key and a hint, for what it cannot. To be called before a
// program is started; wm_session_new checks it too.
enum wm_status wm_engine_check(const struct wm_machine *machine,
                               const struct wm_session_options *options, struct wm_error *error);
// Whether the order of the machine's warps depends on what misses: then it needs options.memory.
bool wm_engine_order_needs_memory(const struct wm_machine *machine);

// What the clock engine's own components count, at 0 and up; NULL past the last.
const struct wm_counter_set *wm_clock_counter_set(size_t index);

// `machine` is copied. Thread rules: one thread at a time.
enum wm_status wm_session_new(const struct wm_machine *machine,
                              struct wm_device_memory *device_memory,
                              const struct wm_session_options *options, struct wm_session **session,
                              struct wm_error *error);
void wm_session_free(struct wm_session *session);

// Runs one launch to its end. WM_LIMIT when a block does not fit the machine (too many threads, too
// much shared memory; an estimate of registers alone refuses nothing); WM_FAULT and WM_DEADLOCK
// with the finding's message, and `finding` filled (may be NULL); WM_INVALID for a launch the
// kernel does not allow; WM_STOPPED at a limit of the options. What was executed until then is
// counted.
enum wm_status wm_session_launch(struct wm_session *session, const struct wm_launch *launch,
                                 struct wm_finding *finding, struct wm_error *error);

// Launches side by side (docs/streams.md), for a caller that has several at once; with a recorder
// one at a time. They share the SMs: blocks as they fit, of launches with the least `priority`
// first, then in order of start.
//
// Starts a launch: it begins when the machine takes another in addition to those under way. The
// launch is borrowed until wm_session_collect. Errors are those of wm_session_launch that are known
// without running it; *running is NULL then.
struct wm_concurrent_launch;
enum wm_status wm_session_start_launch(struct wm_session *session, const struct wm_launch *launch,
                                       int priority, struct wm_concurrent_launch **running,
                                       struct wm_error *error);
// The same for work of any source, which the caller makes, and releases when it was taken. `alone`:
// it runs by itself, as its blocks wait for each other.
enum wm_status wm_session_start_work(struct wm_session *session, struct wm_work *work, int priority,
                                     bool alone, struct wm_concurrent_launch **running,
                                     struct wm_error *error);
// One step of all that have begun. False when none has, and none can begin.
bool wm_session_step(struct wm_session *session);
// A launch by a kernel that is under way and has its parent's priority: it begins concurrently with
// it, however many others wait, and the parent is taken later. And: all that the block launched,
// which has the index in its grid, has completed: its threads that wait for that continue.
enum wm_status wm_session_start_child(struct wm_session *session, const struct wm_launch *launch,
                                      const struct wm_concurrent_launch *parent,
                                      struct wm_concurrent_launch **running,
                                      struct wm_error *error);
void wm_session_children_ended(struct wm_session *session, struct wm_concurrent_launch *running,
                               uint64_t block);
// Whether blocks of it wait for what they launched, and have left their room to others.
bool wm_concurrent_launch_is_suspended(const struct wm_concurrent_launch *running);
// Of the walk, behind each of several steps in a row: whether the kernels under way do nothing but
// wait, in loops, for what none of them writes. It is known when what their threads hold has come
// back to what it was, several times; a loop that counts its turns is never known to wait.
bool wm_session_kernels_wait(struct wm_session *session);
// Something else has happened: the steps before count no more.
void wm_session_kernels_go_on(struct wm_session *session);
// From within a step: it ends soon, for a kernel has launched something, or waits.
void wm_session_end_step(struct wm_session *session);
bool wm_concurrent_launch_has_ended(const struct wm_concurrent_launch *running);
// Frees it, one that has not ended is given up. The status, finding and error of its end, as
// wm_session_launch has them; WM_OK when it was given up.
enum wm_status wm_session_collect(struct wm_session *session, struct wm_concurrent_launch *running,
                                  struct wm_finding *finding, struct wm_error *error);

// The same for work of any source (engine/session/work.h), which the caller makes and releases.
enum wm_status wm_session_run_work(struct wm_session *session, struct wm_work *work,
                                   struct wm_error *error);

// The host touches device memory between launches.
void wm_session_host_write(struct wm_session *session, uint64_t address, uint64_t size_bytes);
void wm_session_host_read(struct wm_session *session, uint64_t address, uint64_t size_bytes);
void wm_session_device_copy(struct wm_session *session, uint64_t to, uint64_t from,
                            uint64_t size_bytes);

// The device sets bytes by itself (cudaMemset): nothing crosses the link to the host.
void wm_session_device_fill(struct wm_session *session, uint64_t address, uint64_t size_bytes);

// The program marks where a profiler's range begins and ends (cudaProfilerStart, cudaProfilerStop);
// a mark that says what is so already changes nothing. With options.profiled only what happens
// inside is counted in the results: a launch belongs where it begins. What happens outside is
// executed, and changes the memory system's state, all the same.
void wm_session_profiler_range(struct wm_session *session, bool inside);
// Whether launches have been started and not been collected.
bool wm_session_has_launches(const struct wm_session *session);
// In time: a launch has failed, and those that were under way with it go no further before all have
// been collected.
bool wm_session_has_stopped(const struct wm_session *session);

// The end of the program: dirty lines are written back and counted to the run, not to a kernel.
// Optional; what stays in L2 otherwise never reached DRAM.
void wm_session_finish(struct wm_session *session);

struct wm_session_totals wm_session_totals(struct wm_session *session, uint32_t gpu);

// Where the results name parts of the program's memory, the names that they go by, which the caller
// adds to before it takes them; NULL where they do not.
struct wm_memory_names *wm_session_memory_names(struct wm_session *session);

// Everything counted so far; the caller frees it (wm_results_free). `command` may be NULL,
// borrowed.
enum wm_status wm_session_results(struct wm_session *session, const char *const *command,
                                  struct wm_results **results, struct wm_error *error);

#endif
