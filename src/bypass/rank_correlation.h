// Whether two lists of numbers put the same things in the same order: Spearman's rank correlation
// (C. Spearman, "The proof and measurement of association between two things", American Journal of
// Psychology 15, 1904), of equal numbers the mean of their ranks. Private to bypass/.
#ifndef WM_BYPASS_RANK_CORRELATION_H
#define WM_BYPASS_RANK_CORRELATION_H

#include "base/error.h"

#include <stdint.h>

// Pairs of numbers that can be ranked: their ranks then multiply without rounding.
enum { WM_RANK_MOST = 1 << 16 };

// Sets *correlation: 1 where both lists have the same order, -1 where one has the other's in
// reverse. NAN, without an error, where all numbers of a list are equal, and of fewer than two.
// Numbers are finite; at most WM_RANK_MOST. WM_NO_MEMORY.
enum wm_status wm_rank_correlation(const double *a, const double *b, uint32_t count,
                                   double *correlation, struct wm_error *error);

#endif
