// Threads that walk a recording together, through one machine or through several that get the same
// accesses in the same order (docs/engine-walk.md, "Threads"). The sessions are those of the
// machines: the first one's SMs take the turns; the others follow it, launch by launch.
//
// In a round the turns of SMs are taken side by side, by whichever thread comes first, each with
// its requests to L1s; meanwhile the slices of L2 serve what the round before has left them. A
// machine whose SMs or slices depend on each other is served all its requests, SM by SM, by one
// thread at a time. No number depends on the threads.
//
// Thread rules: the functions are called by one thread. Private to engine/.
#ifndef WM_ENGINE_WALK_WALK_TEAM_H
#define WM_ENGINE_WALK_WALK_TEAM_H

#include "engine/walk/turns.h"

struct wm_walk_team;

// How many of `threads` a walk of that machine can use: 1 where turns depend on what the memory
// system makes of requests beyond the SM, or are so short that threads would wait most of the time.
// `options` as of its session.
uint32_t wm_walk_team_threads(const struct wm_machine *machine,
                              const struct wm_session_options *options, uint32_t threads);

// Whether what SMs of machines with one front end request of L2 is the same, and the second's L2
// may serve what waits for the first's.
bool wm_walk_same_queues(const struct wm_machine *leads, const struct wm_machine *follows);

// The sessions, which are borrowed, have memory systems, walk, and, of more than one, are of
// machines that share a front end (wm_replay_same_front_end). The first session runs launches with
// the team from here on. WM_NO_MEMORY.
enum wm_status wm_walk_team_new(struct wm_session *const *sessions, uint32_t count,
                                uint32_t threads, struct wm_walk_team **team,
                                struct wm_error *error);
// NULL is allowed. The sessions stay as they are.
void wm_walk_team_free(struct wm_walk_team *team);

// What the other sessions do when the first has done it: begin a launch, end it. One that fails
// follows no longer.
void wm_walk_team_launch_begin(struct wm_walk_team *team, const struct wm_work *work);
void wm_walk_team_launch_end(struct wm_walk_team *team);
// The session of that number, made ready to do what the first has done; NULL: it does no more.
struct wm_session *wm_walk_team_follower(struct wm_walk_team *team, uint32_t number);
uint32_t wm_walk_team_sessions(const struct wm_walk_team *team);
// What stopped the session of that number, or WM_OK.
enum wm_status wm_walk_team_status(const struct wm_walk_team *team, uint32_t number,
                                   struct wm_error *error);
// The recording has been walked: what all sessions counted is complete.
void wm_walk_team_finish(struct wm_walk_team *team);

// walk/rounds.c: rounds of a launch of the first session begin; one; and what they left is served.
// wm_walk_team_end returns `status`, or what came after it.
enum wm_status wm_walk_team_begin(struct wm_walk_team *team, struct wm_launch_state *run,
                                  struct wm_error *error);
enum wm_status wm_walk_team_round(struct wm_walk_team *team, struct wm_launch_state *run,
                                  struct wm_turn_sums *sums, struct wm_error *error);
enum wm_status wm_walk_team_end(struct wm_walk_team *team, enum wm_status status,
                                struct wm_error *error);

#endif
