#include "sm/warp_order/warp_order.h"

static const struct wm_warp_order_ops *const orders[] = {
    [WM_WARP_ORDER_ROUND_ROBIN] = &wm_warp_order_round_robin,
    [WM_WARP_ORDER_GREEDY_THEN_OLDEST] = &wm_warp_order_greedy_then_oldest,
    [WM_WARP_ORDER_OLDEST] = &wm_warp_order_oldest,
    [WM_WARP_ORDER_TWO_LEVEL] = &wm_warp_order_two_level,
};

const struct wm_warp_order_ops *const *wm_warp_order_table(size_t *count)
{
    *count = sizeof orders / sizeof orders[0];
    return orders;
}

const struct wm_warp_order_ops *wm_warp_order_find(enum wm_warp_order order)
{
    return orders[order];
}

void wm_warp_order_reset(const struct wm_sm_spec *spec, uint32_t schedulers, void *state,
                         uint32_t slots)
{
    const struct wm_warp_order_ops *order = wm_warp_order_find(spec->warp_order);
    order->reset(state, slots);
    if (order->limit != NULL)
        order->limit(state, spec->active_warps * schedulers);
}
