// The exact decision: of all sets of loads the one that saves most, by the graph.
//
// Loads whose edges cannot change what their own weight says are decided beforehand: on kernels of
// real programs that is most of them. The others are left to a branch and bound with a
// concave bound (concave_search.h), and, where that ends without a proof and few edges
// have a weight, to CBC as the 0-1 program of the paper's section V-B (cbc_solver.h).
// Private to bypass/.
#ifndef WM_BYPASS_EXACT_SOLVER_H
#define WM_BYPASS_EXACT_SOLVER_H

#include "bypass/traffic_graph.h"

struct wm_exact_decision {
    double value; // bytes that the set saves
    double bound; // no set saves more; the same as the value where it was proved to be the best
    uint32_t left_to_solver; // loads that were not decided beforehand
    bool proved;
};

// CBC gives up after so many nodes of its search tree, and the search after as many as half a
// second has, about: neither after a time, which would make what they find depend on the machine.
// CBC is left no more edges than these: with more it would take seconds, and find little.
enum { WM_EXACT_MOST_NODES = 200, WM_EXACT_MOST_EDGES = 700 };

// Fills `cached`, which holds a decision already that the search starts from (the heuristic's):
// what comes out is worth no less. `most_nodes` 0: those above; otherwise of each. WM_NO_MEMORY;
// WM_NOT_FOUND when CBC's library cannot be loaded, which it is when loads are left to it.
enum wm_status wm_bypass_solve_exact(const struct wm_traffic_graph *graph, uint32_t most_nodes,
                                     bool *cached, struct wm_exact_decision *decision,
                                     struct wm_error *error);

#endif
