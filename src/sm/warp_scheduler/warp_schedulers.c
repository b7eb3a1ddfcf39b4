#include "sm/warp_scheduler/warp_scheduler.h"

#define ENTRY(entry) &wm_warp_scheduler_##entry,
static const struct wm_warp_scheduler_ops *const table[] = {WM_WARP_SCHEDULERS(ENTRY)};

const struct wm_warp_scheduler_ops *const *wm_warp_scheduler_table(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}

void wm_warp_scheduler_reset(const struct wm_sm_spec *spec, uint32_t schedulers, void *state,
                             uint32_t slots)
{
    spec->warp_scheduler->reset(state, slots);
    if (spec->warp_scheduler->limit != NULL)
        spec->warp_scheduler->limit(state, spec->active_warps * schedulers);
}
