// C = alpha A B' + alpha B A' + beta C: the update of rank 2 m of a square matrix. A thread has one
// number of C, the lanes of a warp have neighbours in a row, and each step reads two numbers that
// are the same for all lanes, and twice 32 lines, a row apart, each of which holds the next 31
// steps' numbers too.
//
// Sums grow in memory, as in PolyBench, whose benchmark SYR2K this is: a store in each step.
#include "matrix.h"

static __device__ void update(const float *a, const float *b, float *c, float alpha, float beta,
                              unsigned rows, unsigned n, unsigned m, unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= rows || j >= n)
        return;
    c[i * n + j] *= beta;
    for (unsigned k = 0; k < m; k++)
        c[i * n + j] += alpha * a[i * pitch + k] * b[j * pitch + k] +
                        alpha * b[i * pitch + k] * a[j * pitch + k];
}

__global__ void syr2k(const float *a, const float *b, float *c, float alpha, float beta, unsigned n,
                      unsigned m, unsigned pitch)
{
    update(a, b, c, alpha, beta, n, n, m, pitch);
}

// The first rows of C alone.
__global__ void syr2k_rows(const float *a, const float *b, float *c, float alpha, float beta,
                           unsigned rows, unsigned n, unsigned m, unsigned pitch)
{
    update(a, b, c, alpha, beta, rows, n, m, pitch);
}

enum { N, M, ROWS, PAD, BLOCK_X, BLOCK_Y, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "rows of A and B, and rows and columns of C", 96, 1, 4096, NULL},
    {"m", "columns of A and B", 256, 1, 4096, NULL},
    {"rows", "of C that are computed, the first ones; 0 for all", 0, 0, 4096, NULL},
    {"pad", "numbers between a row of A or B and the next", 0, 0, 1024, NULL},
    {"block-x", "columns of a block", 32, 1, 32, NULL},
    {"block-y", "rows of a block", 8, 1, 32, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
};

static float update_on_host(const struct matrix *a, const struct matrix *b, size_t i, size_t j)
{
    const float *a_i = matrix_row(a, i), *a_j = matrix_row(a, j);
    const float *b_i = matrix_row(b, i), *b_j = matrix_row(b, j);
    float sum = 0.0f;
    for (size_t k = 0; k < a->columns; k++)
        sum += a_i[k] * b_j[k] + b_i[k] * a_j[k];
    return sum;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "syr2k", "C = alpha A B' + alpha B A' + beta C", options, OPTIONS);
    unsigned n = (unsigned)options[N].value, m = (unsigned)options[M].value;
    unsigned pad = (unsigned)options[PAD].value, rows = matrix_part(options[ROWS].value, n);
    const float alpha = 3.0f, beta = 2.0f;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // Whole numbers, and no sum is above 2 * 3 * 64 * 4096 + 16: exact, however they are added up.
    struct matrix a = matrix_random(n, m, pad, 8, &random);
    struct matrix b = matrix_random(n, m, pad, 8, &random);
    struct matrix c = matrix_random(n, n, 0, 8, &random), expected = matrix_copy(&c);
    matrix_upload(&a);
    matrix_upload(&b);
    matrix_upload(&c);

    dim3 block((unsigned)options[BLOCK_X].value, (unsigned)options[BLOCK_Y].value);
    dim3 grid(matrix_blocks(n, block.x), matrix_blocks(rows, block.y));
    if (rows == n)
        syr2k<<<grid, block>>>(a.device, b.device, c.device, alpha, beta, n, m, a.pitch);
    else
        syr2k_rows<<<grid, block>>>(a.device, b.device, c.device, alpha, beta, rows, n, m, a.pitch);
    WORKLOAD_CHECK_LAUNCH();

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++) {
            float *wanted = &matrix_row(&expected, i)[j];
            *wanted = alpha * update_on_host(&a, &b, i, j) + beta * *wanted;
        }
    long wrong = matrix_compare(&c, &expected, 0.0f);
    matrix_free(&a);
    matrix_free(&b);
    matrix_free(&c);
    matrix_free(&expected);
    return workload_verdict("syr2k", wrong);
}
