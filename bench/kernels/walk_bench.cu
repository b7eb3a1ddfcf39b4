// The kernels that bench/walk times: gemm naive and tiled, spmv a thread a row, bfs over all
// vertices, as in workloads/. walk_bench.ptx is this file through clang 14:
//   clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 --cuda-path=/nonexistent -nocudainc
//     -nocudalib -Xclang -target-sdk-version=11.5 -O2 -gline-directives-only
//     -fdebug-prefix-map=$PWD=. -S
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __syncthreads() asm volatile("bar.sync 0;" : : : "memory")
#include <__clang_cuda_builtin_vars.h>

#define TILE 16

extern "C" __global__ void gemm_naive(const float *a, const float *b, float *c, unsigned n)
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

extern "C" __global__ void gemm_tiled(const float *a, const float *b, float *c, unsigned n)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    unsigned column = blockIdx.x * TILE + threadIdx.x;
    unsigned row = blockIdx.y * TILE + threadIdx.y;
    float sum = 0.0f;
    for (unsigned first = 0; first < n; first += TILE) {
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

extern "C" __global__ void spmv(const unsigned *row_start, const unsigned *column,
                                const float *value, const float *x, float *y, unsigned rows)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (unsigned k = row_start[row]; k < row_start[row + 1]; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}

extern "C" __global__ void bfs(const unsigned *edge_start, const unsigned *edge, unsigned *distance,
                               unsigned vertices, unsigned step, unsigned *found)
{
    unsigned vertex = blockIdx.x * blockDim.x + threadIdx.x;
    if (vertex >= vertices || distance[vertex] != step)
        return;
    for (unsigned k = edge_start[vertex]; k < edge_start[vertex + 1]; k++) {
        unsigned neighbour = edge[k];
        if (distance[neighbour] == 0xffffffffu) {
            distance[neighbour] = step + 1;
            *found = 1;
        }
    }
}
