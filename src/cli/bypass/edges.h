// The edges of a traffic graph, the heaviest first.
#ifndef WM_CLI_BYPASS_EDGES_H
#define WM_CLI_BYPASS_EDGES_H

#include "bypass/traffic_graph.h"

struct wm_bypass_edge {
    uint32_t a, b; // nodes, from 0; a < b
    double weight; // bytes, never 0
};

// Those that weigh something, by their weight whatever its sign; of equals, in the order of nodes.
// The caller frees them; NULL when out of memory.
struct wm_bypass_edge *wm_bypass_edges_of(const struct wm_traffic_graph *graph, uint32_t *count);

#endif
