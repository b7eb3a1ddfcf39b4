// The mbarriers of a recorded block and the barrier of its cluster. Which phase a wait waits for is
// a number that only grows, so that no order of warps can miss it.
#include "engine/replay/recorded_block.h"

static void look_again(struct wm_recorded_block *block)
{
    block->public.ready |= block->at_phases;
    block->at_phases = 0;
}

void wm_recorded_release_phase_waits(struct wm_recorded_block *block)
{
    if (block->public.ready != 0 || block->at_phases == 0)
        return;
    block->let_go |= block->at_phases;
    look_again(block);
}

bool wm_recorded_waits_for_phase(struct wm_recorded_block *block, uint32_t index)
{
    const struct wm_trace_item *item = block->warps[index].item;
    uint64_t bit = UINT64_C(1) << index;
    block->at_phases &= ~bit;
    if (wm_trace_phase_operation(item->barrier) != WM_PHASE_TEST_PASSED ||
        (block->let_go & bit) != 0 ||
        wm_mbarrier_table_ended(&block->phases, wm_trace_phase_object(item->barrier)) >=
            item->threads)
        return false;
    block->at_phases |= bit;
    block->public.ready &= ~bit;
    wm_recorded_release_phase_waits(block);
    return true;
}

// Lanes of one instruction are in one event of it at most: so they are few.
static bool is_group(struct wm_recorded_block *block, uint32_t index,
                     const struct wm_trace_item *item)
{
    struct wm_recorded_warp_barriers *rest = &block->warp_barriers[index];
    block->warps[index].barriers |= UINT32_C(1) << WM_CLUSTER_NUMBER; // of it `rest` is not empty
    if (item->count != 0)
        rest->grouped = 0;
    else if (item->lanes == 0 || (item->lanes & rest->grouped) != 0)
        return false;
    rest->grouped |= item->lanes;
    return true;
}

bool wm_recorded_phase(struct wm_recorded_work *recorded, struct wm_recorded_block *block,
                       uint32_t index, bool *waits)
{
    const struct wm_trace_item *item = block->warps[index].item;
    uint32_t pc = item->first_pc + (item->count != 0 ? item->count - 1 : 0);
    enum wm_phase_operation operation = wm_trace_phase_operation(item->barrier);
    if (!wm_recorded_make_warp_barriers(recorded, block))
        return false;
    if (!recorded->code->instructions[pc].keeps_waits || !is_group(block, index, item)) {
        wm_recorded_stop(recorded, block, index, "an mbarrier's event breaks the format");
        return false;
    }
    if (wm_trace_phase_of_cluster(operation)) {
        *waits = wm_recorded_cluster(block, index, item->lanes, operation);
        return true;
    }
    if (operation == WM_PHASE_TEST_PASSED) {
        block->let_go &= ~(UINT64_C(1) << index);
        return true;
    }
    struct wm_mbarrier_phases *object =
        wm_mbarrier_table_get(&block->phases, wm_trace_phase_object(item->barrier));
    if (object == NULL)
        return wm_recorded_out_of_memory(recorded, block, "a recorded block's mbarriers");
    if (wm_mbarrier_phases_operate(object, operation, item->threads, wm_count_lanes(item->lanes)))
        look_again(block);
    return true;
}
