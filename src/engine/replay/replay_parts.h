// The parts of a replay, through one machine and many. Private to engine/.
//
//   replay/many_machines.c   groups of machines, and threads for them
//   replay/same_front_end.c  which machines one front end feeds
//   replay/concurrent_launches.c  launches that a recording has side by side
//   replay/memory_names.c    names of the program's memory
#ifndef WM_ENGINE_REPLAY_REPLAY_PARTS_H
#define WM_ENGINE_REPLAY_REPLAY_PARTS_H

#include "engine/replay/recorded_work.h"
#include "engine/replay/replay.h"

// Whether launches of the recording may run side by side.
bool wm_replay_is_concurrent(const struct wm_recording *recording,
                             const struct wm_session_options *options);
// The launch that was read last, as wm_recorded_work_init has it, for blocks in the order of the
// session's machine.
enum wm_status wm_replay_open_work(struct wm_recording *recording, const struct wm_session *session,
                                   struct wm_recorded_work *recorded, struct wm_error *error);
// As wm_replay, of a recording that says what its launches are behind: several may be under way.
enum wm_status wm_replay_concurrent(struct wm_recording *recording, struct wm_session *session,
                                    struct wm_error *error);
// Whether the machine has as many cores as the launch that was read last.
enum wm_status wm_replay_check_cores(const struct wm_recording *recording,
                                     const struct wm_session *session, struct wm_error *error);
// Behind the replay: gives the session the names that the recordings have of the program's memory,
// and allocations without one numbers, where its results name memory.
enum wm_status wm_replay_name_memory(const struct wm_recording *recording,
                                     struct wm_session *session, struct wm_error *error);

#endif
