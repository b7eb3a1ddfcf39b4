// What the functions of graphs share.
#ifndef WM_CUDA_API_GRAPH_H
#define WM_CUDA_API_GRAPH_H

#include "cuda/graph/graph.h"

// wm_cuda_enter for a function of a graph or a node: 1 for a handle that is none, with the process
// entered: leave it in any case.
wm_cuda_status wm_cuda_enter_graph(struct wm_cuda_process **process,
                                   const struct wm_cuda_graph *graph);
wm_cuda_status wm_cuda_enter_node(struct wm_cuda_process **process,
                                  const struct wm_cuda_graph_node *node,
                                  enum wm_cuda_work_kind kind);

// Makes the work of a node that is to be in `graph`, or of its executable form. With the process
// locked.
typedef wm_cuda_status wm_cuda_make_work(struct wm_cuda_process *process,
                                         struct wm_cuda_graph *graph, const void *given,
                                         struct wm_cuda_work *work);
struct wm_cuda_dependencies {
    struct wm_cuda_graph_node *const *nodes;
    const struct wm_cuda_edge_data *edges; // NULL: plain ones
    size_t count;
};
wm_cuda_status wm_cuda_add_node(struct wm_cuda_graph_node **node, struct wm_cuda_graph *graph,
                                const struct wm_cuda_dependencies *dependencies,
                                wm_cuda_make_work *make, const void *given);
// Replaces what a node does: same kind only.
wm_cuda_status wm_cuda_set_node(struct wm_cuda_graph_node *node, enum wm_cuda_work_kind kind,
                                wm_cuda_make_work *make, const void *given);

// The arguments of a copy of one line, and of one to or from a variable of a module.
struct wm_cuda_line {
    uint64_t to, from; // of a symbol's side: how far into it
    const void *symbol;
    size_t bytes;
    int kind;
    bool to_symbol;
};
wm_cuda_make_work wm_cuda_make_kernel, wm_cuda_make_copy, wm_cuda_make_line,
    wm_cuda_make_symbol_line, wm_cuda_make_fill, wm_cuda_make_host, wm_cuda_make_child,
    wm_cuda_make_record, wm_cuda_make_wait, wm_cuda_make_any;

// The same for the executable graph's own node.
struct wm_cuda_graph_exec;
wm_cuda_status wm_cuda_set_exec_node(struct wm_cuda_graph_exec *exec,
                                     struct wm_cuda_graph_node *node, enum wm_cuda_work_kind kind,
                                     wm_cuda_make_work *make, const void *given);

// What differs in name and arguments between CUDA 12 and 13 (runtime_graphs.c).
wm_cuda_status wm_cuda_change_dependencies(struct wm_cuda_graph *graph,
                                           struct wm_cuda_graph_node *const *from,
                                           struct wm_cuda_graph_node *const *to,
                                           const struct wm_cuda_edge_data *edges, size_t count,
                                           bool add);
wm_cuda_status wm_cuda_get_edges(struct wm_cuda_graph *graph, struct wm_cuda_graph_node **from,
                                 struct wm_cuda_graph_node **to, struct wm_cuda_edge_data *edges,
                                 size_t *count);
wm_cuda_status wm_cuda_get_neighbours(struct wm_cuda_graph_node *node, bool dependents,
                                      struct wm_cuda_graph_node **nodes,
                                      struct wm_cuda_edge_data *edges, size_t *count);
wm_cuda_status wm_cuda_add_any_node(struct wm_cuda_graph_node **node, struct wm_cuda_graph *graph,
                                    const struct wm_cuda_dependencies *dependencies,
                                    struct wm_cuda_node_parameters *parameters);

#endif
