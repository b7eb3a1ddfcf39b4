// Internal to src/ptx: immediate post-dominators of a control-flow graph. Private to ptx/.
#ifndef WM_PTX_CONTROL_FLOW_PARTS_H
#define WM_PTX_CONTROL_FLOW_PARTS_H

#include "ptx/control_flow.h"

// Sets post_dominator and reconvergence of every block. False when out of memory.
bool wm_ptx_find_post_dominators(struct wm_ptx_control_flow *flow);

#endif
