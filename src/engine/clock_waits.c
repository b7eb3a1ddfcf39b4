// Blocks that wait for what they launched, in time (walk_waits.c says by which rules): with their
// room they leave the SM's warp slots, when no access of theirs is under way any more.
#include "engine/clock_parts.h"

static uint64_t cycle_of(const struct wm_clock *clock)
{
    return wm_clock_convert(&clock->from_network, clock->now);
}

static void leave(struct wm_clock *clock, struct wm_walk_run *run, struct wm_clock_sm *sm,
                  uint32_t place)
{
    run->away[run->away_count++] =
        (struct wm_walk_away){.block = sm->places[place].block, .sm = sm->index};
    wm_clock_timeline_finish(clock, sm->index, place);
    wm_clock_sm_leave(sm, place, cycle_of(clock));
    wm_walk_leave_room(clock->walk, run, sm->index);
}

void wm_clock_waits_leave(struct wm_clock *clock, struct wm_walk_run *run)
{
    for (uint32_t i = 0; run->begun != NULL && i < clock->sm_count; i++) {
        struct wm_clock_sm *sm = &clock->sms[i];
        if (run->begun[i] == 0 || sm->waiting == 0)
            continue;
        for (uint32_t p = 0; p < clock->place_count; p++) {
            const struct wm_clock_place *place = &sm->places[p];
            if (place->block != NULL && place->run == run && place->accesses == 0 &&
                wm_walk_must_wait(place->block))
                leave(clock, run, sm, p);
        }
    }
}

static bool has_room(const struct wm_clock *clock, const struct wm_walk_run *run, uint32_t sm)
{
    const struct wm_walk *walk = clock->walk;
    return wm_occupancy_room(&clock->machine->sm, &run->needs, walk->shared_bytes, &run->use[sm]) !=
               0 &&
           wm_clock_sm_has_slots(&clock->sms[sm], run);
}

void wm_clock_waits_return(struct wm_clock *clock, const struct wm_clock_lane *lane)
{
    struct wm_walk_run *run = lane->run;
    uint32_t kept = 0, count = run->away_count;
    for (uint32_t i = 0; i < count; i++) {
        struct wm_walk_away away = run->away[i];
        struct wm_clock_sm *sm = &clock->sms[away.sm];
        if (away.block->ready == 0 || !has_room(clock, run, away.sm)) {
            run->away[kept++] = away;
            continue;
        }
        uint32_t place = 0;
        while (sm->places[place].block != NULL)
            place++;
        wm_walk_take_room(clock->walk, run, away.sm);
        wm_clock_timeline_start(clock, lane, away.sm, place, away.block->index);
        wm_clock_sm_start(sm, place, lane, away.block, cycle_of(clock));
    }
    run->away_count = kept;
}

static bool has_slot(const struct wm_clock_sm *sm, const struct wm_walk_run *run, uint32_t slot)
{
    for (uint32_t i = 0; i < sm->clock->place_count; i++)
        if (sm->places[i].block != NULL && sm->places[i].run == run &&
            sm->places[i].block->slot == slot)
            return true;
    for (uint32_t i = 0; i < run->away_count; i++)
        if (run->away[i].sm == sm->index && run->away[i].block->slot == slot)
            return true;
    return false;
}

uint32_t wm_clock_waits_slot(const struct wm_clock_sm *sm, const struct wm_walk_run *run,
                             uint32_t place)
{
    uint32_t slot = place;
    if (run->begun == NULL || !has_slot(sm, run, place))
        return place;
    for (slot = 0; has_slot(sm, run, slot);)
        slot++;
    return slot;
}

bool wm_clock_waits_only(const struct wm_clock *clock, const struct wm_walk_run *run)
{
    uint64_t begun = 0;
    for (uint32_t i = 0; run->begun != NULL && i < clock->sm_count; i++)
        begun += run->begun[i];
    return run->away_count != 0 && begun == run->away_count;
}

void wm_clock_children_ended(struct wm_clock *clock, const struct wm_walk_run *run, uint64_t block)
{
    for (uint32_t i = 0; run->begun != NULL && i < clock->sm_count; i++)
        for (uint32_t p = 0; run->begun[i] != 0 && p < clock->place_count; p++) {
            const struct wm_clock_place *place = &clock->sms[i].places[p];
            if (place->block != NULL && place->run == run && place->index == block &&
                place->waiting != 0)
                wm_clock_sm_go_on(&clock->sms[i], p, cycle_of(clock));
        }
}
