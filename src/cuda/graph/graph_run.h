// Launches of graphs by kernels of graphs (CUDA C++ Programming Guide, "Device Graph Launch"). What
// a kernel launches to run besides its graph, as a child of it or of what launched it, runs when
// the kernel has ended; what it launches for the tail, when the graph with all its children has
// ended, in the order of the launches, each with its own tail. That is one of the orders that CUDA
// allows. With the process locked.
#ifndef WM_CUDA_GRAPH_RUN_H
#define WM_CUDA_GRAPH_RUN_H

#include "cuda/graph/graph_launch.h"

struct wm_cuda_kernel_launches;

// One execution of a graph whose kernels may launch graphs, or that a kernel launched. Counted:
// retain returns its argument, which may be NULL for both.
struct wm_cuda_graph_run;
struct wm_cuda_graph_run *wm_cuda_run_new(struct wm_cuda_graph_exec *exec, bool from_device);
struct wm_cuda_graph_run *wm_cuda_run_retain(struct wm_cuda_graph_run *run);
void wm_cuda_run_release(struct wm_cuda_graph_run *run);
// Behind all nodes: the tail begins. 2 without memory.
wm_cuda_status wm_cuda_run_push_end(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                    struct wm_cuda_graph_run *run);

// A graph that kernels are to launch: 801, with the node, for what such a graph may not hold.
wm_cuda_status wm_cuda_check_device_graph(struct wm_cuda_process *process,
                                          const struct wm_cuda_graph *graph,
                                          struct wm_cuda_graph_node **broken);
// A kernel's call: 1 for what may not be launched so, which `error` explains.
wm_cuda_status wm_cuda_run_launch(struct wm_cuda_kernel_launches *launches,
                                  struct wm_cuda_graph_exec *exec, uint64_t stream,
                                  struct wm_error *error);
// While the worker inserts commands: what a kernel launched goes there.
wm_cuda_status wm_cuda_run_insert(struct wm_cuda_process *process, struct wm_cuda_graph_exec *exec,
                                  struct wm_cuda_stream *stream);

#endif
