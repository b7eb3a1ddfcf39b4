// Products of square matrices of floats, one after the other, each launch with what the one before
// it made. A thread has one number of a product; the lanes of a warp read one number of the left
// matrix (a broadcast) and 32 neighbours of the right one.
//
//   two    (A B) D: PolyBench's benchmark 2MM
//   three  (A B) (C D): its benchmark 3MM
//
// Sums grow in memory, as there: a store in each step.
#include "matrix.h"

static __device__ void multiply_rows_of(const float *a, const float *b, float *c, unsigned rows,
                                        unsigned n, unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= rows || j >= n)
        return;
    c[i * pitch + j] = 0.0f;
    for (unsigned k = 0; k < n; k++)
        c[i * pitch + j] += a[i * pitch + k] * b[k * pitch + j];
}

__global__ void multiply(const float *a, const float *b, float *c, unsigned n, unsigned pitch)
{
    multiply_rows_of(a, b, c, n, n, pitch);
}

// The first rows of the product alone.
__global__ void multiply_rows(const float *a, const float *b, float *c, unsigned rows, unsigned n,
                              unsigned pitch)
{
    multiply_rows_of(a, b, c, rows, n, pitch);
}

enum { N, ROWS, PAD, BLOCK_X, BLOCK_Y, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "rows and columns of each matrix", 256, 1, 4096, NULL},
    {"rows", "of the result, and of A B, that are computed, the first ones; 0 for all", 0, 0, 4096,
     NULL},
    {"pad", "numbers between a row and the next", 0, 0, 1024, NULL},
    {"block-x", "columns of a block", 32, 1, 32, NULL},
    {"block-y", "rows of a block", 8, 1, 32, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "products", 0, 0, 0, "two three"},
};

// Of a product that has as many rows as are computed.
static struct matrix product_on_host(const struct matrix *a, const struct matrix *b, unsigned rows)
{
    struct matrix c = matrix_zero(rows, b->columns, b->pitch - b->columns);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < a->columns; k++) {
            float left = matrix_row(a, i)[k];
            const float *right = matrix_row(b, k);
            float *sums = matrix_row(&c, i);
            for (size_t j = 0; j < b->columns; j++)
                sums[j] += left * right[j];
        }
    return c;
}

// The first rows of a product on the device, and the same on the host.
static struct matrix product(const struct matrix *a, const struct matrix *b, unsigned rows)
{
    struct matrix c = product_on_host(a, b, rows);
    WORKLOAD_CHECK(cudaMalloc((void **)&c.device, matrix_bytes(&c)));
    dim3 block((unsigned)options[BLOCK_X].value, (unsigned)options[BLOCK_Y].value);
    dim3 grid(matrix_blocks(c.columns, block.x), matrix_blocks(c.rows, block.y));
    if (rows == c.columns)
        multiply<<<grid, block>>>(a->device, b->device, c.device, rows, c.pitch);
    else
        multiply_rows<<<grid, block>>>(a->device, b->device, c.device, rows, c.columns, c.pitch);
    WORKLOAD_CHECK_LAUNCH();
    return c;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "gemm_chain", "multiplies matrices one after the other", options,
                   OPTIONS);
    unsigned n = (unsigned)options[N].value, pad = (unsigned)options[PAD].value;
    unsigned rows = matrix_part(options[ROWS].value, n);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // Numbers from -1 to 1: a sum of sums deviates from zero by about n, and would have to by 2^24
    // for it to depend on how it is added up.
    struct matrix a = matrix_random(n, n, pad, 1, &random);
    struct matrix b = matrix_random(n, n, pad, 1, &random);
    struct matrix d = matrix_random(n, n, pad, 1, &random);
    matrix_upload(&a);
    matrix_upload(&b);
    matrix_upload(&d);
    struct matrix left = product(&a, &b, rows), right = d;
    if (options[VARIANT].value == 1) {
        struct matrix c = matrix_random(n, n, pad, 1, &random);
        matrix_upload(&c);
        right = product(&c, &d, n);
        matrix_free(&c);
        matrix_free(&d);
    }
    struct matrix result = product(&left, &right, rows), expected = matrix_copy(&result);
    long wrong = matrix_compare(&result, &expected, 0.0f);
    matrix_free(&a);
    matrix_free(&b);
    matrix_free(&left);
    matrix_free(&right);
    matrix_free(&result);
    matrix_free(&expected);
    return workload_verdict("gemm_chain", wrong);
}
