// The traffic-reduction graph of a kernel: Y. Liang, X. Xie, G. Sun and D. Chen, "An efficient
// compiler framework for cache bypassing on GPUs" (TCAD), section IV-B, Definition 1. A node is a
// global load, its weight the bytes between L1 and L2 that it saves when it alone uses L1; an edge
// of two loads weighs what they save together beyond that: reuse between them is positive, conflict
// negative. Every two nodes have an edge, of weight 0 where the loads neither share nor
// displace lines.
//
// Which loads are to use L1? The set of the largest value. That is NP-hard (the paper's Theorem 1,
// by maximum clique); there are the paper's heuristic and an exact solver.
#ifndef WM_BYPASS_TRAFFIC_GRAPH_H
#define WM_BYPASS_TRAFFIC_GRAPH_H

#include "base/containers/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_traffic_graph {
    uint32_t count; // of nodes, in the order of the loads in PTX
    double *nodes;  // bytes saved; owned by the arena it was made in, like the next
    double *edges;  // count * count, symmetric, 0 on the diagonal
};

// Without weights: all are 0. WM_NO_MEMORY.
enum wm_status wm_traffic_graph_init(struct wm_traffic_graph *graph, uint32_t count,
                                     struct wm_arena *arena, struct wm_error *error);

static inline double wm_traffic_graph_edge(const struct wm_traffic_graph *graph, uint32_t a,
                                           uint32_t b)
{
    return graph->edges[(uint64_t)a * graph->count + b];
}

// Sets both directions of the edge of two different nodes.
void wm_traffic_graph_connect(struct wm_traffic_graph *graph, uint32_t a, uint32_t b,
                              double weight);

// Bytes that the set saves: those of its nodes and of the edges within it. The empty set saves 0.
double wm_traffic_graph_value(const struct wm_traffic_graph *graph, const bool *cached);

#endif
