// Linear least squares, by LAPACK. Private to bypass/.
#ifndef WM_BYPASS_LEAST_SQUARES_H
#define WM_BYPASS_LEAST_SQUARES_H

#include "base/error.h"

#include <stdint.h>

// Fills `coefficients`, `column_count` of them, so that the squares of what `values` and the rows'
// products with them differ by add up to least. `rows` is row_count * column_count numbers, row
// after row; both stay as they are.
//
// The last bits depend on the LAPACK that is installed: round what is printed. WM_INVALID when the
// rows do not determine every coefficient; WM_NOT_FOUND without the library; WM_NO_MEMORY.
enum wm_status wm_least_squares(const double *rows, uint32_t row_count, uint32_t column_count,
                                const double *values, double *coefficients, struct wm_error *error);

#endif
