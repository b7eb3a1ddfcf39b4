// Issue slots of estimated machine code: to the cycle, on one scheduler whose integers have a unit
// of interval 1 and latency 4.
#include "one_scheduler.h"

#include <criterion/criterion.h>

// Registers: 0 is computed at pc 0, copied to 1 at pc 1, which is folded, and read at pc 2.
static uint16_t registers[] = {0, 1, 0, 2, 1};
static struct wm_issue_facts facts[] = {
    {.first_register = 0, .destinations = 1, .unit = WM_UNIT_INTEGER, .passes = 1, .slots = 1},
    {.first_register = 1,
     .destinations = 1,
     .sources = 1,
     .unit = WM_UNIT_INTEGER,
     .passes = 1,
     .is_folded = true},
    {.first_register = 3,
     .destinations = 1,
     .sources = 1,
     .unit = WM_UNIT_INTEGER,
     .passes = 1,
     .slots = 1},
    {.unit = WM_UNIT_INTEGER, .passes = 1, .slots = 1},
};

static struct one_scheduler sm;

static void begin(void)
{
    sm.table = (struct wm_issue_table){
        .facts = facts, .registers = registers, .instruction_count = 3, .register_count = 3};
    one_scheduler_begin(&sm, 2);
}

static void end(void)
{
    one_scheduler_end(&sm);
}

static bool can_issue(uint32_t slot, uint64_t cycle)
{
    return one_scheduler_can_issue(&sm, slot, cycle);
}

// The reader of a copy waits as long as that of its source would: 4 cycles.
Test(issue_estimated, a_folded_instruction_takes_no_time, .init = begin, .fini = end)
{
    cr_assert(can_issue(0, 0));
    wm_issue_core_issue_next(&sm.core, 0, 0, false, 1, 1);
    wm_issue_core_pass(&sm.core, 0, 2, 1);
    cr_expect_eq(sm.core.warps[0].pc, 2);
    cr_expect_eq(sm.core.warps[0].wakes, 4);
    for (uint64_t cycle = 1; cycle < 4; cycle++)
        cr_expect_not(can_issue(0, cycle), "in cycle %llu", (unsigned long long)cycle);
    cr_expect(can_issue(0, 4));
    cr_expect_eq(sm.core.counters.issued, 1);
}

// A copy that its warp could not pass is executed in its turn.
Test(issue_estimated, a_folded_instruction_in_its_turn_takes_no_unit, .init = begin, .fini = end)
{
    cr_assert(can_issue(0, 0));
    wm_issue_core_issue_next(&sm.core, 0, 0, false, 1, 1);
    cr_assert(can_issue(0, 4));
    wm_issue_core_issue_next(&sm.core, 0, 4, false, 2, 5);
    cr_expect_eq(sm.core.warps[0].wakes, 5, "its result is there at once");
    cr_expect(can_issue(1, 4), "the unit and the slot are another's");
}

// Five slots: the other warp issues in the sixth cycle.
Test(issue_estimated, slots_occupy_the_scheduler, .init = begin, .fini = end)
{
    cr_assert(can_issue(0, 0));
    wm_issue_core_issue_next(&sm.core, 0, 0, false, 1, 1);
    cr_expect(can_issue(1, 1));
    wm_issue_core_occupy(&sm.core, 0, 5);
    cr_expect_not(can_issue(1, 4));
    cr_expect_eq(wm_issue_core_next(&sm.core, 4), 5);
    cr_expect(can_issue(1, 5));
}
