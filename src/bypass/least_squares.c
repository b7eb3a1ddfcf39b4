#include "bypass/least_squares.h"

#include <dlfcn.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

// Loaded when it is needed, as the exact solver is: what it needs itself would be loaded by every
// process, and most fit nothing.
#define LAPACK_LIBRARY "liblapacke.so.3"

// Singular values below this part of the largest are none: columns of shares, 0 to 1, that differ
// by less than a billionth say the same.
static const double least_condition = 1e-9;

// Solves by a complete orthogonal factorization with column pivoting, which finds the rank.
static __typeof__(&LAPACKE_dgelsy) solve;

static enum wm_status load_library(struct wm_error *error)
{
    if (solve != NULL)
        return WM_OK;
    void *library = dlopen(LAPACK_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void *found = library != NULL ? dlsym(library, "LAPACKE_dgelsy") : NULL;
    if (found == NULL) {
        const char *why = dlerror();
        wm_fail(error, WM_NOT_FOUND, "the library of least squares cannot be loaded: %.200s",
                why != NULL ? why : LAPACK_LIBRARY " is another version");
        return wm_error_hint(error, "install Debian's liblapacke");
    }
    memcpy(&solve, &found, sizeof solve);
    return WM_OK;
}

static enum wm_status undetermined(uint32_t rank, uint32_t column_count, struct wm_error *error)
{
    return wm_fail(error, WM_INVALID,
                   "the samples determine %u of %u coefficients: what they differ in is too little",
                   rank, column_count);
}

enum wm_status wm_least_squares(const double *rows, uint32_t row_count, uint32_t column_count,
                                const double *values, double *coefficients, struct wm_error *error)
{
    if (row_count < column_count)
        return undetermined(row_count, column_count, error);
    WM_TRY(load_library(error));
    size_t cells = (size_t)row_count * column_count;
    // What it is given becomes what it gives.
    double *matrix = malloc(cells * sizeof *matrix);
    double *right = malloc(row_count * sizeof *right);
    lapack_int *pivots = calloc(column_count, sizeof *pivots);
    lapack_int rank = 0, failed = -1;
    if (matrix != NULL && right != NULL && pivots != NULL) {
        memcpy(matrix, rows, cells * sizeof *matrix);
        memcpy(right, values, row_count * sizeof *right);
        failed = solve(LAPACK_ROW_MAJOR, (lapack_int)row_count, (lapack_int)column_count, 1, matrix,
                       (lapack_int)column_count, right, 1, pivots, least_condition, &rank);
        if (failed == 0)
            memcpy(coefficients, right, column_count * sizeof *coefficients);
    }
    free(matrix);
    free(right);
    free(pivots);
    if (failed < 0) // its own memory counts as such: all arguments are in order
        return wm_fail_no_memory(error, "least squares");
    if ((uint32_t)rank < column_count)
        return undetermined((uint32_t)rank, column_count, error);
    return WM_OK;
}
