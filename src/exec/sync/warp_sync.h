// Instructions that all named lanes of a warp execute together (private to exec/): shfl, vote,
// match, redux, elect, bar.warp.sync (PTX ISA 9.7.9.6, 9.7.13). A path that comes first waits until
// every lane that its member mask names, and that has not exited, has come to the same instruction
// kind.
#ifndef WM_EXEC_WARP_SYNC_H
#define WM_EXEC_WARP_SYNC_H

#include "exec/interpreter.h"

enum wm_warp_operation {
    WM_WARP_BARRIER,
    WM_WARP_SHFL_UP,
    WM_WARP_SHFL_DOWN,
    WM_WARP_SHFL_BFLY,
    WM_WARP_SHFL_IDX,
    WM_WARP_VOTE_ALL,
    WM_WARP_VOTE_ANY,
    WM_WARP_VOTE_UNI,
    WM_WARP_VOTE_BALLOT,
    WM_WARP_MATCH_ANY,
    WM_WARP_MATCH_ALL,
    WM_WARP_REDUX_ADD,
    WM_WARP_REDUX_MIN,
    WM_WARP_REDUX_MAX,
    WM_WARP_REDUX_AND,
    WM_WARP_REDUX_OR,
    WM_WARP_REDUX_XOR,
    WM_WARP_ELECT,
    WM_WARP_MATRIX, // matrix_ops.h: executed once, when all lanes have come
};

// op->flags is the operation. op->d is the result, op->a the source (a predicate for votes), op->b
// and op->c shfl's other operands, op->warp what else there is.
struct wm_warp_form {
    bool has_members;             // else: the lanes of the path
    bool negated;                 // vote: !a
    bool wide;                    // match.b64
    bool is_signed;               // redux.s32
    bool is_float, absolute, nan; // redux.f32
    uint32_t members;
    uint32_t predicate; // shfl's and match.all's second result, or WM_NO_OP
};

wm_op_handler wm_run_warp_sync;
// Lets paths continue that waited for lanes which have exited.
void wm_warp_sync_check(struct wm_warp *warp);

#endif
