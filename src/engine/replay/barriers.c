// The barriers of a recorded block, by the rules of the interpreter's (exec/sync/barriers.c): a
// warp that came last when it was recorded may come first now, and waits.
#include "engine/replay/recorded_block.h"

static void open_barrier(struct wm_recorded_block *block, uint32_t number)
{
    struct wm_recorded_barrier *barrier = &block->barriers[number];
    for (uint64_t rest = barrier->warps; rest != 0; rest &= rest - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(rest);
        const struct wm_recorded_warp *warp = &block->warps[index];
        struct wm_recorded_warp_barriers *rest_of = &block->warp_barriers[index];
        rest_of->come[number] = 0;
        if (rest_of->waits[number] != 0 && warp->live != 0)
            block->public.ready |= UINT64_C(1) << index;
        rest_of->waits[number] = 0;
    }
    block->awaited &= ~(UINT32_C(1) << number);
    *barrier = (struct wm_recorded_barrier){0};
}

// Complete when each live thread has arrived; those that wait, or come to wait later, continue.
static void check_cluster(struct wm_recorded_block *block)
{
    for (uint32_t w = 0; w < block->public.warp_count; w++)
        if ((block->warps[w].live & ~block->warp_barriers[w].come[WM_CLUSTER_NUMBER]) != 0)
            return;
    open_barrier(block, WM_CLUSTER_NUMBER);
}

static void check_barrier(struct wm_recorded_block *block, uint32_t number)
{
    const struct wm_recorded_barrier *barrier = &block->barriers[number];
    if (number == WM_CLUSTER_NUMBER) {
        check_cluster(block);
        return;
    }
    if (barrier->waiting == 0)
        return;
    if (barrier->threads == 0) {
        if (barrier->waiting >= block->live_threads)
            open_barrier(block, number);
        return;
    }
    uint32_t come = 0;
    for (uint64_t rest = barrier->warps; rest != 0; rest &= rest - 1) {
        uint32_t index = (uint32_t)__builtin_ctzll(rest);
        const struct wm_recorded_warp *warp = &block->warps[index];
        uint64_t lanes = wm_all_lanes(warp->decoder.lanes);
        come += (uint32_t)__builtin_popcountll(block->warp_barriers[index].come[number] |
                                               (lanes & ~warp->live));
    }
    if (come >= barrier->threads)
        open_barrier(block, number);
}

bool wm_recorded_arrive(struct wm_recorded_block *block, uint32_t index,
                        const struct wm_trace_item *item)
{
    struct wm_recorded_warp *warp = &block->warps[index];
    struct wm_recorded_warp_barriers *rest = &block->warp_barriers[index];
    uint32_t number = item->barrier;
    struct wm_recorded_barrier *barrier = &block->barriers[number];
    block->met |= UINT32_C(1) << number;
    if (item->threads != 0)
        barrier->threads = item->threads;
    warp->barriers |= UINT32_C(1) << number;
    rest->come[number] |= item->lanes;
    barrier->warps |= UINT64_C(1) << index;
    if (item->waits) {
        barrier->waiting += (uint32_t)__builtin_popcountll(item->lanes);
        rest->waits[number] |= item->lanes;
        block->awaited |= UINT32_C(1) << number;
    }
    check_barrier(block, number);
    if (rest->waits[number] == 0 || item->others)
        return false;
    block->public.ready &= ~(UINT64_C(1) << index);
    wm_recorded_release_phase_waits(block);
    return true;
}

bool wm_recorded_cluster(struct wm_recorded_block *block, uint32_t index, uint64_t lanes,
                         enum wm_phase_operation operation)
{
    struct wm_recorded_warp_barriers *rest = &block->warp_barriers[index];
    block->warps[index].barriers |= UINT32_C(1) << WM_CLUSTER_NUMBER;
    if (operation == WM_PHASE_CLUSTER_ARRIVE) {
        rest->come[WM_CLUSTER_NUMBER] |= lanes;
        block->met |= UINT32_C(1) << WM_CLUSTER_NUMBER;
        block->barriers[WM_CLUSTER_NUMBER].warps |= UINT64_C(1) << index;
        block->awaited |= UINT32_C(1) << WM_CLUSTER_NUMBER;
        check_cluster(block);
        return false;
    }
    lanes &= rest->come[WM_CLUSTER_NUMBER];
    rest->waits[WM_CLUSTER_NUMBER] |= lanes;
    if (lanes == 0 || operation == WM_PHASE_CLUSTER_WAIT_OTHERS)
        return false;
    block->public.ready &= ~(UINT64_C(1) << index);
    wm_recorded_release_phase_waits(block);
    return true;
}

void wm_recorded_exit(struct wm_recorded_block *block, uint32_t index, uint64_t lanes)
{
    struct wm_recorded_warp *warp = &block->warps[index];
    lanes &= warp->live;
    warp->live &= ~lanes;
    block->live_threads -= wm_count_lanes(lanes);
    if (warp->live == 0) {
        block->public.finished |= UINT64_C(1) << index;
        block->public.ready &= ~(UINT64_C(1) << index);
    }
    for (uint32_t rest = block->awaited; rest != 0; rest &= rest - 1)
        check_barrier(block, (uint32_t)__builtin_ctz(rest));
    wm_recorded_release_phase_waits(block);
}
