// Kernels with and without races on shared memory; the lines that the test looks for are marked.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

constexpr int THREADS = 128;

// Each block sums its numbers. Without the barrier in the loop, warps read what others have not
// written yet.
template <bool BARRIER> __global__ void sum(const int *from, int *to)
{
    __shared__ int partial[THREADS];
    int i = threadIdx.x;
    partial[i] = from[blockIdx.x * THREADS + i];
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (i < half)
            partial[i] = partial[i] + partial[i + half]; // LINE: sum
        if (BARRIER)
            __syncthreads();
    }
    if (i == 0)
        to[blockIdx.x] = partial[0];
}

__global__ void write_twice(int *to)
{
    __shared__ int winner;
    if (threadIdx.x % 32 == 0)
        winner = threadIdx.x; // LINE: write twice
    __syncthreads();
    to[threadIdx.x] = winner;
}

// The barrier before the second store is missing: a warp overwrites what another still reads.
__global__ void overwrite(const int *from, int *to)
{
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    int seen = tile[THREADS - 1 - threadIdx.x]; // LINE: overwritten
    tile[threadIdx.x] = 2 * seen;               // LINE: overwrites
    __syncthreads();
    to[threadIdx.x] = tile[threadIdx.x];
}

// All that follows is in order.
__global__ void lock(int *to)
{
    __shared__ int taken, total;
    if (threadIdx.x == 0)
        taken = total = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&taken, 0, 1) != 0)
            ;
        total += threadIdx.x;
        __threadfence_block();
        atomicExch(&taken, 0);
    }
    __syncthreads();
    to[threadIdx.x] = total;
}

__global__ void histogram(const int *from, int *to)
{
    __shared__ int bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[from[threadIdx.x] & 15], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        to[threadIdx.x] = bins[threadIdx.x];
}

__global__ void bytes_and_flags(int *to)
{
    __shared__ unsigned char bytes[THREADS];
    __shared__ int any;
    any = 1; // all write the same
    bytes[(threadIdx.x * 37) % THREADS] = threadIdx.x;
    __syncthreads();
    to[threadIdx.x] = bytes[threadIdx.x] + any;
}

// The first warp fills a buffer for the second: a barrier of two warps, of four in the block.
__global__ void pair(const int *from, int *to)
{
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp == 0) {
        buffer[lane] = from[lane];
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else if (warp == 1) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        to[lane] = buffer[lane];
    }
}

// Of the warps, the last to come reads what all have written: each counts itself behind a fence, and
// who was last has another one before it reads.
template <bool FENCE> __global__ void last(const int *from, int *to)
{
    __shared__ int partial[THREADS / 32], came;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (threadIdx.x == 0)
        came = 0;
    __syncthreads();
    if (lane == 0) {
        partial[warp] = from[threadIdx.x]; // LINE: own part
        if (FENCE)
            __threadfence_block();
        int before = atomicAdd(&came, 1);
        __threadfence_block();
        if (before == THREADS / 32 - 1) {
            int sum = 0;
            for (int i = 0; i < THREADS / 32; i++)
                sum += partial[i]; // LINE: others' parts
            to[0] = sum;
        }
    }
}

static int *from, *to;

int main(int count, char **arguments)
{
    cudaMalloc(&from, 4 * THREADS * sizeof(int));
    cudaMalloc(&to, 4 * THREADS * sizeof(int));
    cudaMemset(from, 1, 4 * THREADS * sizeof(int));
    bool bad = count > 1 && std::strcmp(arguments[1], "bad") == 0;
    if (bad) {
        sum<false><<<4, THREADS>>>(from, to);
        write_twice<<<1, THREADS>>>(to);
        overwrite<<<1, THREADS>>>(from, to);
        last<false><<<1, THREADS>>>(from, to);
    } else {
        sum<true><<<4, THREADS>>>(from, to);
        lock<<<2, THREADS>>>(to);
        histogram<<<1, THREADS>>>(from, to);
        bytes_and_flags<<<1, THREADS>>>(to);
        pair<<<1, THREADS>>>(from, to);
        last<true><<<1, THREADS>>>(from, to);
    }
    cudaError_t status = cudaDeviceSynchronize();
    cudaFree(from);
    cudaFree(to);
    return status == cudaSuccess ? 0 : 3;
}
