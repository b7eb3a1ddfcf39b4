// Blocks that wait for what they launched, in time (walk/suspension.c says by which rules): they
// leave their room and the SM's warp slots, when no access of theirs is under way any more.
#include "engine/clock/clock_state.h"

static uint64_t cycle_of(const struct wm_clock *clock)
{
    return wm_clock_convert(&clock->from_network, clock->now);
}

static void leave(struct wm_clock *clock, struct wm_launch_state *run, struct wm_clock_sm *sm,
                  uint32_t place)
{
    run->suspended[run->suspended_count++] = (struct wm_suspended_block){
        .block = sm->places[place].block, .sm = wm_clock_number_for(sm, run)};
    wm_clock_timeline_finish(clock, sm->index, place);
    wm_clock_sm_leave(sm, place, cycle_of(clock));
    wm_session_remove_block(run, wm_clock_number_for(sm, run));
}

void wm_clock_suspend_blocks(struct wm_clock *clock, struct wm_launch_state *run)
{
    for (uint32_t i = 0; run->begun != NULL && i < run->sm->count; i++) {
        struct wm_clock_sm *sm = &clock->sms[run->first_sm + i];
        if (run->begun[i] == 0 || sm->waiting == 0)
            continue;
        for (uint32_t p = 0; p < clock->place_count; p++) {
            const struct wm_clock_block_slot *place = &sm->places[p];
            if (place->block != NULL && place->run == run && place->accesses == 0 &&
                wm_block_awaits_children(place->block))
                leave(clock, run, sm, p);
        }
    }
}

static bool has_room(const struct wm_clock *clock, const struct wm_launch_state *run, uint32_t sm)
{
    const struct wm_session *session = clock->session;
    return wm_occupancy_free_blocks(&clock->machine->sm, &run->needs,
                                    session->divided[run->work->gpu].shared_bytes,
                                    &run->use[sm]) != 0 &&
           wm_clock_sm_has_slots(&clock->sms[run->first_sm + sm], run);
}

void wm_clock_resume_blocks(struct wm_clock *clock, const struct wm_clock_launch *running)
{
    struct wm_launch_state *run = running->run;
    uint32_t kept = 0, count = run->suspended_count;
    for (uint32_t i = 0; i < count; i++) {
        struct wm_suspended_block suspended = run->suspended[i];
        struct wm_clock_sm *sm = &clock->sms[run->first_sm + suspended.sm];
        if (suspended.block->ready == 0 || !has_room(clock, run, suspended.sm)) {
            run->suspended[kept++] = suspended;
            continue;
        }
        uint32_t place = 0;
        while (sm->places[place].block != NULL)
            place++;
        wm_session_add_block(run, suspended.sm);
        wm_clock_timeline_start(clock, running, sm->index, place, suspended.block->index);
        wm_clock_sm_start(sm, place, running, suspended.block, cycle_of(clock));
    }
    run->suspended_count = kept;
}

static bool has_slot(const struct wm_clock_sm *sm, const struct wm_launch_state *run, uint32_t slot)
{
    for (uint32_t i = 0; i < sm->clock->place_count; i++)
        if (sm->places[i].block != NULL && sm->places[i].run == run &&
            sm->places[i].block->slot == slot)
            return true;
    for (uint32_t i = 0; i < run->suspended_count; i++)
        if (run->suspended[i].sm == wm_clock_number_for(sm, run) &&
            run->suspended[i].block->slot == slot)
            return true;
    return false;
}

uint32_t wm_clock_resident_slot(const struct wm_clock_sm *sm, const struct wm_launch_state *run,
                                uint32_t place)
{
    uint32_t slot = place;
    if (run->begun == NULL || !has_slot(sm, run, place))
        return place;
    for (slot = 0; has_slot(sm, run, slot);)
        slot++;
    return slot;
}

bool wm_clock_all_suspended(const struct wm_launch_state *run)
{
    uint64_t begun = 0;
    for (uint32_t i = 0; run->begun != NULL && i < run->sm->count; i++)
        begun += run->begun[i];
    return run->suspended_count != 0 && begun == run->suspended_count;
}

void wm_clock_children_ended(struct wm_clock *clock, const struct wm_launch_state *run,
                             uint64_t block)
{
    for (uint32_t i = 0; run->begun != NULL && i < run->sm->count; i++)
        for (uint32_t p = 0; run->begun[i] != 0 && p < clock->place_count; p++) {
            struct wm_clock_sm *sm = &clock->sms[run->first_sm + i];
            const struct wm_clock_block_slot *place = &sm->places[p];
            if (place->block != NULL && place->run == run && place->index == block &&
                place->waiting != 0)
                wm_clock_sm_resume_warps(sm, p, cycle_of(clock));
        }
}
