// C = alpha A B' + beta C of matrices in columns. A thread keeps 16 numbers of a row of C in registers, and a block 128
// rows of them. Eight columns of B at a time come through shared memory, from where they are read as vectors of four;
// numbers of A come from global memory, neighbours in a column for neighbouring lanes.
//
// As Parboil's sgemm, whose medium matrices have 1024, 1056 and 992 rows or columns.
#include "../../../../workloads/workload.h"

#define WIDTH 16  // numbers of C of a thread
#define DEPTH 8   // columns that come at a time
#define THREADS (WIDTH * DEPTH)

__global__ void sgemm_tile(const float *a, unsigned pitch_a, const float *b, unsigned pitch_b, float *c,
                           unsigned pitch_c, unsigned steps, float alpha, float beta)
{
    __shared__ float4 tile[DEPTH][WIDTH / 4];
    float sum[WIDTH];
    unsigned thread = threadIdx.y * WIDTH + threadIdx.x;
    unsigned row = blockIdx.x * THREADS + thread, column = blockIdx.y * WIDTH;
#pragma unroll
    for (unsigned i = 0; i < WIDTH; i++)
        sum[i] = 0.0f;
    for (unsigned first = 0; first < steps; first += DEPTH) {
        ((float *)tile)[thread] = b[column + threadIdx.x + (first + threadIdx.y) * pitch_b];
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < DEPTH; k++) {
            float left = a[row + (first + k) * pitch_a];
#pragma unroll
            for (unsigned i = 0; i < WIDTH / 4; i++) {
                float4 right = tile[k][i];
                sum[4 * i] += left * right.x;
                sum[4 * i + 1] += left * right.y;
                sum[4 * i + 2] += left * right.z;
                sum[4 * i + 3] += left * right.w;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < WIDTH; i++) {
        unsigned place = row + (column + i) * pitch_c;
        c[place] = c[place] * beta + alpha * sum[i];
    }
}

enum { M, N, K, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"m", "rows of A and C, a multiple of 128", 1024, 128, 8192, NULL},
    {"n", "rows of B, columns of C, a multiple of 16", 1056, 16, 8192, NULL},
    {"k", "columns of A and B, a multiple of 8", 992, 8, 8192, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
};

// Whole numbers from -4 to 4.
static float *random_matrix(struct workload_random *random, size_t count)
{
    float *numbers = (float *)workload_allocate(count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)workload_below(random, 9) - 4;
    return numbers;
}

static void multiply_on_host(const float *a, const float *b, float *c, unsigned m, unsigned n, unsigned k)
{
    for (unsigned column = 0; column < n; column++)
        for (unsigned step = 0; step < k; step++) {
            float right = b[column + (size_t)step * n];
            for (unsigned row = 0; row < m; row++)
                c[row + (size_t)column * m] += a[row + (size_t)step * m] * right;
        }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "sgemm_tile", "multiplies matrices, tiles of the result in registers", options, OPTIONS);
    unsigned m = (unsigned)options[M].value / THREADS * THREADS, n = (unsigned)options[N].value / WIDTH * WIDTH;
    unsigned k = (unsigned)options[K].value / DEPTH * DEPTH;
    size_t of_a = (size_t)m * k, of_b = (size_t)n * k, of_c = (size_t)m * n;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    float *a = random_matrix(&random, of_a), *b = random_matrix(&random, of_b), *c = random_matrix(&random, of_c);
    float *found = (float *)workload_allocate(of_c * sizeof(float));
    float *device_a = (float *)workload_upload(a, of_a * sizeof(float));
    float *device_b = (float *)workload_upload(b, of_b * sizeof(float));
    float *device_c = (float *)workload_upload(c, of_c * sizeof(float));
    sgemm_tile<<<dim3(m / THREADS, n / WIDTH), dim3(WIDTH, DEPTH)>>>(device_a, m, device_b, n, device_c, m, k, 1.0f, 1.0f);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(found, device_c, of_c * sizeof(float), cudaMemcpyDeviceToHost));
    multiply_on_host(a, b, c, m, n, k);
    long wrong = workload_first_far(found, c, of_c, 0.0f);
    WORKLOAD_CHECK(cudaFree(device_a));
    WORKLOAD_CHECK(cudaFree(device_b));
    WORKLOAD_CHECK(cudaFree(device_c));
    free(a);
    free(b);
    free(c);
    free(found);
    return workload_verdict("sgemm_tile", wrong);
}
