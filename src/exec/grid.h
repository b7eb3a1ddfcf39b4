// What the interpreter needs of a launch beyond exec.h (private to exec/).
#ifndef WM_EXEC_GRID_H
#define WM_EXEC_GRID_H

#include "exec/interpreter.h"

// Forgets where memory was found when an allocation has come or gone since.
void wm_grid_refresh(struct wm_grid *grid);

// Offsets of the vectors in a block's WM_BASE_BLOCK area and a warp's WM_BASE_WARP area, in units
// of one vector of 32-bit lanes.
enum wm_block_vector {
    WM_VECTOR_NTID_X,
    WM_VECTOR_NTID_Y,
    WM_VECTOR_NTID_Z,
    WM_VECTOR_NCTAID_X,
    WM_VECTOR_NCTAID_Y,
    WM_VECTOR_NCTAID_Z,
    WM_VECTOR_NWARPID,
    WM_VECTOR_NSMID,
    WM_VECTOR_DYNAMIC_SHARED,
    WM_VECTOR_TOTAL_SHARED,
    WM_VECTOR_AGGREGATE_SHARED, // with what is reserved
    WM_VECTOR_RESERVED_SHARED,  // where that begins, its second part begins, and it ends
    WM_VECTOR_RESERVED_SECOND,
    WM_VECTOR_RESERVED_END,
    WM_VECTOR_ENVREG1,
    WM_VECTOR_ENVREG2,
    WM_VECTOR_GRAPH_LOW, // the halves of %current_graph_exec
    WM_VECTOR_GRAPH_HIGH,
    WM_VECTOR_CTAID_X,
    WM_VECTOR_CTAID_Y,
    WM_VECTOR_CTAID_Z,
    WM_VECTOR_SMID,
    WM_BLOCK_VECTORS,
};

enum wm_warp_vector {
    WM_VECTOR_TID_X,
    WM_VECTOR_TID_Y,
    WM_VECTOR_TID_Z,
    WM_VECTOR_WARPID,
    WM_WARP_VECTORS,
};

#endif
