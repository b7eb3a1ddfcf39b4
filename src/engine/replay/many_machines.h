// One recording through many machines at once. Machines whose accesses come in the same order share
// the reading, the turns and the coalescing; others read the recording for themselves. What is
// counted is the same as one machine at a time, whatever the number of threads.
#ifndef WM_ENGINE_REPLAY_MANY_MACHINES_H
#define WM_ENGINE_REPLAY_MANY_MACHINES_H

#include "engine/session/session.h"
#include "trace/recording_reader.h"

struct wm_replay_variant {
    const struct wm_machine *machine; // borrowed
    const char *settings;             // borrowed: the results' `variant`; may be NULL
    struct wm_results *results;       // filled; the caller frees it, whatever the outcome
};

// Drives the recording through all of them, on at most `threads` threads, this one among them.
// `options` as wm_session_new's, without a recorder: progress is that of the first variant.
//
// Errors are those of wm_replay and wm_session_new: when several variants have one, that of the
// first of these. Memory: one memory system a variant, and a few MB for each reader; at most one
// reader a thread.
enum wm_status wm_replay_many(struct wm_recording *recording, struct wm_replay_variant *variants,
                              uint32_t count, uint32_t threads,
                              const struct wm_session_options *options, struct wm_error *error);

// Whether two machines get the same requests in the same order from any recording, so that they may
// share a front end.
bool wm_replay_same_front_end(const struct wm_machine *a, const struct wm_machine *b);

#endif
