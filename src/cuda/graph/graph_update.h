// Giving an executable graph the parameters of another graph of the same shape. With the process
// locked.
#ifndef WM_CUDA_GRAPH_UPDATE_H
#define WM_CUDA_GRAPH_UPDATE_H

#include "cuda/graph/graph_launch.h"

// cudaGraphExecUpdateResult
enum wm_cuda_update_code {
    WM_CUDA_UPDATE_SUCCESS = 0,
    WM_CUDA_UPDATE_ERROR = 1,
    WM_CUDA_UPDATE_TOPOLOGY = 2,
    WM_CUDA_UPDATE_TYPE = 3,
    WM_CUDA_UPDATE_PARAMETERS = 5,
    WM_CUDA_UPDATE_NOT_SUPPORTED = 6,
    WM_CUDA_UPDATE_ATTRIBUTES = 8,
};

// Whether a node of an executable graph may change from one work to the other: what may not change
// are the shapes of fills and copies of more than one line, the kinds of memory at their ends, and
// all of memory nodes and conditions.
enum wm_cuda_update_code wm_cuda_update_check(struct wm_cuda_process *process,
                                              const struct wm_cuda_work *from,
                                              const struct wm_cuda_work *to);
// All or nothing. Nodes correspond in order of creation. `result` says which node of `graph` does
// not fit.
wm_cuda_status wm_cuda_exec_update(struct wm_cuda_process *process, struct wm_cuda_graph *executed,
                                   const struct wm_cuda_graph *graph,
                                   struct wm_cuda_update_result *result);

#endif
