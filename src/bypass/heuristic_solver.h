// The paper's heuristic (section V-C, Algorithm 1). Private to bypass/.
#ifndef WM_BYPASS_HEURISTIC_SOLVER_H
#define WM_BYPASS_HEURISTIC_SOLVER_H

#include "bypass/traffic_graph.h"

// Fills `cached`, graph->count of them: whether the load is to use L1. Takes the node whose edges
// to all nodes that are not bypassed add up to least, the last of several in the order of the
// loads; bypasses it when these and its own weight come to nothing or less, else caches it; and
// continues with the others. Time grows with the square of the count. WM_NO_MEMORY.
enum wm_status wm_bypass_solve_heuristic(const struct wm_traffic_graph *graph, bool *cached,
                                         struct wm_error *error);

#endif
