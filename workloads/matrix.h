// Matrices of floats in rows, on the host and on the device, for the dense benchmarks.
//
// A row begins `pitch` numbers after the one before it. Rows of a power of two put a column of the
// matrix into few sets of a cache; a pitch of 32 numbers more (`--pad 32`, a line of 128 bytes)
// spreads it, and changes nothing else. What lies between two rows is not a number, so a kernel
// that reads it computes nothing that passes.
#ifndef WORKLOAD_MATRIX_H
#define WORKLOAD_MATRIX_H

#include "workload.h"

struct matrix {
    unsigned rows, columns, pitch; // the pitch in numbers
    float *host, *device;          // device is NULL until matrix_upload
};

static inline size_t matrix_bytes(const struct matrix *matrix)
{
    return (size_t)matrix->rows * matrix->pitch * sizeof(float);
}

// All of it not a number.
static inline struct matrix matrix_new(unsigned rows, unsigned columns, unsigned pad)
{
    struct matrix matrix = {rows, columns, columns + pad, NULL, NULL};
    matrix.host = (float *)workload_allocate(matrix_bytes(&matrix));
    memset(matrix.host, 0xff, matrix_bytes(&matrix));
    return matrix;
}

static inline float *matrix_row(const struct matrix *matrix, size_t row)
{
    return matrix->host + row * matrix->pitch;
}

// Whole numbers from -bound to bound, zero on average.
static inline struct matrix matrix_random(unsigned rows, unsigned columns, unsigned pad,
                                          unsigned bound, struct workload_random *random)
{
    struct matrix matrix = matrix_new(rows, columns, pad);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            matrix_row(&matrix, i)[j] = (float)workload_below(random, 2 * bound + 1) - (float)bound;
    return matrix;
}

static inline struct matrix matrix_zero(unsigned rows, unsigned columns, unsigned pad)
{
    struct workload_random unused = {0};
    return matrix_random(rows, columns, pad, 0, &unused);
}

static inline struct matrix matrix_copy(const struct matrix *original)
{
    struct matrix matrix = *original;
    matrix.host = (float *)workload_allocate(matrix_bytes(&matrix));
    memcpy(matrix.host, original->host, matrix_bytes(&matrix));
    matrix.device = NULL;
    return matrix;
}

static inline void matrix_upload(struct matrix *matrix)
{
    matrix->device = (float *)workload_upload(matrix->host, matrix_bytes(matrix));
}

static inline void matrix_download(struct matrix *matrix)
{
    WORKLOAD_CHECK(
        cudaMemcpy(matrix->host, matrix->device, matrix_bytes(matrix), cudaMemcpyDeviceToHost));
}

static inline void matrix_free(struct matrix *matrix)
{
    if (matrix->device)
        WORKLOAD_CHECK(cudaFree(matrix->device));
    free(matrix->host);
}

// Brings the result back and compares: the place, row by row, of the first number that lies further
// than `tolerance` from the wanted one, or -1.
static inline long matrix_compare(struct matrix *found, const struct matrix *wanted,
                                  float tolerance)
{
    matrix_download(found);
    for (size_t row = 0; row < wanted->rows; row++) {
        long far = workload_first_far(matrix_row(found, row), matrix_row(wanted, row),
                                      wanted->columns, tolerance);
        if (far >= 0)
            return (long)(row * wanted->columns) + far;
    }
    return -1;
}

// How many of `all` an option means that takes the first so many, and all for 0.
static inline unsigned matrix_part(long first, unsigned all)
{
    return first == 0 || first > (long)all ? all : (unsigned)first;
}

// Blocks for so many threads.
static inline unsigned matrix_blocks(unsigned threads, unsigned block)
{
    return (threads + block - 1) / block;
}

#endif
