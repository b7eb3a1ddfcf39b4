// Graphs of work as programs build them: nodes, what each waits for, and copies of the whole. With
// the process locked.
#ifndef WM_CUDA_GRAPH_H
#define WM_CUDA_GRAPH_H

#include "cuda/graph/graph_work.h"

struct wm_cuda_graph_edge {
    struct wm_cuda_graph_node *node; // the other one
    struct wm_cuda_edge_data data;
};
struct wm_cuda_graph_edges {
    struct wm_cuda_graph_edge *items; // owned
    uint32_t count, capacity;
};

struct wm_cuda_graph_node {
    struct wm_cuda_graph *graph;
    struct wm_cuda_graph_node *original; // of a clone: what it is a copy of; never followed
    struct wm_cuda_work work;
    struct wm_cuda_graph_edges dependencies, dependents; // in the order in which they were added
    uint32_t index;                                      // in the graph's nodes
    bool disabled; // of an executable graph: it is passed over
    uint8_t mark;  // a search's own
};

struct wm_cuda_user_reference {
    struct wm_cuda_user_object *object;
    uint32_t count;
};

struct wm_cuda_condition_value {
    uint64_t handle;
    uint32_t first_value;
    bool assign; // at every launch
};

struct wm_cuda_graph {
    struct wm_cuda_graph *next;        // the process's, of graphs that the program owns
    struct wm_cuda_graph_node *holder; // the node it belongs to: a child or a condition's body
    struct wm_cuda_graph_node **nodes; // owned, in order of creation
    uint32_t node_count, node_capacity;
    struct wm_cuda_graph_node **order;    // owned: a topological order; NULL when it is not known
    struct wm_cuda_user_reference *users; // owned
    uint32_t user_count;
    struct wm_cuda_condition_value *conditions; // owned: handles that were made for it
    uint32_t condition_count;
    uint64_t id;
    bool published;          // the program may hold handles of it
    bool body;               // of a condition: not all kinds of work may be in it
    bool capturing;          // a stream's work goes here: nothing may be taken away meanwhile
    uint32_t instantiations; // of a graph with memory nodes: at most one at a time
};

wm_cuda_status wm_cuda_graph_new(struct wm_cuda_process *process, bool published,
                                 struct wm_cuda_graph **graph);
void wm_cuda_graph_free(struct wm_cuda_process *process, struct wm_cuda_graph *graph);
bool wm_cuda_graph_known(const struct wm_cuda_process *process, const struct wm_cuda_graph *graph);
bool wm_cuda_node_known(const struct wm_cuda_process *process,
                        const struct wm_cuda_graph_node *node);

// Takes the work over, on failure too. 1 for dependencies that are not nodes of the graph, or twice
// the same; `edges` may be NULL.
wm_cuda_status wm_cuda_graph_add(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                 struct wm_cuda_graph_node *const *dependencies,
                                 const struct wm_cuda_edge_data *edges, size_t count,
                                 struct wm_cuda_work *work, struct wm_cuda_graph_node **node);
void wm_cuda_graph_remove(struct wm_cuda_process *process, struct wm_cuda_graph_node *node);

// Takes new work of the same kind over; attributes of kernels stay.
void wm_cuda_replace_work(struct wm_cuda_process *process, struct wm_cuda_graph_node *node,
                          struct wm_cuda_work *work);

// 1 when the edge is there already, or is none; 2 without memory.
wm_cuda_status wm_cuda_graph_connect(struct wm_cuda_graph_node *from, struct wm_cuda_graph_node *to,
                                     const struct wm_cuda_edge_data *data);
// 1 when there is no such edge.
wm_cuda_status wm_cuda_graph_disconnect(struct wm_cuda_graph_node *from,
                                        struct wm_cuda_graph_node *to,
                                        const struct wm_cuda_edge_data *data);
bool wm_cuda_edge_plain(const struct wm_cuda_edge_data *data);

// A deep copy whose nodes remember their originals. Conditions keep their handles.
wm_cuda_status wm_cuda_graph_clone(struct wm_cuda_process *process,
                                   const struct wm_cuda_graph *from, bool published,
                                   struct wm_cuda_graph **clone);
// Fills `order` here and in all graphs inside: by depth, and by creation among equals, so that it
// is the same on every run. 1 with the node where a cycle closes.
wm_cuda_status wm_cuda_graph_sort(struct wm_cuda_graph *graph, struct wm_cuda_graph_node **broken);
// The node of a clone, or of the graphs inside it, whose original this is; or NULL.
struct wm_cuda_graph_node *wm_cuda_graph_counterpart(struct wm_cuda_graph *clone,
                                                     const struct wm_cuda_graph_node *original);
// Whether a node here, or in the graphs inside, is of one of the kinds in a set of bits.
bool wm_cuda_graph_has(const struct wm_cuda_graph *graph, uint32_t kinds);
#define WM_CUDA_WORK_BIT(kind) (UINT32_C(1) << (kind))
#define WM_CUDA_MEMORY_NODES \
    (WM_CUDA_WORK_BIT(WM_CUDA_WORK_ALLOCATE) | WM_CUDA_WORK_BIT(WM_CUDA_WORK_FREE))

// The graphs that a node holds: a child, or a condition's bodies.
uint32_t wm_cuda_node_graphs(const struct wm_cuda_graph_node *node,
                             struct wm_cuda_graph *const **graphs);

#endif
