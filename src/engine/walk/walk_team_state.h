// The inside of a walk's team. Private to engine/walk/.
//
//   walk/walk_team.c        rounds, and what threads do in them
//   walk/walk_team_build.c  machines, parts and threads
//   walk/walk_team_lockstep.c  machines that follow the first from launch to launch
#ifndef WM_ENGINE_WALK_WALK_TEAM_STATE_H
#define WM_ENGINE_WALK_WALK_TEAM_STATE_H

#include "base/run/thread_team.h"
#include "engine/walk/request_batch.h"
#include "engine/walk/walk_team.h"
#include "mem/system/memory_view.h"

// A machine.
struct wm_walk_member {
    struct wm_session *session;
    bool whole;      // one thread serves it, all that the SMs request
    uint32_t leads;  // whose queues its slices serve: its own number, or that of one before it
    uint32_t chunks; // of its slices, which are items of a round
    enum wm_status status;
    struct wm_error error;
};

// SMs that one thread drives in a round, and what they have requested in this one and the one
// before.
struct wm_walk_part {
    uint32_t first_sm, end_sm;
    struct {
        struct wm_request_batch *batch; // owned; NULL where no machine is served as a whole
        struct wm_slice_queues *queues; // owned; by member, of those that lead
    } of_round[2];
};

struct wm_walk_thread {
    struct wm_request_batcher batcher; // first: the batcher's pass_on finds the thread
    struct wm_walk_team *team;
    // By member. The first is the one that takes turns, too. Those of members that are not served
    // as a whole have a view as their memory, which the thread owns.
    struct wm_front_end *front_ends;
    struct wm_request_batch *batch; // owned
    struct wm_batch_position served;
    struct wm_instruction_footprint footprint;
    struct wm_turn_sums sums; // of the round
    uint64_t waiting;         // lines whose requests may wait for slices
    enum wm_status status;
    uint32_t failed_sm;
    struct wm_error error;
};

struct wm_walk_team {
    struct wm_thread_team *pool;
    struct wm_thread_team_step steps[WM_THREAD_TEAM_STEPS]; // the first is used
    struct wm_walk_member *members;
    struct wm_walk_part *parts;
    struct wm_walk_thread **threads;
    uint32_t member_count, part_count, thread_count, whole_count;
    bool any_whole;
    struct wm_launch_state *run;
    uint64_t round;
    uint32_t now;        // of `of_round`, what turns fill
    bool turns, serving; // what the items of a round do
    bool shared;         // by the threads: in the round, more than one block is there
};

// Whether the SMs of the machine fill queues of their own.
static inline bool wm_walk_member_leads(const struct wm_walk_team *team, uint32_t number)
{
    return !team->members[number].whole && team->members[number].leads == number;
}

// walk/walk_team.c: wm_thread_team_step.run, of a team; and wm_request_batcher.pass_on, of a
// thread.
void wm_walk_team_run_item(void *context, uint32_t item, uint32_t thread);
void wm_walk_team_pass_on(struct wm_request_batcher *batcher);

#endif
