// C = alpha A A' + beta C: the update of rank m of a square matrix. A thread has one number of C,
// the lanes of a warp have neighbours in a row, and each step multiplies a number of one row of A
// by those of 32 rows: one that is the same for all lanes, and 32 lines, a row apart, each of which
// holds the next 31 steps' numbers too.
//
// Sums grow in memory, as in PolyBench, whose benchmark SYRK this is: a store in each step.
#include "matrix.h"

// The first `rows` rows of C.
__global__ void syrk(const float *a, float *c, float alpha, float beta, unsigned rows, unsigned n,
                     unsigned m, unsigned pitch)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= rows || j >= n)
        return;
    c[i * n + j] *= beta;
    for (unsigned k = 0; k < m; k++)
        c[i * n + j] += alpha * a[i * pitch + k] * a[j * pitch + k];
}

enum { N, M, ROWS, PAD, BLOCK_X, BLOCK_Y, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "rows of A, and rows and columns of C", 128, 1, 4096, NULL},
    {"m", "columns of A", 512, 1, 4096, NULL},
    {"rows", "of C that are computed, the first ones; 0 for all", 0, 0, 4096, NULL},
    {"pad", "numbers between a row of A and the next", 0, 0, 1024, NULL},
    {"block-x", "columns of a block", 32, 1, 32, NULL},
    {"block-y", "rows of a block", 8, 1, 32, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "syrk", "C = alpha A A' + beta C", options, OPTIONS);
    unsigned n = (unsigned)options[N].value, m = (unsigned)options[M].value;
    unsigned rows = matrix_part(options[ROWS].value, n);
    const float alpha = 3.0f, beta = 2.0f;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // Whole numbers, and no sum is above 3 * 64 * 4096 + 16: exact, however they are added up.
    struct matrix a = matrix_random(n, m, (unsigned)options[PAD].value, 8, &random);
    struct matrix c = matrix_random(n, n, 0, 8, &random), expected = matrix_copy(&c);
    matrix_upload(&a);
    matrix_upload(&c);

    dim3 block((unsigned)options[BLOCK_X].value, (unsigned)options[BLOCK_Y].value);
    dim3 grid(matrix_blocks(n, block.x), matrix_blocks(rows, block.y));
    syrk<<<grid, block>>>(a.device, c.device, alpha, beta, rows, n, m, a.pitch);
    WORKLOAD_CHECK_LAUNCH();

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++) {
            const float *left = matrix_row(&a, i), *right = matrix_row(&a, j);
            float sum = 0.0f;
            for (size_t k = 0; k < m; k++)
                sum += left[k] * right[k];
            float *wanted = &matrix_row(&expected, i)[j];
            *wanted = alpha * sum + beta * *wanted;
        }
    long wrong = matrix_compare(&c, &expected, 0.0f);
    matrix_free(&a);
    matrix_free(&c);
    matrix_free(&expected);
    return workload_verdict("syrk", wrong);
}
