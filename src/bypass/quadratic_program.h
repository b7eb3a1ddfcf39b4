// A quadratic program of 0s and 1s: what is left of a traffic graph (traffic_graph.h) when the
// loads are taken out that are decided beforehand.
//
//     max  sum c(i) x(i) + sum of pairs q(i,j) x(i) x(j)
//
// Private to bypass/.
#ifndef WM_BYPASS_QUADRATIC_PROGRAM_H
#define WM_BYPASS_QUADRATIC_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct wm_quadratic_program {
    uint32_t count;
    const double *linear; // c; like the next, at most 1 in size
    const double *pairs;  // q: count * count, symmetric, 0 on the diagonal
};

struct wm_quadratic_answer {
    double bound; // nothing is worth more
    bool proved;  // nothing is worth more than what was found
    bool found;   // an answer
};

#endif
