// Frames of called functions (private to exec/): registers and parameter space of one activation.
// Free ones are kept by function, so that a call that was made before allocates nothing.
#ifndef WM_EXEC_FRAMES_H
#define WM_EXEC_FRAMES_H

#include "exec/interpreter.h"

// 64-byte aligned; 0 when the host is out of memory.
uintptr_t wm_frame_new(struct wm_grid *grid, uint32_t function);
void wm_frame_free(struct wm_grid *grid, uint32_t function, uintptr_t frame);
// Frees all the pools hold.
void wm_frames_release(struct wm_grid *grid);

// The parameter space of a frame is a lane's bytes after another's.
static inline char *wm_frame_params(const struct wm_decoded_function *function, uintptr_t frame,
                                    unsigned lane)
{
    return (char *)(frame + function->param_area + (uintptr_t)lane * function->param_bytes);
}

// Arguments of the current lanes into the callee's frame; results of `lanes` back.
void wm_frame_copy_in(const struct wm_warp *warp, const struct wm_call_form *call,
                      uintptr_t caller_frame, uintptr_t callee_frame);
void wm_frame_copy_out(const struct wm_warp *warp, const struct wm_call_form *call,
                       uintptr_t caller_frame, uintptr_t callee_frame, uint64_t lanes);

#endif
