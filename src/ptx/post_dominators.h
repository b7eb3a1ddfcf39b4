// Internal to src/ptx: immediate post-dominators of a control-flow graph.
#ifndef WM_PTX_POST_DOMINATORS_H
#define WM_PTX_POST_DOMINATORS_H

#include "ptx/control_flow.h"

// Sets post_dominator and reconvergence of every block. False when out of memory.
bool wm_ptx_find_post_dominators(struct wm_ptx_control_flow *flow);

#endif
