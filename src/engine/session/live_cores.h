// The threads of a program that runs beside its kernels, on the CPU cores beside a machine's SMs:
// thread n on core n. They are a launch of their own, `cores`, which is under way from the begin
// to the end of the run; its accesses are handed over as they happen (base/run/host_threads.h). In
// time (live_cores_time.c) a thread is a short stretch ahead of its core.
//
// Thread rules: those of the session.
#ifndef WM_ENGINE_SESSION_LIVE_CORES_H
#define WM_ENGINE_SESSION_LIVE_CORES_H

#include "base/run/host_threads.h"
#include "engine/session/session.h"

struct wm_live_cores;

enum { WM_LIVE_TURN = 32 }; // accesses of a thread's turn in time

// Whether a machine, and an engine, can run threads on CPU cores: WM_UNSUPPORTED, with a hint.
enum wm_status wm_live_cores_check(const struct wm_machine *machine,
                                   const struct wm_session_options *options,
                                   struct wm_error *error);
// In time: a core has come to where its thread has issued the command of that number. Called while
// the session steps, by any of its threads, or while accesses are handed over.
struct wm_live_commands {
    void (*issue)(void *context, uint64_t command);
    void *context;
};

// `commands` is copied. WM_NO_MEMORY, and what wm_session_start_work refuses.
enum wm_status wm_live_cores_new(struct wm_session *session,
                                 const struct wm_live_commands *commands,
                                 struct wm_live_cores **cores, struct wm_error *error);
// What says what a place of code is, each time that the launch ends: reports have it then.
void wm_live_cores_describe_code(struct wm_live_cores *cores,
                                 struct wm_host_code (*describe_code)(uint64_t code));
// Steps the session until the cores have made the accesses, in their order. Each step is one of
// all launches under way. In time they are queued, and made by wm_live_cores_advance. The status
// that the launch `cores` has ended with: WM_STOPPED at a limit of the session, WM_NO_MEMORY.
enum wm_status wm_live_cores_access(struct wm_live_cores *cores,
                                    const struct wm_host_access *accesses, size_t count,
                                    struct wm_error *error);
// In time: the cores have taken the accesses over by then, and time goes on by one step, unless a
// thread's turn has come or the deadline of `turn` (base/run/host_threads.h), in which `next`,
// `accesses`, `looks` and `now` are set. `*state`: IDLE, nothing can happen; WAITS; else RAN.
// Errors as above.
enum wm_status wm_live_cores_advance(struct wm_live_cores *cores, struct wm_host_device_turn *turn,
                                     enum wm_host_device_state *state, struct wm_error *error);
// A profiler's range begins or ends (wm_session_profiler_range). In time, with options.profiled,
// the cores execute what they have, and what they do from here on is another launch: so what is
// counted of them is the range's alone. Errors as above.
enum wm_status wm_live_cores_profiler_range(struct wm_live_cores *cores, bool inside,
                                            struct wm_error *error);
// Ends the launch and frees it; NULL is allowed. In time the cores first execute what they have.
void wm_live_cores_free(struct wm_live_cores *cores);

#endif
