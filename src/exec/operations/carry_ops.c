// Arithmetic with carry: see carry_ops.h.
#include "exec/operations/carry_ops.h"

const struct wm_op *wm_run_carry(struct wm_warp *warp, const struct wm_op *op)
{
    char *d = wm_at(warp, op->d), *a = wm_at(warp, op->a), *b = wm_at(warp, op->b);
    // A predicate's halves are the carries of 32 lanes each, the lower ones first.
    uint32_t *carry = wm_at(warp, op->extra);
    uint32_t low = (uint32_t)warp->mask, high = (uint32_t)(warp->mask >> 32);
    if (low)
        op->lane(&(struct wm_lane_sum){d, carry}, a, b, NULL, low);
    if (high)
        op->lane(&(struct wm_lane_sum){d + op->step_d, carry + 1}, a + op->step_a, b + op->step_b,
                 NULL, high);
    return op + 1;
}
