// Faults of a running kernel, described so that their cause can be found (private to exec/). Each
// stops the grid and returns NULL, for a handler to return.
#ifndef WM_EXEC_FAULTS_H
#define WM_EXEC_FAULTS_H

#include "exec/interpreter.h"

const struct wm_op *wm_fault_memory(struct wm_warp *warp, const struct wm_op *op,
                                    enum wm_fault_kind kind, unsigned lane, uint64_t address);
// Out of bounds or freed: the device memory's records decide.
const struct wm_op *wm_fault_global(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                                    uint64_t address);
// In an allocation of a GPU's memory that the grid has no access to.
const struct wm_op *wm_fault_peer(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                                  const struct wm_allocation *allocation);
// Whether a lane's access that is in no allocation is let pass (wm_launch.stray). It is aligned.
bool wm_fault_passes(struct wm_warp *warp, const struct wm_op *op, unsigned lane);
const struct wm_op *wm_fault_trap(struct wm_warp *warp, const struct wm_op *op);
// Of all lanes of the path; their threads are filled in.
const struct wm_op *wm_fault_assert(struct wm_warp *warp, const struct wm_op *op,
                                    const struct wm_failed_assertion *failed);
// Of a function of the runtime that was called with an address; `format` takes it.
const struct wm_op *wm_fault_runtime(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                                     uint64_t address, const char *format)
    __attribute__((format(printf, 5, 0)));
// Of a texture or a surface.
const struct wm_op *wm_fault_texture(struct wm_warp *warp, const struct wm_op *op,
                                     enum wm_fault_kind kind, unsigned lane, uint64_t address,
                                     const char *format, ...) __attribute__((format(printf, 6, 7)));
const struct wm_op *wm_fault_branch(struct wm_warp *warp, const struct wm_op *op, uint32_t index,
                                    uint32_t count);
// A call through an address that is none of the call's targets.
const struct wm_op *wm_fault_call(struct wm_warp *warp, const struct wm_op *op, uint64_t address);
// The body of a function that warpmem cannot execute.
const struct wm_op *wm_fault_refused(struct wm_warp *warp, const struct wm_op *op);
const struct wm_op *wm_fault_stack_overflow(struct wm_warp *warp, const struct wm_op *op);
const struct wm_op *wm_fault_alloca(struct wm_warp *warp, const struct wm_op *op, unsigned lane,
                                    uint64_t bytes);
const struct wm_op *wm_fault_barrier(struct wm_warp *warp, const struct wm_op *op,
                                     const char *format, uint32_t value)
    __attribute__((format(printf, 3, 0)));

#endif
