// s = A' r and q = A p, the two products of a step of the biconjugate gradient method: the same
// matrix, walked through in both ways.
//
//   bicg_columns  a thread takes a column: the lanes of a warp read neighbours, each line once
//   bicg_rows     a thread takes a row: the lanes of a warp read 32 lines, a row apart, and come
//                 back to each for its next number 31 times more, if it still lies in the cache by
//                 then. p is the same number for all lanes
//
// Sums grow in memory, as in PolyBench, whose benchmark BICG this is: a store in each step.
#include "matrix.h"

__global__ void bicg_columns(const float *a, const float *r, float *s, unsigned rows,
                             unsigned columns, unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= columns)
        return;
    s[j] = 0.0f;
    for (unsigned i = 0; i < rows; i++)
        s[j] += a[i * pitch + j] * r[i];
}

__global__ void bicg_rows(const float *a, const float *p, float *q, unsigned rows, unsigned columns,
                          unsigned pitch)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows)
        return;
    q[i] = 0.0f;
    for (unsigned j = 0; j < columns; j++)
        q[i] += a[i * pitch + j] * p[j];
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

// The first rows' part of s and the first columns' of q.
static void products_on_host(const struct matrix *a, const float *r, const float *p, float *s,
                             float *q, unsigned first_rows, unsigned first_columns)
{
    for (size_t i = 0; i < a->rows; i++) {
        const float *row = matrix_row(a, i);
        for (size_t j = 0; j < a->columns && i < first_rows; j++)
            s[j] += row[j] * r[i];
        for (size_t j = 0; j < first_columns; j++)
            q[i] += row[j] * p[j];
    }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "bicg", "s = A' r and q = A p", options, OPTIONS);
    unsigned rows = (unsigned)options[ROWS].value, columns = (unsigned)options[COLUMNS].value;
    unsigned block = (unsigned)options[BLOCK].value;
    unsigned first_columns = matrix_part(options[STEPS].value, columns);
    unsigned first_rows = matrix_part(options[STEPS].value, rows);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // Whole numbers, and no sum is above 16 * 16384: exact, however they are added up.
    struct matrix a = matrix_random(rows, columns, (unsigned)options[PAD].value, 4, &random);
    struct matrix r = matrix_random(1, rows, 0, 4, &random);
    struct matrix p = matrix_random(1, columns, 0, 4, &random);
    struct matrix s = matrix_new(1, columns, 0), q = matrix_new(1, rows, 0);
    struct matrix expected_s = matrix_zero(1, columns, 0), expected_q = matrix_zero(1, rows, 0);
    matrix_upload(&a);
    matrix_upload(&r);
    matrix_upload(&p);
    matrix_upload(&s);
    matrix_upload(&q);

    bicg_columns<<<matrix_blocks(columns, block), block>>>(a.device, r.device, s.device, first_rows,
                                                           columns, a.pitch);
    WORKLOAD_CHECK_LAUNCH();
    bicg_rows<<<matrix_blocks(rows, block), block>>>(a.device, p.device, q.device, rows,
                                                     first_columns, a.pitch);
    WORKLOAD_CHECK_LAUNCH();

    products_on_host(&a, r.host, p.host, expected_s.host, expected_q.host, first_rows,
                     first_columns);
    long wrong = matrix_compare(&s, &expected_s, 0.0f);
    if (wrong < 0)
        wrong = matrix_compare(&q, &expected_q, 0.0f);
    matrix_free(&a);
    matrix_free(&r);
    matrix_free(&p);
    matrix_free(&s);
    matrix_free(&q);
    matrix_free(&expected_s);
    matrix_free(&expected_q);
    return workload_verdict("bicg", wrong);
}
