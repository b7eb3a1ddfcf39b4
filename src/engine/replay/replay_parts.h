// The parts of a replay, through one machine and many. Private to engine/.
//
//   replay/many_machines.c   groups of machines, threads, which does what next
//   replay/same_front_end.c  which machines one front end feeds, which of them share their L1s
//   replay/concurrent_launches.c  launches that a recording has side by side
#ifndef WM_ENGINE_REPLAY_REPLAY_PARTS_H
#define WM_ENGINE_REPLAY_REPLAY_PARTS_H

#include "engine/replay/replay.h"

// Whether a front end that does not see the machine's memory system can serve it: nothing that it
// does depends on what misses, and which bytes of a sector are written is not used.
bool wm_replay_can_share_front_end(const struct wm_machine *machine);

// Whether two machines of one front end have L1s that hold the same and send the same requests,
// whatever lies below.
bool wm_replay_same_l1s(const struct wm_machine *a, const struct wm_machine *b);

// Whether the second, whose L1s are like the first's, is fed by what waits for slices of the
// first's L2 (mem/system/below_requests.h).
bool wm_replay_same_rows(const struct wm_machine *leads, const struct wm_machine *follows);

// Whether launches of the recording may run side by side.
bool wm_replay_is_concurrent(const struct wm_recording *recording,
                             const struct wm_session_options *options);
// As wm_replay, of a recording that says what its launches are behind: several may be under way.
enum wm_status wm_replay_concurrent(struct wm_recording *recording, struct wm_session *session,
                                    struct wm_error *error);
// Whether the machine has as many cores as the launch that was read last.
enum wm_status wm_replay_check_cores(const struct wm_recording *recording,
                                     const struct wm_session *session, struct wm_error *error);

#endif
