// Builds a walk's team: its machines, the parts of their SMs, and what each thread has.
#include "base/containers/array.h"
#include "base/numbers/divisor.h"
#include "engine/walk/walk_team_state.h"

#include <stdlib.h>

enum {
    PARTS_A_THREAD = 4,  // of the SMs: one that is late then leaves the others little to wait for
    CHUNKS_A_THREAD = 2, // of a machine's slices
    BATCH_HEADS = 1024,  // as walk/request_batch.c's, so that the host's caches keep them
    BATCH_LINES = 2048,
    FALSE_SHARING_BYTES = 128,
};

bool wm_walk_same_queues(const struct wm_machine *leads, const struct wm_machine *follows)
{
    return wm_memory_same_queues(&leads->memory, &follows->memory) &&
           strcmp(leads->bypass_list, follows->bypass_list) == 0;
}

static void find_leader(struct wm_walk_team *team, uint32_t number)
{
    struct wm_walk_member *member = &team->members[number];
    const struct wm_machine *machine = &member->session->machine;
    member->leads = number;
    for (uint32_t i = 0; i < number; i++) {
        if (wm_walk_member_leads(team, i) &&
            wm_walk_same_queues(&team->members[i].session->machine, machine)) {
            member->leads = i;
            return;
        }
    }
}

static void make_members(struct wm_walk_team *team, struct wm_session *const *sessions)
{
    for (uint32_t i = 0; i < team->member_count; i++) {
        struct wm_walk_member *member = &team->members[i];
        const struct wm_memory_spec *spec = &sessions[i]->machine.memory;
        *member = (struct wm_walk_member){
            .session = sessions[i], .whole = !wm_memory_can_have_views(spec), .leads = i};
        team->any_whole |= member->whole;
        team->whole_count += member->whole;
        if (!member->whole)
            find_leader(team, i);
        uint32_t slices = spec->levels[WM_LEVEL_L2].cache.present && !member->whole
                              ? spec->levels[WM_LEVEL_L2].slices
                              : 0;
        uint32_t most = team->thread_count > 1 ? CHUNKS_A_THREAD * team->thread_count : 1;
        member->chunks = slices < most ? slices : most;
        team->steps[0].count += member->chunks;
    }
    team->steps[0].count += team->whole_count + 1;
}

static enum wm_status make_part(struct wm_walk_team *team, struct wm_walk_part *part,
                                struct wm_error *error)
{
    for (uint32_t p = 0; p < 2; p++) {
        WM_TRY(WM_ARRAY_NEW(part->of_round[p].queues, team->member_count, error,
                            "the requests of a round"));
        for (uint32_t i = 0; i < team->member_count; i++)
            if (wm_walk_member_leads(team, i))
                WM_TRY(wm_slice_queues_init(&part->of_round[p].queues[i],
                                            team->members[i].session->memory, error));
        if (!team->any_whole)
            continue;
        part->of_round[p].batch = wm_request_batch_new(BATCH_HEADS, BATCH_LINES);
        if (part->of_round[p].batch == NULL)
            return wm_fail_no_memory(error, "the requests of a round");
    }
    return WM_OK;
}

// SMs that share a cache, of any of the machines, are in one part.
static enum wm_status make_parts(struct wm_walk_team *team, struct wm_error *error)
{
    uint32_t sms = team->members[0].session->machine.sm.count, together = 1;
    for (uint32_t i = 0; i < team->member_count && together < sms; i++)
        if (!team->members[i].whole)
            together = (uint32_t)wm_common_multiple(
                together, wm_memory_sms_together(&team->members[i].session->machine.memory));
    uint32_t units = (sms + together - 1) / together;
    uint32_t most = team->thread_count > 1 ? PARTS_A_THREAD * team->thread_count : 1;
    team->part_count = units < most ? units : most;
    WM_TRY(WM_ARRAY_NEW(team->parts, team->part_count, error, "the SMs' parts"));
    for (uint32_t i = 0; i < team->part_count; i++) {
        struct wm_walk_part *part = &team->parts[i];
        uint64_t end = (uint64_t)units * (i + 1) / team->part_count * together;
        part->first_sm = i != 0 ? part[-1].end_sm : 0;
        part->end_sm = end < sms ? (uint32_t)end : sms;
        WM_TRY(make_part(team, part, error));
        for (uint32_t p = 0; p < 2 && i != 0; p++)
            for (uint32_t m = 0; m < team->member_count; m++)
                wm_slice_queues_link(&part[-1].of_round[p].queues[m], &part->of_round[p].queues[m]);
    }
    team->steps[0].count += team->part_count;
    return WM_OK;
}

