// Which lanes of a warp execute together (private to exec/): independent thread scheduling as
// sm_70 and later define it (PTX ISA 3.1, CUDA C++ Programming Guide 4.1).
//
// Lanes that diverge at a branch wait for each other at its immediate post-dominator; that is for
// speed only. Whenever nothing else of the warp can run, or the current path seems to wait for
// another lane, waiting lanes continue without the rest, so every lane makes progress in the end.
#ifndef WM_EXEC_SYNC_RECONVERGENCE_H
#define WM_EXEC_SYNC_RECONVERGENCE_H

#include "exec/interpreter.h"

// Makes room for nodes, at first or when all are in use. False when out of memory, or when
// function calls have gone too deep.
bool wm_paths_grow_nodes(struct wm_warp *warp);
// All of `lanes` at `entry`, in `frame`. The warp's node and path tables must be allocated.
void wm_paths_start(struct wm_warp *warp, uint64_t lanes, const struct wm_op *entry,
                    uintptr_t frame);
// Counts the instructions executed up to and including the current op. To be called before
// warp->mask changes.
void wm_paths_count(struct wm_warp *warp);

// The handlers' steps. Each returns the op to execute next, or NULL when no path can run.
// The lanes `taken` go `there`, the rest goes `here`; neither is empty.
const struct wm_op *wm_paths_split(struct wm_warp *warp, const struct wm_op *op, uint64_t taken,
                                   const struct wm_op *there, const struct wm_op *here);
// The same where no branch is: `lanes` and the rest reconverge no earlier than they would have.
const struct wm_op *wm_paths_diverge(struct wm_warp *warp, uint64_t lanes,
                                     const struct wm_op *there, const struct wm_op *here);
// The current path is at `op`, where its node's lanes reconverge.
const struct wm_op *wm_paths_arrive(struct wm_warp *warp, const struct wm_op *op);
// `lanes` of the current path exit at `op`; it has ended when none is left in warp->mask.
void wm_paths_exit(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes);
// All lanes of the current path enter a function; they come back after `op`.
const struct wm_op *wm_paths_call(struct wm_warp *warp, const struct wm_op *op,
                                  const struct wm_call_form *call);
// `lanes` of the current path return; the rest continues after `op`.
const struct wm_op *wm_paths_return(struct wm_warp *warp, const struct wm_op *op, uint64_t lanes);
// The current path waits in `state`; its place in warp->paths is filled and stays `path`.
struct wm_path *wm_paths_block(struct wm_warp *warp, enum wm_path_state state,
                               const struct wm_op *next);
// Chooses a path when there is no current one.
const struct wm_op *wm_paths_next(struct wm_warp *warp);
// A path that waited can continue.
void wm_paths_wake(struct wm_warp *warp, struct wm_path *path);
// Forgets the nodes of a warp that was cut short, and gives back the frames of its calls.
void wm_paths_abandon(struct wm_warp *warp);
// Lets another path run when the current one has had its share and may be waiting for it.
// To be called between ops, with warp->next valid.
void wm_paths_yield(struct wm_warp *warp);

#endif
