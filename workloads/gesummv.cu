// y = alpha A x + beta B x: two square matrices times one vector. A thread takes a row of both, so
// each step of a warp reads 32 lines of A and 32 of B, a row apart, and comes back to each for its
// next number 31 times more: twice what one matrix asks of a cache. x is the same number for all
// lanes.
//
// Two sums grow in memory, as in PolyBench, whose benchmark GESUMMV this is. Each step stores both,
// and as a store to one may have changed the other, or x, it loads them too.
#include "matrix.h"

static __device__ void multiply_and_add(const float *a, const float *b, const float *x,
                                        float *product, float *y, float alpha, float beta,
                                        unsigned n, unsigned steps, unsigned pitch)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    product[i] = 0.0f;
    y[i] = 0.0f;
    for (unsigned j = 0; j < steps; j++) {
        product[i] += a[i * pitch + j] * x[j];
        y[i] += b[i * pitch + j] * x[j];
    }
    y[i] = alpha * product[i] + beta * y[i];
}

__global__ void gesummv(const float *a, const float *b, const float *x, float *product, float *y,
                        float alpha, float beta, unsigned n, unsigned pitch)
{
    multiply_and_add(a, b, x, product, y, alpha, beta, n, n, pitch);
}

// The first steps of each sum alone.
__global__ void gesummv_begun(const float *a, const float *b, const float *x, float *product,
                              float *y, float alpha, float beta, unsigned n, unsigned steps,
                              unsigned pitch)
{
    multiply_and_add(a, b, x, product, y, alpha, beta, n, steps, pitch);
}

enum { N, STEPS, PAD, BLOCK, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "rows and columns of each matrix", 1024, 1, 16384, NULL},
    {"steps", "of each sum that are done, the first ones; 0 for all", 0, 0, 16384, NULL},
    {"pad", "numbers between a row and the next", 0, 0, 1024, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "gesummv", "y = alpha A x + beta B x", options, OPTIONS);
    unsigned n = (unsigned)options[N].value, block = (unsigned)options[BLOCK].value;
    unsigned pad = (unsigned)options[PAD].value, steps = matrix_part(options[STEPS].value, n);
    const float alpha = 5.0f, beta = -3.0f;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // Whole numbers, and no sum is above 8 * 16 * 16384: exact, however they are added up.
    struct matrix a = matrix_random(n, n, pad, 4, &random);
    struct matrix b = matrix_random(n, n, pad, 4, &random);
    struct matrix x = matrix_random(1, n, 0, 4, &random);
    struct matrix product = matrix_new(1, n, 0), y = matrix_new(1, n, 0);
    struct matrix expected = matrix_new(1, n, 0);
    matrix_upload(&a);
    matrix_upload(&b);
    matrix_upload(&x);
    matrix_upload(&product);
    matrix_upload(&y);

    unsigned grid = matrix_blocks(n, block);
    if (steps == n)
        gesummv<<<grid, block>>>(a.device, b.device, x.device, product.device, y.device, alpha,
                                 beta, n, a.pitch);
    else
        gesummv_begun<<<grid, block>>>(a.device, b.device, x.device, product.device, y.device,
                                       alpha, beta, n, steps, a.pitch);
    WORKLOAD_CHECK_LAUNCH();

    for (size_t i = 0; i < n; i++) {
        float sum_a = 0.0f, sum_b = 0.0f;
        for (size_t j = 0; j < steps; j++) {
            sum_a += matrix_row(&a, i)[j] * x.host[j];
            sum_b += matrix_row(&b, i)[j] * x.host[j];
        }
        expected.host[i] = alpha * sum_a + beta * sum_b;
    }
    long wrong = matrix_compare(&y, &expected, 0.0f);
    matrix_free(&a);
    matrix_free(&b);
    matrix_free(&x);
    matrix_free(&product);
    matrix_free(&y);
    matrix_free(&expected);
    return workload_verdict("gesummv", wrong);
}
