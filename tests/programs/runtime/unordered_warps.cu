// Warps of a block that leave their exchanges unordered, but some hundred instructions apart: on a
// GPU they execute side by side, and what they read comes out right. It is a race all the same.
#include "check.h"

enum { THREADS = 256, WARP = 32, ROUNDS = 40, STEPS = 50 };

// Some hundred instructions, none of which leaves the SM. The compiler keeps what comes before and
// behind in its place.
static __device__ unsigned pass(unsigned x, int steps)
{
    asm volatile("" ::: "memory");
#pragma unroll 1
    for (int i = 0; i < steps; i++)
        x = (x ^ x >> 13) * 1664525u + 1013904223u;
    asm volatile("" ::: "memory");
    return x;
}

// Each warp writes, and half a round later reads what the next one wrote; no barrier.
__global__ void exchange(unsigned *wrong, unsigned *sink, int steps)
{
    __shared__ unsigned tile[THREADS];
    unsigned thread = threadIdx.x, misses = 0, x = thread;
    __syncthreads();
    for (unsigned round = 1; round <= ROUNDS; round++) {
        tile[thread] = round * 1000 + thread;
        x = pass(x, steps);
        unsigned other = (thread + WARP) % THREADS;
        misses += tile[other] != round * 1000 + other;
        x = pass(x, steps);
    }
    atomicAdd(wrong, misses);
    sink[blockIdx.x * THREADS + thread] = x;
}

int main(void)
{
    enum { BLOCKS = 200 };
    unsigned *wrong, *sink, host = 1;
    GOOD(cudaMalloc((void **)&wrong, sizeof *wrong));
    GOOD(cudaMalloc((void **)&sink, BLOCKS * THREADS * sizeof *sink));
    GOOD(cudaMemset(wrong, 0, sizeof *wrong));
    exchange<<<BLOCKS, THREADS>>>(wrong, sink, STEPS);
    GOOD(cudaMemcpy(&host, wrong, sizeof host, cudaMemcpyDeviceToHost));
    if (host != 0)
        std::printf("%u of %d reads came too early or too late\n", host, BLOCKS * THREADS * ROUNDS);
    CHECK(host == 0);
    return verdict();
}
