// Blocks and their warps on an SM: they begin in its slots, wait for each other, go on and leave.
#include "engine/clock/clock_state.h"

#include "sm/issue/issue_core_cycle.h"

void wm_clock_sm_stop_warp(struct wm_clock_sm *sm, uint32_t slot, uint64_t cycle)
{
    struct wm_clock_warp_slot at = sm->slots[slot];
    struct wm_clock_block_slot *place = &sm->places[at.place];
    if ((place->block->finished >> at.warp & 1) == 0) {
        place->waiting++;
        sm->waiting++;
        wm_issue_core_wait_at_barrier(&sm->core, slot, cycle);
        return;
    }
    wm_issue_core_finish(&sm->core, slot, cycle);
    if (sm->throttle != NULL)
        wm_clock_throttle_finish(sm, slot);
    sm->resident_warps--;
    if (place->block->finished == place->run->all_warps && !place->finished) {
        place->finished = true;
        sm->finished_blocks += place->accesses == 0;
    }
}

void wm_clock_sm_continue(struct wm_clock_sm *sm, uint32_t slot, uint32_t pc, uint64_t cycle)
{
    if (wm_clock_has_code(sm, slot, pc, cycle))
        wm_issue_core_set_next(&sm->core, slot, pc, cycle);
}

// What a warp that begins, or has waited, does next, in `cycle` at the earliest.
static void begin_warp(struct wm_clock_sm *sm, uint32_t slot, uint64_t cycle)
{
    struct wm_clock_warp_slot at = sm->slots[slot];
    const struct wm_clock_block_slot *place = &sm->places[at.place];
    struct wm_work *work = place->run->work;
    uint32_t pc = 0;
    if (work->ops->next_pc(work, place->block, at.warp, &pc))
        wm_clock_sm_continue(sm, slot, place->base + pc, cycle);
    else
        wm_clock_sm_stop_warp(sm, slot, cycle);
}

// Places of one size have their warps where their numbers say; else a block takes the first slots
// that follow each other and are free. Those of a launch whose blocks may leave and come back begin
// at multiples of their warps: so no two of its blocks keep a third from coming back between them.
static uint32_t find_slots(const struct wm_clock_sm *sm, const struct wm_launch_state *run)
{
    uint32_t first = 0, places = sm->clock->place_count, warps = run->warps_per_block;
    uint32_t step = run->begun != NULL ? warps : 1;
    for (uint32_t i = 0; i < places; i++) {
        const struct wm_clock_block_slot *place = &sm->places[i];
        if (place->block == NULL || place->first >= first + warps ||
            place->first + place->run->warps_per_block <= first)
            continue;
        first = (place->first + place->run->warps_per_block + step - 1) / step * step;
        i = UINT32_MAX; // from the first place again
    }
    return first;
}

static bool has_own_slots(const struct wm_clock_sm *sm)
{
    return sm->slots != sm->clock->slots;
}

bool wm_clock_sm_has_slots(const struct wm_clock_sm *sm, const struct wm_launch_state *run)
{
    return !has_own_slots(sm) || find_slots(sm, run) + run->warps_per_block <= sm->core.slots;
}

static uint32_t take_slots(struct wm_clock_sm *sm, uint32_t index,
                           const struct wm_launch_state *run)
{
    uint32_t warps = run->warps_per_block;
    if (!has_own_slots(sm))
        return index * warps;
    uint32_t first = find_slots(sm, run);
    for (uint32_t warp = 0; warp < warps; warp++)
        sm->own_slots[first + warp] =
            (struct wm_clock_warp_slot){.place = (uint16_t)index, .warp = (uint16_t)warp};
    return first;
}

void wm_clock_sm_start(struct wm_clock_sm *sm, uint32_t index,
                       const struct wm_clock_launch *running, struct wm_block *block,
                       uint64_t cycle)
{
    if (sm->cpu != NULL) {
        wm_clock_core_start(sm, running, block, cycle);
        return;
    }
    struct wm_launch_state *run = running->run;
    uint64_t begin = cycle + sm->clock->machine->sm.block_latency;
    uint32_t warps = run->warps_per_block, first = take_slots(sm, index, run);
    sm->places[index] =
        (struct wm_clock_block_slot){.block = block,
                                     .run = run,
                                     .index = block->index,
                                     .first = (uint16_t)first,
                                     .segment = running->segment,
                                     .base = sm->clock->segments[running->segment].base};
    sm->resident_warps += warps;
    for (uint32_t warp = 0; sm->blocks != NULL && warp < warps; warp++)
        sm->blocks[first + warp] = run->first_block + block->index;
    for (uint32_t warp = 0; warp < warps; warp++)
        wm_issue_core_join(&sm->core, first + warp, cycle);
    for (uint32_t warp = 0; warp < warps; warp++)
        wm_clock_code_join(sm, first + warp, cycle);
    for (uint32_t warp = 0; sm->throttle != NULL && warp < warps; warp++)
        wm_clock_throttle_join(sm, first + warp, cycle);
    for (uint32_t warp = 0; warp < warps; warp++)
        begin_warp(sm, first + warp, begin);
    wm_clock_sm_expect(sm, wm_clock_floor(&sm->to_network, cycle));
}

void wm_clock_sm_release_waiting(struct wm_clock_sm *sm, uint32_t first,
                                 struct wm_clock_block_slot *place, uint64_t cycle)
{
    uint32_t latency = sm->clock->machine->sm.barrier_latency;
    for (uint32_t warp = 0; warp < place->run->warps_per_block; warp++)
        if (sm->core.warps[first + warp].wait == WM_WAIT_BARRIER &&
            (place->block->ready >> warp & 1) != 0) {
            place->waiting--;
            sm->waiting--;
            begin_warp(sm, first + warp, cycle + latency);
        }
}

void wm_clock_sm_resume_warps(struct wm_clock_sm *sm, uint32_t index, uint64_t cycle)
{
    wm_clock_sm_release_waiting(sm, sm->places[index].first, &sm->places[index], cycle);
    wm_clock_sm_expect(sm, wm_clock_floor(&sm->to_network, cycle));
}

void wm_clock_sm_leave(struct wm_clock_sm *sm, uint32_t index, uint64_t cycle)
{
    struct wm_clock_block_slot *place = &sm->places[index];
    for (uint32_t warp = 0; warp < place->run->warps_per_block; warp++) {
        uint32_t slot = place->first + warp;
        if ((place->block->finished >> warp & 1) == 0) {
            wm_issue_core_finish(&sm->core, slot, cycle);
            if (sm->throttle != NULL)
                wm_clock_throttle_finish(sm, slot);
            sm->resident_warps--;
        }
        wm_issue_core_leave(&sm->core, slot);
    }
    sm->waiting -= place->waiting;
    *place = (struct wm_clock_block_slot){0};
}
