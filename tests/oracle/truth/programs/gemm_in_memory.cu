// C = alpha A B + beta C of square matrices in rows, where the sum grows in memory: C is multiplied by beta first, and
// each step reads it, adds a product and stores it.
//
// As PolyBench's GEMM on a GPU, in its blocks of 32 by 8.
#include "../../../../workloads/matrix.h"

__global__ void gemm_in_memory(const float *a, const float *b, float *c, float alpha, float beta, unsigned n)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    c[i * n + j] *= beta;
    for (unsigned k = 0; k < n; k++)
        c[i * n + j] += alpha * a[i * n + k] * b[k * n + j];
}

enum { N, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "rows and columns of each matrix", 512, 1, 4096, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "gemm_in_memory", "C = alpha A B + beta C, a store a step", options, OPTIONS);
    unsigned n = (unsigned)options[N].value;
    const float alpha = 2.0f, beta = 3.0f;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // Whole numbers, and no sum above 2 * 16 * 4096 + 12: exact.
    struct matrix a = matrix_random(n, n, 0, 4, &random), b = matrix_random(n, n, 0, 4, &random);
    struct matrix c = matrix_random(n, n, 0, 4, &random), expected = matrix_copy(&c);
    matrix_upload(&a);
    matrix_upload(&b);
    matrix_upload(&c);
    dim3 block(32, 8), grid(matrix_blocks(n, block.x), matrix_blocks(n, block.y));
    gemm_in_memory<<<grid, block>>>(a.device, b.device, c.device, alpha, beta, n);
    WORKLOAD_CHECK_LAUNCH();
    for (size_t i = 0; i < n; i++) {
        float *sums = matrix_row(&expected, i);
        for (size_t j = 0; j < n; j++)
            sums[j] *= beta;
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++)
                sums[j] += alpha * matrix_row(&a, i)[k] * matrix_row(&b, k)[j];
    }
    long wrong = matrix_compare(&c, &expected, 0.0f);
    matrix_free(&a);
    matrix_free(&b);
    matrix_free(&c);
    matrix_free(&expected);
    return workload_verdict("gemm_in_memory", wrong);
}
