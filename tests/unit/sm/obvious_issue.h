// Warps that issue, cycle after cycle, written for the eye: the issue core is held to it.
#ifndef WM_TESTS_OBVIOUS_ISSUE_H
#define WM_TESTS_OBVIOUS_ISSUE_H

#include "sm/issue/issue_core.h"

enum { ISSUE_SLOTS = 24, ISSUE_REGISTERS = 12, ISSUE_KINDS = 32, ISSUE_LENGTH = 60 };
enum { ISSUE_OPERANDS = 10 }; // most registers of one instruction

// Straight-line programs over one table of instructions, a warp in each slot from cycle 0 on.
struct issue_program {
    struct wm_sm_spec spec;
    struct wm_issue_facts facts[ISSUE_KINDS];
    uint16_t registers[ISSUE_KINDS * ISSUE_OPERANDS];
    struct wm_issue_table table;
    uint32_t warps;
    uint32_t pcs[ISSUE_SLOTS][ISSUE_LENGTH];
    uint64_t memory_cycles[ISSUE_SLOTS][ISSUE_LENGTH];     // of its memory instructions
    uint64_t held_from[ISSUE_SLOTS], held_to[ISSUE_SLOTS]; // in these cycles it may not load
};

// What came of it.
struct issue_trace {
    uint64_t cycle[ISSUE_SLOTS][ISSUE_LENGTH]; // in which each was issued
    uint64_t end;
    uint64_t looked; // cycles in which a scheduler looked
    uint64_t held;   // cycles in which warps waited for nothing else, over all warps
    struct wm_issue_counters counters;
};

// By looking in every cycle at which warps can issue.
void obvious_issue(const struct issue_program *program, struct issue_trace *trace);

#endif
