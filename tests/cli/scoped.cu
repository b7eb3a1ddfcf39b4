// Blocks leave their sums in memory, and the last one adds them up, behind a fence: what other
// blocks wrote is not what its L1 has.
#include <cstdio>

constexpr int blocks = 8, threads = 64;

__device__ unsigned finished;

__global__ void sum(const int *in, volatile int *seen, int *sums, int *out)
{
    __shared__ bool last;
    int own = sums[threadIdx.x % blocks]; // an old copy, in each L1
    seen[blockIdx.x * threads + threadIdx.x] = own;
    atomicAdd(&sums[blockIdx.x], in[blockIdx.x * threads + threadIdx.x]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicAdd(&finished, 1) == blocks - 1;
    __syncthreads();
    if (!last || threadIdx.x != 0)
        return;
    __threadfence();
    int all = 0;
    for (int i = 0; i < blocks; i++)
        all += sums[i];
    *out = all;
}

int main()
{
    int *memory, host[blocks * threads];
    cudaMalloc(&memory, (2 * blocks * threads + blocks + 1) * sizeof(int));
    cudaMemset(memory, 0, (2 * blocks * threads + blocks + 1) * sizeof(int));
    for (int i = 0; i < blocks * threads; i++)
        host[i] = i;
    int *sums = memory + 2 * blocks * threads;
    cudaMemcpy(memory, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<blocks, threads>>>(memory, memory + blocks * threads, sums, sums + blocks);
    int result = 0;
    cudaMemcpy(&result, sums + blocks, sizeof result, cudaMemcpyDeviceToHost);
    bool right = result == blocks * threads * (blocks * threads - 1) / 2;
    puts(right ? "PASS" : "FAIL");
    return !right;
}
