// The parts of a replay, through one machine and many. Private to engine/.
//
//   replay_many.c   groups of machines, threads, who does what next
//   replay_front.c  which machines one front end feeds, which of them share their L1s
//   replay_sides.c  launches that a recording has side by side
#ifndef WM_ENGINE_REPLAY_PARTS_H
#define WM_ENGINE_REPLAY_PARTS_H

#include "engine/replay_many.h"

// Whether a front end that does not see the machine's memory system can feed it: nothing that it
// does depends on what misses, and nobody asks which bytes of a sector are written.
bool wm_replay_can_follow(const struct wm_machine *machine);

// Whether two machines of one front end have L1s that hold and ask the same, whatever lies below.
bool wm_replay_same_l1s(const struct wm_machine *a, const struct wm_machine *b);

// Whether the second, whose L1s are like the first's, is fed by what waits for slices of the
// first's L2 (mem/memory_asks.h).
bool wm_replay_same_rows(const struct wm_machine *leads, const struct wm_machine *follows);

// Whether launches of the recording may run side by side.
bool wm_replay_has_sides(const struct wm_recording *recording,
                         const struct wm_walk_options *options);
// As wm_replay, of a recording that says what its launches are behind: several may be under way.
enum wm_status wm_replay_side_by_side(struct wm_recording *recording, struct wm_walk *walk,
                                      struct wm_error *error);
// Whether the machine has as many cores as the launch met last.
enum wm_status wm_replay_check_cores(const struct wm_recording *recording,
                                     const struct wm_walk *walk, struct wm_error *error);

#endif
