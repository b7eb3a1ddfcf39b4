// A launch whose kernel may wait for what it launches (cudaDeviceSynchronize in kernels, up to CUDA
// 11, and later with CUDA_FORCE_CDP1_IF_SUPPORTED; CUDA C++ Programming Guide, "CUDA Dynamic
// Parallelism"), with all that it launches and what these launch: they run concurrently in the
// engine (wm_session_start_child), each as soon as it was issued and what it is ordered behind in
// its block has completed; what went to a tail stream begins when its grid and all else that this
// launched have completed. Of those that run at most as many are under way as the machine runs side
// by side, aside of those with blocks that wait: so what they wait for always begins.
//
// Thread rules: the worker's.
#ifndef WM_CUDA_DEVICE_LAUNCH_TREE_H
#define WM_CUDA_DEVICE_LAUNCH_TREE_H

#include "cuda/process.h"

struct wm_cuda_launch_tree;

// `launch` is copied but for what it borrows; its output is that of all. Errors are those of
// wm_session_start_launch.
enum wm_status wm_cuda_launch_tree_begin(struct wm_cuda_process *process,
                                         const struct wm_launch *launch, int priority,
                                         uint32_t depth, struct wm_cuda_launch_tree **family,
                                         struct wm_error *error);
// After a step of the engine, with the process locked: grids that have ended leave, and what was
// issued begins. True when all have completed, or one has failed, as *status, *fault and *error
// say.
bool wm_cuda_launch_tree_advance(struct wm_cuda_launch_tree *family, enum wm_status *status,
                                 struct wm_finding *fault, struct wm_error *error);
// With the process locked; ends what is under way.
void wm_cuda_launch_tree_free(struct wm_cuda_launch_tree *family);

#endif
