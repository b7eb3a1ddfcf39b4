#include "one_scheduler.h"

#include "sm/warp_scheduler/warp_scheduler.h"

#include <criterion/criterion.h>
#include <stdlib.h>

void one_scheduler_begin(struct one_scheduler *sm, uint32_t warps)
{
    struct wm_error error;
    sm->spec = (struct wm_sm_spec){.max_warps = warps,
                                   .schedulers = 1,
                                   .issue_width = 1,
                                   .warp_width = 32,
                                   .machine_code = WM_MACHINE_CODE_ESTIMATED,
                                   .warp_scheduler = &wm_warp_scheduler_oldest};
    for (int unit = 0; unit < WM_UNITS; unit++)
        sm->spec.units[unit] = (struct wm_unit_spec){.interval = 1, .latency = RESULT_LATENCY};
    sm->spec.units[WM_UNIT_CONTROL].latency = 1;
    cr_assert_eq(wm_issue_steps_find(&sm->table, &sm->spec, &error), WM_OK);
    cr_assert_eq(wm_issue_core_init(&sm->core, &sm->spec, &error), WM_OK);
    cr_assert_eq(wm_issue_core_launch(&sm->core, &sm->table, 0, &error), WM_OK);
    for (uint32_t slot = 0; slot < warps; slot++) {
        wm_issue_core_join(&sm->core, slot, 0);
        wm_issue_core_set_next(&sm->core, slot, 0, 0);
    }
}

void one_scheduler_end(struct one_scheduler *sm)
{
    wm_issue_core_release(&sm->core);
    free(sm->table.steps);
}

bool one_scheduler_can_issue(struct one_scheduler *sm, uint32_t slot, uint64_t cycle)
{
    wm_issue_core_ready(&sm->core, cycle);
    return (wm_issue_core_allowed(&sm->core, 0, cycle) >> slot & 1) != 0;
}
