// How an SM issues estimated machine code (gpu.sm.machine_code): what ptxas folds takes no issue
// slot, and is executed with the instruction of its warp before it; what it expands occupies its
// scheduler for its slots.
#include "engine/clock/warp_steps.h"

// The next instruction of a warp that has just issued takes no slot, and the warp can go past it.
static bool can_pass(const struct wm_clock_sm *sm, const struct wm_issue_warp *warp, uint64_t cycle)
{
    const struct wm_issue_facts *facts = &sm->clock->table.facts[warp->pc];
    return sm->code == NULL && warp->wait == WM_WAIT_RESULT && warp->since == cycle + 1 &&
           facts->is_folded && facts->unit != WM_UNIT_MEMORY && facts->unit != WM_UNIT_CONTROL;
}

// Executes those behind the one that the warp has issued, up to one that takes a slot, or whose
// registers are loaded.
static void pass_folded(struct wm_clock_sm *sm, uint32_t slot, uint64_t cycle, uint64_t earliest)
{
    struct wm_issue_warp *warp = &sm->core.warps[slot];
    struct wm_clock_warp_slot at = sm->slots[slot];
    struct wm_clock_block_slot *place = &sm->places[at.place];
    while (can_pass(sm, warp, cycle)) {
        struct wm_run_result result = {.warp_instructions = 1, .thread_instructions = warp->lanes};
        struct wm_next_step next = {.pc = warp->pc + 1 - place->base,
                                    .plain = (uint8_t)(warp->plain - 1),
                                    .lanes = warp->lanes};
        bool goes_on = true;
        wm_clock_charge(sm, place->segment);
        if (warp->plain == 0) {
            result = (struct wm_run_result){0};
            next = (struct wm_next_step){0};
            goes_on = wm_clock_run_warp(sm, place, at.warp, &result, &next);
        }
        wm_clock_count_executed(sm, result.warp_instructions, result.thread_instructions);
        sm->front_end.machine_code->folded_instructions++;
        if (!goes_on) {
            wm_issue_core_leave_wheel(&sm->core, slot);
            wm_clock_sm_stop_warp(sm, slot, cycle + 1);
            return;
        }
        warp->plain = next.plain;
        warp->lanes = next.lanes;
        wm_issue_core_pass(&sm->core, slot, place->base + next.pc, earliest);
    }
}

void wm_clock_sm_issue_estimated(struct wm_clock_sm *sm, uint32_t scheduler, uint64_t allowed,
                                 uint64_t cycle)
{
    struct wm_machine_code_counters *counters = sm->front_end.machine_code;
    uint32_t left = sm->issue_width;
    do {
        int32_t slot = wm_issue_core_choose(&sm->core, scheduler, allowed);
        if (slot == WM_NO_WARP)
            return;
        uint32_t pc = sm->core.warps[slot].pc, slots = sm->clock->table.facts[pc].slots;
        uint64_t earliest = cycle + sm->core.steps[pc].gap;
        if (sm->core.warps[slot].plain != 0)
            wm_clock_pass_plain(sm, (uint32_t)slot, cycle);
        else
            wm_clock_execute(sm, (uint32_t)slot, cycle);
        counters->machine_instructions += slots;
        counters->folded_instructions += slots == 0;
        pass_folded(sm, (uint32_t)slot, cycle, earliest);
        if (slots > left) {
            uint32_t cycles = (slots + sm->issue_width - 1) / sm->issue_width;
            wm_issue_core_occupy(&sm->core, scheduler, cycle + cycles);
            return;
        }
        left -= slots;
    } while (left != 0 && (allowed = wm_issue_core_allowed(&sm->core, scheduler, cycle)) != 0);
}
