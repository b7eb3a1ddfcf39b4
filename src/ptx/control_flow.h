// Control-flow graph of one function, with dominators from the exit: where diverged lanes
// reconverge.
#ifndef WM_PTX_CONTROL_FLOW_H
#define WM_PTX_CONTROL_FLOW_H

#include "ptx/ptx.h"

enum { WM_PTX_NO_BLOCK = UINT32_MAX };

// A basic block: instructions [first, end) of the compacted list below.
struct wm_ptx_block {
    uint32_t first, end;
    uint32_t successors[2];      // fall-through first; WM_PTX_NO_BLOCK where absent
    uint32_t *branch_successors; // brx.idx: targets by index (NO_BLOCK: the end), else NULL
    uint32_t branch_successor_count;
    uint32_t *predecessors;
    uint32_t predecessor_count;
    uint32_t post_dominator; // immediate; WM_PTX_NO_BLOCK is the exit
    // Where lanes that diverge here reconverge: the immediate post-dominator of the paths that
    // continue to the function's end. Lanes that leave by exit, trap or a guarded ret reconverge
    // with none, so they do not keep the others apart. WM_PTX_NO_BLOCK: nowhere before the end.
    uint32_t reconvergence;
    bool reachable;
};

struct wm_ptx_control_flow {
    struct wm_arena arena;                  // owns everything below
    const struct wm_ptx_function *function; // borrowed
    // The instructions alone, in order, with what the statements around them said:
    const struct wm_ptx_instruction **instructions;
    uint32_t *statements;           // index in function->statements
    const struct wm_ptx_loc **locs; // the .loc in force, or NULL
    uint32_t instruction_count;
    uint32_t
        *label_targets; // by label: the instruction it stands before (instruction_count at the end)
    struct wm_ptx_block *blocks; // in source order; block 0 is the entry. None without instructions
    uint32_t block_count;
    uint32_t *block_of; // by instruction
};

// Builds the graph. `exit`, `ret` and `trap` end a path when unguarded, and both end and fall
// through when guarded. A function that falls off its end returns there. An endless loop has no
// path to the exit: its blocks' post-dominator is the exit (WM_PTX_NO_BLOCK).
enum wm_status wm_ptx_control_flow_build(const struct wm_ptx_function *function,
                                         struct wm_ptx_control_flow **flow, struct wm_error *error);
void wm_ptx_control_flow_free(struct wm_ptx_control_flow *flow);

// All successors of a block by one index: fall-through, branch target, then brx.idx targets. Absent
// ones are WM_PTX_NO_BLOCK, and one may occur more than once.
uint32_t wm_ptx_block_successor_count(const struct wm_ptx_block *block);
uint32_t wm_ptx_block_successor(const struct wm_ptx_block *block, uint32_t index);
// Whether a path may end in the block: by ret, exit or trap, or off the end of the function.
bool wm_ptx_block_exits(const struct wm_ptx_control_flow *flow, const struct wm_ptx_block *block);

#endif
