// x1 = x1 + A y1 and x2 = x2 + A' y2: a square matrix times a vector and its transpose times
// another.
//
//   mvt_rows     a thread takes a row: the lanes of a warp read 32 lines, a row apart, and come
//                back to each for its next number 31 times more, if it still lies in the cache by
//                then. y1 is the same number for all lanes
//   mvt_columns  a thread takes a column: the lanes of a warp read neighbours, each line once
//
// Sums grow in memory, as in PolyBench, whose benchmark MVT this is: a store in each step.
#include "matrix.h"

static __device__ void add_along_row(const float *a, const float *y, float *x, unsigned n,
                                     unsigned steps, unsigned pitch)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (unsigned j = 0; j < steps; j++)
        x[i] += a[i * pitch + j] * y[j];
}

static __device__ void add_along_column(const float *a, const float *y, float *x, unsigned n,
                                        unsigned steps, unsigned pitch)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (unsigned j = 0; j < steps; j++)
        x[i] += a[j * pitch + i] * y[j];
}

__global__ void mvt_rows(const float *a, const float *y, float *x, unsigned n, unsigned pitch)
{
    add_along_row(a, y, x, n, n, pitch);
}

__global__ void mvt_columns(const float *a, const float *y, float *x, unsigned n, unsigned pitch)
{
    add_along_column(a, y, x, n, n, pitch);
}

// The first steps of each sum alone.
__global__ void mvt_rows_begun(const float *a, const float *y, float *x, unsigned n, unsigned steps,
                               unsigned pitch)
{
    add_along_row(a, y, x, n, steps, pitch);
}

__global__ void mvt_columns_begun(const float *a, const float *y, float *x, unsigned n,
                                  unsigned steps, unsigned pitch)
{
    add_along_column(a, y, x, n, steps, pitch);
}

enum { N, STEPS, PAD, BLOCK, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "rows and columns of the matrix", 1024, 1, 16384, NULL},
    {"steps", "of each sum that are done, the first ones; 0 for all", 0, 0, 16384, NULL},
    {"pad", "numbers between a row and the next", 0, 0, 1024, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
};

// Both products in one pass over the matrix, the first steps of each sum.
static void products_on_host(const struct matrix *a, const float *y1, const float *y2, float *x1,
                             float *x2, unsigned steps)
{
    for (size_t i = 0; i < a->rows; i++) {
        const float *row = matrix_row(a, i);
        for (size_t j = 0; j < a->columns; j++) {
            if (j < steps)
                x1[i] += row[j] * y1[j];
            if (i < steps)
                x2[j] += row[j] * y2[i];
        }
    }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "mvt", "x1 = x1 + A y1 and x2 = x2 + A' y2", options, OPTIONS);
    unsigned n = (unsigned)options[N].value, block = (unsigned)options[BLOCK].value;
    unsigned steps = matrix_part(options[STEPS].value, n);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // Whole numbers, and no sum is above 16 * 16384 + 4: exact, however they are added up.
    struct matrix a = matrix_random(n, n, (unsigned)options[PAD].value, 4, &random);
    struct matrix y1 = matrix_random(1, n, 0, 4, &random), y2 = matrix_random(1, n, 0, 4, &random);
    struct matrix x1 = matrix_random(1, n, 0, 4, &random), x2 = matrix_random(1, n, 0, 4, &random);
    struct matrix expected_x1 = matrix_copy(&x1), expected_x2 = matrix_copy(&x2);
    matrix_upload(&a);
    matrix_upload(&y1);
    matrix_upload(&y2);
    matrix_upload(&x1);
    matrix_upload(&x2);

    unsigned grid = matrix_blocks(n, block);
    if (steps == n) {
        mvt_rows<<<grid, block>>>(a.device, y1.device, x1.device, n, a.pitch);
        WORKLOAD_CHECK_LAUNCH();
        mvt_columns<<<grid, block>>>(a.device, y2.device, x2.device, n, a.pitch);
    } else {
        mvt_rows_begun<<<grid, block>>>(a.device, y1.device, x1.device, n, steps, a.pitch);
        WORKLOAD_CHECK_LAUNCH();
        mvt_columns_begun<<<grid, block>>>(a.device, y2.device, x2.device, n, steps, a.pitch);
    }
    WORKLOAD_CHECK_LAUNCH();

    products_on_host(&a, y1.host, y2.host, expected_x1.host, expected_x2.host, steps);
    long wrong = matrix_compare(&x1, &expected_x1, 0.0f);
    if (wrong < 0)
        wrong = matrix_compare(&x2, &expected_x2, 0.0f);
    matrix_free(&a);
    matrix_free(&y1);
    matrix_free(&y2);
    matrix_free(&x1);
    matrix_free(&x2);
    matrix_free(&expected_x1);
    matrix_free(&expected_x2);
    return workload_verdict("mvt", wrong);
}
