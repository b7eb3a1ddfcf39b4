// y = A' (A x): a matrix times a vector, and its transpose times what came of that. Both products
// read the matrix once; what differs is which way a warp walks through it.
//
//   atax_rows     a thread takes a row: the lanes of a warp read 32 lines, a row apart, and come
//                 back to each for its next number 31 times more, if it still lies in the cache by
//                 then. x is the same number for all lanes
//   atax_columns  a thread takes a column: the lanes of a warp read neighbours, each line once
//
// Sums grow in memory, as in PolyBench, whose benchmark ATAX this is: a store in each step.
#include "matrix.h"

__global__ void atax_rows(const float *a, const float *x, float *product, unsigned rows,
                          unsigned columns, unsigned pitch)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows)
        return;
    product[i] = 0.0f;
    for (unsigned j = 0; j < columns; j++)
        product[i] += a[i * pitch + j] * x[j];
}

__global__ void atax_columns(const float *a, const float *product, float *y, unsigned rows,
                             unsigned columns, unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= columns)
        return;
    y[j] = 0.0f;
    for (unsigned i = 0; i < rows; i++)
        y[j] += a[i * pitch + j] * product[i];
}

enum { ROWS, COLUMNS, STEPS, PAD, BLOCK, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"m", "rows of the matrix", 1024, 1, 16384, NULL},
    {"n", "columns of the matrix", 1024, 1, 16384, NULL},
    {"steps", "of each sum that are done, the first ones; 0 for all", 0, 0, 16384, NULL},
    {"pad", "numbers between a row and the next", 0, 0, 1024, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "atax", "y = A' (A x)", options, OPTIONS);
    unsigned rows = (unsigned)options[ROWS].value, columns = (unsigned)options[COLUMNS].value;
    unsigned block = (unsigned)options[BLOCK].value;
    unsigned first_columns = matrix_part(options[STEPS].value, columns);
    unsigned first_rows = matrix_part(options[STEPS].value, rows);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // Numbers from -1 to 1: a sum of the second product deviates from zero by about as much as
    // A has rows, and would have to by 2^24 for a sum to depend on how it is added up.
    struct matrix a = matrix_random(rows, columns, (unsigned)options[PAD].value, 1, &random);
    struct matrix x = matrix_random(1, columns, 0, 1, &random);
    struct matrix product = matrix_new(1, rows, 0), y = matrix_new(1, columns, 0);
    struct matrix expected = matrix_zero(1, columns, 0);
    matrix_upload(&a);
    matrix_upload(&x);
    matrix_upload(&product);
    matrix_upload(&y);

    atax_rows<<<matrix_blocks(rows, block), block>>>(a.device, x.device, product.device, rows,
                                                     first_columns, a.pitch);
    WORKLOAD_CHECK_LAUNCH();
    atax_columns<<<matrix_blocks(columns, block), block>>>(a.device, product.device, y.device,
                                                           first_rows, columns, a.pitch);
    WORKLOAD_CHECK_LAUNCH();

    for (size_t i = 0; i < first_rows; i++) {
        const float *row = matrix_row(&a, i);
        float sum = 0.0f;
        for (size_t j = 0; j < first_columns; j++)
            sum += row[j] * x.host[j];
        for (size_t j = 0; j < columns; j++)
            expected.host[j] += row[j] * sum;
    }
    long wrong = matrix_compare(&y, &expected, 0.0f);
    matrix_free(&a);
    matrix_free(&x);
    matrix_free(&product);
    matrix_free(&y);
    matrix_free(&expected);
    return workload_verdict("atax", wrong);
}