static enum wm_status make_thread(struct wm_walk_team *team, struct wm_walk_thread **result,
                                  struct wm_error *error)
{
    size_t bytes = (sizeof **result + FALSE_SHARING_BYTES - 1) / FALSE_SHARING_BYTES;
    struct wm_walk_thread *thread = aligned_alloc(FALSE_SHARING_BYTES, bytes * FALSE_SHARING_BYTES);
    if (thread == NULL)
        return wm_fail_no_memory(error, "threads");
    *thread = (struct wm_walk_thread){.batcher.pass_on = wm_walk_team_pass_on, .team = team};
    *result = thread;
    WM_TRY(WM_ARRAY_NEW(thread->front_ends, team->member_count, error, "threads"));
    thread->batch = wm_request_batch_new(BATCH_HEADS, BATCH_LINES);
    if (thread->batch == NULL)
        return wm_fail_no_memory(error, "threads");
    for (uint32_t i = 0; i < team->member_count; i++)
        if (!team->members[i].whole)
            WM_TRY(wm_memory_view_new(team->members[i].session->memory,
                                      &thread->front_ends[i].memory, error));
    return WM_OK;
}

static enum wm_status build(struct wm_walk_team *team, struct wm_session *const *sessions,
                            struct wm_error *error)
{
    WM_TRY(WM_ARRAY_NEW(team->members, team->member_count, error, "machines"));
    team->steps[0] = (struct wm_thread_team_step){.run = wm_walk_team_run_item, .chunk = 1};
    WM_TRY(wm_thread_team_new(team->thread_count, team->steps, team, &team->pool, error));
    team->thread_count = wm_thread_team_threads(team->pool);
    make_members(team, sessions);
    WM_TRY(make_parts(team, error));
    WM_TRY(WM_ARRAY_NEW(team->threads, team->thread_count, error, "threads"));
    for (uint32_t i = 0; i < team->thread_count; i++)
        WM_TRY(make_thread(team, &team->threads[i], error));
    return WM_OK;
}

enum wm_status wm_walk_team_new(struct wm_session *const *sessions, uint32_t count,
                                uint32_t threads, struct wm_walk_team **team,
                                struct wm_error *error)
{
    struct wm_walk_team *made;
    *team = NULL;
    WM_TRY(WM_ARRAY_NEW(made, 1, error, "threads"));
    made->member_count = count;
    made->thread_count = threads;
    enum wm_status status = build(made, sessions, error);
    if (status != WM_OK) {
        wm_walk_team_free(made);
        return status;
    }
    sessions[0]->team = made;
    *team = made;
    return WM_OK;
}

static void free_part(const struct wm_walk_team *team, struct wm_walk_part *part)
{
    for (uint32_t p = 0; p < 2; p++) {
        wm_request_batch_free(part->of_round[p].batch);
        for (uint32_t i = 0; i < team->member_count && part->of_round[p].queues != NULL; i++)
            wm_slice_queues_release(&part->of_round[p].queues[i]);
        free(part->of_round[p].queues);
    }
}

static void free_thread(const struct wm_walk_team *team, struct wm_walk_thread *thread)
{
    if (thread == NULL)
        return;
    for (uint32_t i = 0; i < team->member_count && thread->front_ends != NULL; i++)
        if (!team->members[i].whole)
            wm_memory_view_free(thread->front_ends[i].memory);
    free(thread->front_ends);
    wm_request_batch_free(thread->batch);
    free(thread);
}

void wm_walk_team_free(struct wm_walk_team *team)
{
    if (team == NULL)
        return;
    wm_thread_team_free(team->pool);
    for (uint32_t i = 0; i < team->thread_count && team->threads != NULL; i++)
        free_thread(team, team->threads[i]);
    for (uint32_t i = 0; i < team->part_count && team->parts != NULL; i++)
        free_part(team, &team->parts[i]);
    if (team->members != NULL && team->members[0].session != NULL)
        team->members[0].session->team = NULL;
    free(team->threads);
    free(team->parts);
    free(team->members);
    free(team);
}
