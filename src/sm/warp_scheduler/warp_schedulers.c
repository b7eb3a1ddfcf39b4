#include "sm/warp_scheduler/warp_scheduler.h"

static const struct wm_warp_scheduler_ops *const orders[] = {
    [WM_WARP_SCHEDULER_ROUND_ROBIN] = &wm_warp_scheduler_round_robin,
    [WM_WARP_SCHEDULER_GREEDY_THEN_OLDEST] = &wm_warp_scheduler_greedy_then_oldest,
    [WM_WARP_SCHEDULER_OLDEST] = &wm_warp_scheduler_oldest,
    [WM_WARP_SCHEDULER_TWO_LEVEL] = &wm_warp_scheduler_two_level,
};

const struct wm_warp_scheduler_ops *const *wm_warp_scheduler_table(size_t *count)
{
    *count = sizeof orders / sizeof orders[0];
    return orders;
}

const struct wm_warp_scheduler_ops *wm_warp_scheduler_find(enum wm_warp_scheduler order)
{
    return orders[order];
}

void wm_warp_scheduler_reset(const struct wm_sm_spec *spec, uint32_t schedulers, void *state,
                             uint32_t slots)
{
    const struct wm_warp_scheduler_ops *order = wm_warp_scheduler_find(spec->warp_scheduler);
    order->reset(state, slots);
    if (order->limit != NULL)
        order->limit(state, spec->active_warps * schedulers);
}
