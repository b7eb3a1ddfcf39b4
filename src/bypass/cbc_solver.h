// The linear 0-1 program of the paper's section V-B, solved by CBC, the COIN-OR project's branch
// and cut (Debian's coinor-libcbc3: kept since 2004, a C interface, free software):
//
//     max  sum c(i) N_i + sum q(i,j) M_ij    with M_ij <= N_i, M_ij <= N_j, M_ij >= N_i + N_j - 1
//
// Its bound is close where few pairs have a weight, and far off where most do. Private to bypass/.
#ifndef WM_BYPASS_CBC_SOLVER_H
#define WM_BYPASS_CBC_SOLVER_H

#include "base/error.h"
#include "bypass/quadratic_program.h"

// Gives up after so many nodes of its search tree. Fills `set`, where it found one. WM_NO_MEMORY;
// WM_NOT_FOUND when the library, which is loaded by the first call, is not there.
enum wm_status wm_cbc_solve(const struct wm_quadratic_program *program, uint32_t most_nodes,
                            bool *set, struct wm_quadratic_answer *answer, struct wm_error *error);

#endif
