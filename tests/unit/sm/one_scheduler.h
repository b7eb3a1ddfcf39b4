// An SM of one scheduler that issues estimated machine code: its units take an instruction a cycle
// and have the result after RESULT_LATENCY, a branch's warp issues again in the next.
#ifndef WM_TESTS_ONE_SCHEDULER_H
#define WM_TESTS_ONE_SCHEDULER_H

#include "sm/issue/issue_core_cycle.h"

enum { RESULT_LATENCY = 4 };

struct one_scheduler {
    struct wm_issue_table table; // the caller's instructions
    struct wm_sm_spec spec;
    struct wm_issue_core core;
};

// All warps are at the first instruction of sm->table.
void one_scheduler_begin(struct one_scheduler *sm, uint32_t warps);
void one_scheduler_end(struct one_scheduler *sm);
bool one_scheduler_can_issue(struct one_scheduler *sm, uint32_t slot, uint64_t cycle);

#endif
