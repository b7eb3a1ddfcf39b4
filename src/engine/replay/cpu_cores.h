// What the CPU cores beside a machine's SMs run: a recording of cores (docs/formats/cores.md),
// alone or next to the launches of another one. It is a launch of its own, on the cores, from the
// begin on; each round of the walk gives every core a turn behind the SMs'. Private to
// engine/replay/.
#ifndef WM_ENGINE_REPLAY_CPU_CORES_H
#define WM_ENGINE_REPLAY_CPU_CORES_H

#include "engine/replay/recorded_work.h"
#include "engine/session/session.h"

struct wm_cpu_cores {
    struct wm_recording *recording; // owned where it was opened here; NULL: the cores run nothing
    bool owned;
    struct wm_recorded_work work;
    struct wm_concurrent_launch *running; // NULL: it did not begin
};

// Whether the recording is one of CPU cores that run beside the machine's SMs.
bool wm_cpu_cores_run(const struct wm_recording *recording, const struct wm_session *session);
// Begins it. WM_INVALID: it is of no cores; WM_LIMIT: of more than the machine has. On an error
// nothing is to be ended.
enum wm_status wm_cpu_cores_begin(struct wm_cpu_cores *cores, struct wm_recording *recording,
                                  struct wm_session *session, struct wm_error *error);
// Whether the recording has threads beside its kernels which the session's machine runs.
bool wm_cpu_cores_has_threads(const struct wm_recording *recording,
                              const struct wm_session *session);
// The same of the session's options, or of the threads that the recording `beside` has; where there
// are none, nothing.
enum wm_status wm_cpu_cores_begin_beside(struct wm_cpu_cores *cores,
                                         const struct wm_recording *beside,
                                         struct wm_session *session, struct wm_error *error);
// After WM_OK, what the cores have left runs to its end; after another status it is dropped.
// Returns that status, or the cores' own.
enum wm_status wm_cpu_cores_end(struct wm_cpu_cores *cores, struct wm_session *session,
                                enum wm_status status, struct wm_error *error);

#endif
