// Machines that are walked together do what the first does, launch by launch.
#include "engine/walk/walk_team_state.h"

uint32_t wm_walk_team_sessions(const struct wm_walk_team *team)
{
    return team->member_count;
}

struct wm_session *wm_walk_team_follower(struct wm_walk_team *team, uint32_t number)
{
    struct wm_walk_member *member = &team->members[number];
    const struct wm_walk_member *leader = &team->members[member->leads];
    if (member->status == WM_OK && leader->status != WM_OK) {
        member->status = leader->status;
        member->error = leader->error;
    }
    if (member->status != WM_OK)
        return NULL;
    if (member->leads != number)
        wm_memory_copy_sm_caches_counters(member->session->memory,
                                          team->members[member->leads].session->memory);
    return member->session;
}

void wm_walk_team_launch_begin(struct wm_walk_team *team, const struct wm_work *work)
{
    for (uint32_t i = 1; i < team->member_count; i++) {
        struct wm_session *session = wm_walk_team_follower(team, i);
        struct wm_walk_member *member = &team->members[i];
        struct wm_occupancy occupancy;
        struct wm_kernel_record *record;
        if (session != NULL)
            member->status =
                wm_session_launch_begin(session, work, &occupancy, &record, &member->error);
    }
}

void wm_walk_team_launch_end(struct wm_walk_team *team)
{
    for (uint32_t i = 1; i < team->member_count; i++) {
        struct wm_session *session = wm_walk_team_follower(team, i);
        if (session != NULL)
            wm_session_launch_end(session, session->launched);
    }
}

enum wm_status wm_walk_team_status(const struct wm_walk_team *team, uint32_t number,
                                   struct wm_error *error)
{
    const struct wm_walk_member *member = &team->members[number];
    if (member->status != WM_OK && error != NULL)
        *error = member->error;
    return member->status;
}

// What the first counted of an instruction before any cache and, `leader`, what SMs' caches did.
static void take_counters(struct wm_instruction_counters *to,
                          const struct wm_instruction_counters *first,
                          const struct wm_instruction_counters *leader)
{
    to->executions = first->executions;
    to->lanes = first->lanes;
    to->bytes_requested = first->bytes_requested;
    to->requests = first->requests;
    to->sectors = first->sectors;
    to->atomic_conflicts = first->atomic_conflicts;
    if (leader == to)
        return;
    for (uint32_t i = 0; i < WM_LEVEL_L2; i++)
        to->levels[i] = leader->levels[i];
    to->levels[WM_LEVEL_L2].bytes = leader->levels[WM_LEVEL_L2].bytes;
}

// Sessions that saw the same launches have the same kernels, in one order.
static void finish_follower(const struct wm_walk_team *team, const struct wm_walk_member *member)
{
    const struct wm_session *first = team->members[0].session;
    const struct wm_session *leader = team->members[member->leads].session;
    member->session->gives_blocks = first;
    for (uint32_t i = 0; i < member->session->record_count; i++) {
        struct wm_kernel_record *record = member->session->records[i];
        const struct wm_kernel_record *cause = first->records[i], *led = leader->records[i];
        for (uint32_t pc = 0; pc < record->instruction_count; pc++) {
            take_counters(&record->counters_by_pc[pc], &cause->counters_by_pc[pc],
                          &led->counters_by_pc[pc]);
            record->spaces[pc] = cause->spaces[pc];
        }
        take_counters(&record->fetches, &cause->fetches, &led->fetches);
    }
}

void wm_walk_team_finish(struct wm_walk_team *team)
{
    for (uint32_t i = 0; i < team->member_count; i++) {
        struct wm_session *session = wm_walk_team_follower(team, i);
        for (uint32_t r = 0; session != NULL && r < session->record_count; r++)
            wm_kernel_record_gather(session->records[r]);
        if (session != NULL && i != 0)
            finish_follower(team, &team->members[i]);
    }
}
