// Branch and bound for a quadratic program of 0s and 1s by a concave bound. As x(i) x(i) = x(i),
// u(i) (x(i) - x(i) x(i)) may be added for any u without a change at 0s and 1s, and for u large
// enough the whole is concave: its maximum over the box is found by climbing, and bounds the
// program.
//
// P. L. Hammer and A. A. Rubin, "Some remarks on quadratic programming with 0-1 variables", RIRO
// 4(3), 1970; u for the least bound: A. Billionnet and S. Elloumi, "Using a mixed integer quadratic
// programming solver for the unconstrained quadratic 0-1 problem", Mathematical Programming 109,
// 2007. Private to bypass/.
#ifndef WM_BYPASS_CONCAVE_SEARCH_H
#define WM_BYPASS_CONCAVE_SEARCH_H

#include "base/error.h"
#include "bypass/quadratic_program.h"

// Fills `set`, which holds an answer already: what comes out is worth no less. Gives up after
// `most_nodes` of the search tree. WM_NO_MEMORY.
enum wm_status wm_concave_search(const struct wm_quadratic_program *program, uint64_t most_nodes,
                                 bool *set, struct wm_quadratic_answer *answer,
                                 struct wm_error *error);

#endif
