// The turns of SMs (walk/turns.c), for rounds that take them one after the other (walk/rounds.c) or
// side by side (walk/walk_team.h). Private to engine/walk/.
#ifndef WM_ENGINE_WALK_TURNS_H
#define WM_ENGINE_WALK_TURNS_H

#include "engine/session/session_state.h"

// What turns did that is not the SM's own.
struct wm_turn_sums {
    uint64_t executed; // warp instructions
    uint32_t finished_blocks;
};

// Whether blocks of the launch are on the SM; and those that it was given since its last turn
// begin.
bool wm_walk_has_blocks(const struct wm_launch_state *run, uint32_t sm);
enum wm_status wm_walk_start_blocks(struct wm_session *session, struct wm_launch_state *run,
                                    uint32_t sm, struct wm_error *error);
// One turn of an SM that has blocks, by a front end whose tables are those of the launch; adds to
// `sums`. A fault is the work's. Returns whether another turn of the SM may follow at once.
bool wm_walk_take_turn(struct wm_session *session, struct wm_launch_state *run,
                       struct wm_front_end *front_end, uint32_t sm, struct wm_turn_sums *sums);

#endif
