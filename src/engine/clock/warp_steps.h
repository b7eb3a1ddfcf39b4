// What a warp does when it is issued, to be inlined where an SM's cycles run: its instruction is
// executed, and its requests go to the load/store unit. Private to engine/clock/.
#ifndef WM_ENGINE_CLOCK_WARP_STEPS_H
#define WM_ENGINE_CLOCK_WARP_STEPS_H

#include "engine/access/access_pattern.h"
#include "engine/clock/clock_state.h"
#include "sm/issue/issue_core_cycle.h"

// One instruction of a warp, and what follows it.
static inline bool wm_clock_run_warp(struct wm_clock_sm *sm,
                                     const struct wm_clock_block_slot *place, uint32_t warp,
                                     struct wm_run_result *result, struct wm_next_step *next)
{
    struct wm_work *work = place->run->work;
    struct wm_block *block = place->block;
    if (work->ops->step != NULL)
        return work->ops->step(work, block, warp, &sm->sink, result, next);
    // The interpreter has steps of its own that are no instructions.
    do
        work->ops->run(work, block, warp, 1, WM_RUN_INSTRUCTIONS, &sm->sink, result);
    while (result->warp_instructions == 0 && (block->ready >> warp & 1) != 0 &&
           work->ops->fault(work, NULL) == WM_OK);
    return work->ops->next_pc(work, block, warp, &next->pc);
}

static inline void wm_clock_count_executed(struct wm_clock_sm *sm, uint64_t warp_instructions,
                                           uint64_t thread_instructions)
{
    sm->front_end.counters->warp_instructions += warp_instructions;
    sm->front_end.counters->thread_instructions += thread_instructions;
}

// Few warps stay in the host's caches by themselves.
enum { WM_CLOCK_MANY_WARPS = 24 };

// Prefetches what the warp's next step reads, where expect_next has not.
static inline void wm_clock_expect_step(const struct wm_clock_sm *sm,
                                        const struct wm_clock_block_slot *place, uint32_t warp)
{
    const struct wm_work_ops *ops = place->run->work->ops;
    if (sm->resident_warps < WM_CLOCK_MANY_WARPS && ops->expect != NULL)
        ops->expect(place->block, warp, false);
}

// Whether the instruction, which has been executed, may let warps of its block continue that wait.
static inline bool wm_clock_may_release(const struct wm_clock_sm *sm,
                                        const struct wm_clock_block_slot *place, uint32_t pc)
{
    return place->waiting != 0 &&
           (sm->clock->table.facts[pc].is_barrier || place->block->finished != 0);
}

// The instruction at `pc` issues: a fence that acquires, for which the warp has waited until what
// it accessed was done. An access acquires when it is done (load_store_completions.c).
static inline void wm_clock_pass_fence(struct wm_clock_sm *sm, uint32_t pc, bool pending)
{
    if (__builtin_expect(sm->scoped, false) && sm->clock->table.facts[pc].acquires && !pending)
        wm_timed_level_self_invalidate(sm->timed.l1);
}

// The warp's next instruction, which has been executed.
static inline void wm_clock_pass_plain(struct wm_clock_sm *sm, uint32_t slot, uint64_t cycle)
{
    struct wm_issue_warp *warp = &sm->core.warps[slot];
    uint32_t pc = warp->pc, gap = sm->core.steps[pc].gap;
    uint8_t lanes = warp->lanes;
    bool last = --warp->plain == 0;
    if (__builtin_expect(sm->clock->several, false))
        wm_clock_charge(sm, sm->places[sm->slots[slot].place].segment);
    wm_clock_count_executed(sm, 1, lanes);
    wm_clock_pass_fence(sm, pc, false);
    if (wm_clock_has_code(sm, slot, pc + 1, cycle + gap))
        wm_issue_core_issue_next(&sm->core, slot, cycle, false, pc + 1, cycle + gap);
    else
        wm_issue_core_issue(&sm->core, slot, cycle, false);
    if (!last && sm->waiting == 0) // most often
        return;
    struct wm_clock_warp_slot at = sm->slots[slot];
    struct wm_clock_block_slot *place = &sm->places[at.place];
    if (last)
        wm_clock_expect_step(sm, place, at.warp);
    if (wm_clock_may_release(sm, place, pc))
        wm_clock_sm_release_waiting(sm, slot - at.warp, place, cycle);
}

// Executes the warp's next instruction; its requests go to the load/store unit.
static inline void wm_clock_execute(struct wm_clock_sm *sm, uint32_t slot, uint64_t cycle)
{
    struct wm_issue_warp *warp = &sm->core.warps[slot];
    struct wm_clock_warp_slot at = sm->slots[slot];
    struct wm_clock_block_slot *place = &sm->places[at.place];
    struct wm_block *block = place->block;
    uint32_t pc = warp->pc;
    struct wm_load_store_entry *entry = NULL;
    uint64_t ready = block->ready;
    struct wm_run_result result = {0};
    struct wm_next_step next = {0};
    wm_clock_charge(sm, place->segment);
    if (warp->unit == WM_STEP_MEMORY) {
        if (__builtin_expect(place->base != sm->base, false))
            wm_clock_sm_trace_for(sm, place->segment);
        entry = wm_load_store_open(sm);
        sm->front_end.warp = slot;
        if (__builtin_expect(sm->blocks != NULL, false)) {
            sm->front_end.block = sm->blocks[slot];
            wm_access_patterns_launch(sm->patterns, place->run->first_block);
        }
        sm->front_end.resident_warps = sm->front_end.counts_residents ? sm->resident_warps : 0;
    }
    bool goes_on = wm_clock_run_warp(sm, place, at.warp, &result, &next);
    wm_clock_count_executed(sm, result.warp_instructions, result.thread_instructions);
    bool pending = entry != NULL && wm_load_store_submit(sm, entry, slot, pc, cycle);
    wm_clock_pass_fence(sm, pc, pending);
    uint64_t gap = sm->core.steps[pc].gap, pause = sm->pause;
    sm->pause = 0;
    if (__builtin_expect(pause != 0, false) && goes_on) {
        wm_issue_core_issue(&sm->core, slot, cycle, pending);
        wm_clock_sleep(sm, slot, place->base + next.pc, cycle + pause);
    } else if (goes_on) {
        warp->plain = next.plain;
        warp->lanes = next.lanes;
        if (wm_clock_has_code(sm, slot, place->base + next.pc, cycle + gap))
            wm_issue_core_issue_next(&sm->core, slot, cycle, pending, place->base + next.pc,
                                     cycle + gap);
        else
            wm_issue_core_issue(&sm->core, slot, cycle, pending);
    } else {
        wm_issue_core_issue(&sm->core, slot, cycle, pending);
        wm_clock_sm_stop_warp(sm, slot, cycle + gap);
    }
    if (place->waiting != 0 &&
        ((block->ready & ~ready) != 0 || wm_clock_may_release(sm, place, pc)))
        wm_clock_sm_release_waiting(sm, slot - at.warp, place, cycle);
}

#endif
