// Y. Liang, X. Xie, G. Sun and D. Chen, "An efficient compiler framework for cache bypassing on
// GPUs" (TCAD), Algorithm 1. As printed, a bypassed node is never taken out of the nodes that
// remain, and the loop does not end: the text says that it is deleted from the graph, and so it is
// here. What is compared begins with the first node that remains, not with infinity.
#include "bypass/heuristic_solver.h"

#include <stdlib.h>

enum state { REMAINS, CACHED, BYPASSED };

// Of the nodes that remain, the one whose edges add up to least, the last of several ("<=" in the
// listing); graph->count when none remains.
static uint32_t find_least(uint32_t count, const enum state *states, const double *others)
{
    uint32_t least = count;
    for (uint32_t v = 0; v < count; v++)
        if (states[v] == REMAINS && (least == count || others[v] <= others[least]))
            least = v;
    return least;
}

enum wm_status wm_bypass_solve_heuristic(const struct wm_traffic_graph *graph, bool *cached,
                                         struct wm_error *error)
{
    uint32_t count = graph->count, v;
    enum state *states = calloc(count + UINT64_C(1), sizeof *states);
    double *others = calloc(count + UINT64_C(1), sizeof *others); // by node: its edges' sum
    if (states == NULL || others == NULL) {
        free(states);
        free(others);
        return wm_fail_no_memory(error, "deciding %u loads", count);
    }
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++)
            others[a] += wm_traffic_graph_edge(graph, a, b);
    while ((v = find_least(count, states, others)) != count) {
        states[v] = others[v] + graph->nodes[v] > 0 ? CACHED : BYPASSED;
        // The graph changes when a node is bypassed, and only then.
        for (uint32_t u = 0; u < count && states[v] == BYPASSED; u++)
            others[u] -= wm_traffic_graph_edge(graph, u, v);
    }
    for (v = 0; v < count; v++)
        cached[v] = states[v] == CACHED;
    free(states);
    free(others);
    return WM_OK;
}
