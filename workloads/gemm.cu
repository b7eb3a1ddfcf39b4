// C = A * B for square matrices of floats: n^3 multiply-adds on n^2 numbers, so every number is
// used n times, and the question is from which memory.
//
//   naive   each thread walks a row of A and a column of B in global memory. The lanes of a warp
//           read one element of A (a broadcast) and 32 neighbours of B; re-use is left to L1 and L2
//   tiled   a block keeps a tile of A and a tile of B, 16 by 16 each, in shared memory: each
//           number then comes from global memory n / 16 times instead of n times
//   update  naive, and what C held before is added: C is read as well as written
#include "workload.h"

#define TILE 16

__global__ void gemm_naive(const float *a, const float *b, float *c, unsigned n)
{
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n)
        return;
    float sum = 0.0f;
    for (unsigned k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void gemm_tiled(const float *a, const float *b, float *c, unsigned n)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    unsigned column = blockIdx.x * TILE + threadIdx.x;
    unsigned row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0.0f;
    for (unsigned first = 0; first < n; first += TILE) {
        // Outside the matrix the tile is zero, which adds nothing: every thread reaches the
        // barriers.
        unsigned k = first + threadIdx.x;
        tile_a[threadIdx.y][threadIdx.x] = row < n && k < n ? a[row * n + k] : 0.0f;
        k = first + threadIdx.y;
        tile_b[threadIdx.y][threadIdx.x] = k < n && column < n ? b[k * n + column] : 0.0f;
        __syncthreads();
        for (unsigned i = 0; i < TILE; i++)
            sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

// In blocks of the naive variant's shape.
__global__ void gemm_update(const float *a, const float *b, float *c, unsigned n)
{
    unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= n || column >= n)
        return;
    float sum = 0.0f;
    for (unsigned k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] += sum;
}

enum { NAIVE, TILED, UPDATE };
enum { N, BLOCK_X, BLOCK_Y, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "rows and columns of each matrix", 256, 1, 8192, NULL},
    {"block-x", "columns of a block, but of the tiled variant", 32, 1, 32, NULL},
    {"block-y", "rows of a block, but of the tiled variant", 8, 1, 32, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "where re-used numbers are kept, or C added to", 0, 0, 0, "naive tiled update"},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "gemm", "multiplies two square matrices of floats", options,
                   OPTIONS);
    unsigned n = (unsigned)options[N].value;
    size_t count = (size_t)n * n, bytes = count * sizeof(float);
    float *a = (float *)workload_allocate(bytes), *b = (float *)workload_allocate(bytes);
    float *c = (float *)workload_allocate(bytes);
    float *expected = (float *)workload_allocate(n * sizeof(float));
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // Whole numbers from -8 to 7: a sum of up to 8192 products and one stays below 2^24, so it is
    // exact whatever the order of the additions and however they are fused.
    for (size_t i = 0; i < count; i++) {
        a[i] = (float)workload_below(&random, 16) - 8.0f;
        b[i] = (float)workload_below(&random, 16) - 8.0f;
    }
    float *before = (float *)workload_allocate(bytes); // what C holds, where that matters
    memset(before, 0, bytes);

    float *device_a = (float *)workload_upload(a, bytes);
    float *device_b = (float *)workload_upload(b, bytes), *device_c;
    if (options[VARIANT].value == UPDATE) {
        for (size_t i = 0; i < count; i++)
            before[i] = (float)workload_below(&random, 16) - 8.0f;
        device_c = (float *)workload_upload(before, bytes);
    } else {
        WORKLOAD_CHECK(cudaMalloc((void **)&device_c, bytes));
    }
    if (options[VARIANT].value != TILED) {
        dim3 block((unsigned)options[BLOCK_X].value, (unsigned)options[BLOCK_Y].value);
        dim3 grid((n + block.x - 1) / block.x, (n + block.y - 1) / block.y);
        if (options[VARIANT].value == UPDATE)
            gemm_update<<<grid, block>>>(device_a, device_b, device_c, n);
        else
            gemm_naive<<<grid, block>>>(device_a, device_b, device_c, n);
    } else {
        dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
        gemm_tiled<<<grid, block>>>(device_a, device_b, device_c, n);
    }
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(c, device_c, bytes, cudaMemcpyDeviceToHost));

    long wrong = -1;
    for (size_t row = 0; row < n && wrong < 0; row++) {
        memcpy(expected, before + row * n, n * sizeof(float));
        for (size_t k = 0; k < n; k++)
            for (size_t column = 0; column < n; column++)
                expected[column] += a[row * n + k] * b[k * n + column];
        for (size_t column = 0; column < n && wrong < 0; column++)
            if (c[row * n + column] != expected[column])
                wrong = (long)(row * n + column);
    }
    WORKLOAD_CHECK(cudaFree(device_a));
    WORKLOAD_CHECK(cudaFree(device_b));
    WORKLOAD_CHECK(cudaFree(device_c));
    free(a);
    free(b);
    free(c);
    free(before);
    free(expected);
    return workload_verdict("gemm", wrong);
}
