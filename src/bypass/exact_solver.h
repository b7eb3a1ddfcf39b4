// The exact decision: the 0-1 program of the paper's section V-B, solved by CBC, the COIN-OR
// project's branch and cut.
//
//     max  sum W(i) N_i + sum W(i,j) M_ij    with M_ij <= N_i, M_ij <= N_j, M_ij >= N_i + N_j - 1
//
// Loads whose edges cannot change what their own weight says are decided beforehand: on kernels of
// real programs that is most of them. Private to bypass/.
#ifndef WM_BYPASS_EXACT_SOLVER_H
#define WM_BYPASS_EXACT_SOLVER_H

#include "bypass/traffic_graph.h"

struct wm_exact_decision {
    double value; // bytes that the set saves
    double bound; // no set saves more; the same as the value where it was proved to be the best
    uint32_t left_to_solver; // loads that were not decided beforehand
    bool proved;
};

// The solver gives up after so many nodes of its search tree: not after a time, which would make
// what it finds depend on the machine. Forty loads with edges of either sign take about a second.
enum { WM_EXACT_MOST_NODES = 200 };

// Fills `cached`, which holds a decision already that the search starts from (the heuristic's):
// what comes out is worth no less. `most_nodes` 0: WM_EXACT_MOST_NODES. WM_NO_MEMORY; WM_NOT_FOUND
// when the solver's library cannot be loaded, which it is when loads are left to it.
enum wm_status wm_bypass_solve_exact(const struct wm_traffic_graph *graph, uint32_t most_nodes,
                                     bool *cached, struct wm_exact_decision *decision,
                                     struct wm_error *error);

#endif
