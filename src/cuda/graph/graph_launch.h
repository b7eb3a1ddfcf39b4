// Executable graphs: a copy of a graph whose nodes are issued, in one order that is always the
// same, as the commands that they stand for. With the process locked.
#ifndef WM_CUDA_GRAPH_LAUNCH_H
#define WM_CUDA_GRAPH_LAUNCH_H

#include "cuda/graph/graph.h"

// cudaGraphInstantiateFlags
enum {
    WM_CUDA_GRAPH_AUTO_FREE = 1,
    WM_CUDA_GRAPH_UPLOAD = 2,
    WM_CUDA_GRAPH_DEVICE_LAUNCH = 4,
    WM_CUDA_GRAPH_NODE_PRIORITY = 8,
    WM_CUDA_GRAPH_FLAGS = 15,
};

struct wm_cuda_graph_exec {
    struct wm_cuda_graph_exec *next; // the process's
    struct wm_cuda_graph *graph;     // owned, sorted
    struct wm_cuda_graph *source;    // counts its instantiations while it is known
    uint64_t source_id;
    unsigned long long flags;
    // Of a graph that kernels may launch: as it is it has been brought to the device; and so many
    // of their launches of it have not completed.
    bool uploaded;
    uint32_t pending;
};

// Clones and sorts. 1 for a cycle, with the node; 801 for a second instantiation of a graph with
// memory nodes.
wm_cuda_status wm_cuda_exec_new(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                unsigned long long flags, struct wm_cuda_graph_exec **exec,
                                struct wm_cuda_graph_node **broken);
void wm_cuda_exec_free(struct wm_cuda_process *process, struct wm_cuda_graph_exec *exec);
bool wm_cuda_exec_known(const struct wm_cuda_process *process,
                        const struct wm_cuda_graph_exec *exec);

// Checks all nodes, then issues them, or on an error none. `stream` has been resolved.
wm_cuda_status wm_cuda_exec_launch(struct wm_cuda_process *process, struct wm_cuda_graph_exec *exec,
                                   struct wm_cuda_stream *stream);

// Whether all nodes can be issued; what their kernels need is then prepared.
wm_cuda_status wm_cuda_exec_check(struct wm_cuda_process *process, struct wm_cuda_graph_exec *exec);
// Issues all nodes, which have been checked; `tracked`: its kernels may launch graphs, or it was
// launched `from_device` itself.
wm_cuda_status wm_cuda_exec_issue(struct wm_cuda_process *process, struct wm_cuda_graph_exec *exec,
                                  struct wm_cuda_stream *stream, bool tracked, bool from_device);

// A handle for a condition's value. 2 without memory.
wm_cuda_status wm_cuda_condition_new(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                     uint32_t first_value, bool assign, uint64_t *handle);
// Every graph goes (cudaDeviceReset).
void wm_cuda_reset_graphs(struct wm_cuda_process *process);

#endif
