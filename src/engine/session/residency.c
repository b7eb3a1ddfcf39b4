// Places for a launch's blocks on the SMs, and where the next may go: as many on an SM as it holds,
// alone or next to other launches' blocks.
#include "engine/session/session_state.h"

#include <assert.h>

bool wm_residency_init(const struct wm_session *session, const struct wm_sm_spec *spec,
                       struct wm_arena *arena, struct wm_residency *residency)
{
    size_t words = spec->max_warps / 64 + 2; // a block's bits may reach into one word more
    residency->sm_residency = WM_ARENA_ARRAY(arena, struct wm_sm_residency, spec->count);
    residency->room = WM_ARENA_ARRAY(arena, uint32_t, spec->count);
    residency->most_free = WM_ARENA_ARRAY(arena, uint32_t, spec->count);
    residency->dispatch_state =
        wm_arena_alloc(arena, session->block_dispatch->state_bytes(spec->count), 8);
    if (residency->sm_residency == NULL || residency->room == NULL ||
        residency->most_free == NULL || residency->dispatch_state == NULL)
        return false;
    for (uint32_t i = 0; i < spec->count; i++) {
        struct wm_sm_residency *sm_residency = &residency->sm_residency[i];
        sm_residency->scheduler_state =
            wm_arena_alloc(arena, session->warp_scheduler->state_bytes(spec->max_warps), 8);
        sm_residency->ready = WM_ARENA_ARRAY(arena, uint64_t, words);
        sm_residency->places = WM_ARENA_ARRAY(arena, struct wm_block_slot, spec->max_blocks);
        if (sm_residency->scheduler_state == NULL || sm_residency->ready == NULL ||
            sm_residency->places == NULL)
            return false;
        if (spec == &session->cores ||
            !session->machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION]
                 .cache.present)
            continue;
        sm_residency->code_lines = WM_ARENA_ARRAY(arena, uint64_t, spec->max_warps);
        if (sm_residency->code_lines == NULL)
            return false;
    }
    return true;
}

struct wm_spare_residency *wm_residency_take(struct wm_session *session,
                                             const struct wm_sm_spec *sm)
{
    struct wm_spare_residency **link = &session->spare_residencies, *residency;
    while (*link != NULL && (*link)->sm != sm)
        link = &(*link)->next;
    if ((residency = *link) != NULL) {
        *link = residency->next;
        return residency;
    }
    residency = WM_ARENA_ARRAY(&session->arena, struct wm_spare_residency, 1);
    if (residency == NULL ||
        !wm_residency_init(session, sm, &session->arena, &residency->residency))
        return NULL;
    residency->sm = sm;
    return residency;
}

void wm_residency_give_back(struct wm_session *session, struct wm_spare_residency *residency)
{
    if (residency == NULL)
        return;
    residency->next = session->spare_residencies;
    session->spare_residencies = residency;
}

void wm_launch_state_begin(const struct wm_session *session, const struct wm_residency *residency,
                           struct wm_work *work, const struct wm_occupancy *occupancy,
                           struct wm_launch_state *run)
{
    uint32_t warps = work->warps_per_block;
    *run = (struct wm_launch_state){
        .work = work,
        .first_sm = (work->gpu == WM_ON_CORES ? wm_session_gpus(session) : work->gpu) *
                    session->machine.sm.count,
        .sm = wm_session_sm(session, work->gpu),
        .residency = residency,
        .block_count = wm_work_blocks(work),
        .warps_per_block = warps,
        .blocks_per_sm = occupancy->blocks,
        .slots = occupancy->blocks * warps,
        .all_warps = warps == 64 ? ~UINT64_C(0) : (UINT64_C(1) << warps) - 1,
    };
    const struct wm_sm_spec *spec = run->sm;
    session->block_dispatch->reset(residency->dispatch_state, spec->count, run->block_count);
    for (uint32_t i = 0; i < spec->count; i++) {
        struct wm_sm_residency *sm_residency = &residency->sm_residency[i];
        wm_warp_scheduler_reset(spec, spec->schedulers, sm_residency->scheduler_state, run->slots);
        memset(sm_residency->ready, 0, (spec->max_warps / 64 + 2) * sizeof *sm_residency->ready);
        memset(sm_residency->places, 0, spec->max_blocks * sizeof *sm_residency->places);
        residency->room[i] = occupancy->blocks;
    }
}

void wm_launch_state_find_room(const struct wm_session *session, struct wm_launch_state *run)
{
    uint64_t blocks = 0; // of all launches; its own are those that have begun and are there
    for (uint32_t i = 0; i < run->sm->count; i++) {
        uint32_t room = wm_occupancy_free_blocks(
            run->sm, &run->needs, session->divided[run->work->gpu].shared_bytes, &run->use[i]);
        uint32_t places = run->begun != NULL ? run->blocks_per_sm - run->begun[i] : room;
        run->residency->room[i] = room < places ? room : places;
        blocks += run->use[i].blocks;
    }
    run->shares_sms = blocks != run->given_blocks - run->finished_blocks - run->suspended_count;
}

// Where SMs are shared with other launches, an SM with the most room for the launch's blocks
// (Gilman et al., "Demystifying the placement policies of the NVIDIA GPU thread block scheduler for
// concurrent kernels", Performance Evaluation Review 48, 2020): idle SMs come first. Of several it
// is the one that the machine's block dispatch chooses among them. Of a launch by itself its block
// dispatch says everything.
int32_t wm_session_choose_sm(const struct wm_session *session, const struct wm_launch_state *run)
{
    const struct wm_residency *residency = run->residency;
    uint32_t sms = run->sm->count, most = 0;
    if (!run->shares_sms)
        return session->block_dispatch->place(residency->dispatch_state, residency->room, sms);
    for (uint32_t i = 0; i < sms; i++)
        most = residency->room[i] > most ? residency->room[i] : most;
    for (uint32_t i = 0; i < sms; i++)
        residency->most_free[i] = residency->room[i] == most ? most : 0;
    return session->block_dispatch->place(residency->dispatch_state, residency->most_free, sms);
}

uint64_t wm_session_take_block(const struct wm_session *session, struct wm_launch_state *run,
                               uint32_t sm)
{
    uint64_t block = session->block_dispatch->take(run->residency->dispatch_state, sm);
    assert(block < run->block_count);
    run->given_blocks++;
    if (run->block_sms != NULL)
        run->block_sms[block] = (uint16_t)sm;
    return block;
}

void wm_session_add_block(const struct wm_launch_state *run, uint32_t sm)
{
    run->residency->room[sm]--;
    if (run->use != NULL)
        wm_occupancy_take(run->sm, &run->needs, &run->use[sm]);
}

void wm_session_remove_block(const struct wm_launch_state *run, uint32_t sm)
{
    run->residency->room[sm]++;
    if (run->use != NULL)
        wm_occupancy_leave(run->sm, &run->needs, &run->use[sm]);
}
