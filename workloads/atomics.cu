// How long atomics take by how many of them go to one address: 0, 25, 50, 75 and 100 % of them, the
// others to counters of their own choice.
//
//   global  counters in global memory: L2 serves those at one address one after another
//   shared  each block's own, in shared memory, added to the global ones at its end
#include "timing.h"

// A number that no thread shares with another, mixed (the finaliser of MurmurHash3, A. Appleby).
__host__ __device__ inline unsigned mixed(unsigned number)
{
    number ^= number >> 16;
    number *= 0x85ebca6bu;
    number ^= number >> 13;
    number *= 0xc2b2ae35u;
    return number ^ number >> 16;
}

// Which counter a thread's i-th atomic goes to.
__host__ __device__ inline unsigned counter_of(unsigned thread, unsigned i, unsigned share,
                                               unsigned counters)
{
    unsigned chosen = mixed(thread * 64 + i);
    unsigned own = (unsigned)((unsigned long long)(chosen >> 8) * counters >> 24);
    return (chosen & 255) * 100 < share * 256 ? 0 : own;
}

__global__ void atomics_global(unsigned int *counts, unsigned counters, unsigned share,
                               unsigned each, unsigned long long *times)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        times[2 * blockIdx.x] = timing_nanoseconds();
    for (unsigned i = 0; i < each; i++)
        atomicAdd(&counts[counter_of(thread, i, share, counters)], 1u);
    __syncthreads();
    // Comes back behind what this thread has sent to the same address.
    if (threadIdx.x == 0 && atomicAdd(&counts[0], 0u) != ~0u)
        times[2 * blockIdx.x + 1] = timing_nanoseconds();
}

__global__ void atomics_shared(unsigned int *counts, unsigned counters, unsigned share,
                               unsigned each, unsigned long long *times)
{
    extern __shared__ unsigned int mine[];
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned counter = threadIdx.x; counter < counters; counter += blockDim.x)
        mine[counter] = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        times[2 * blockIdx.x] = timing_nanoseconds();
    for (unsigned i = 0; i < each; i++)
        atomicAdd(&mine[counter_of(thread, i, share, counters)], 1u);
    __syncthreads();
    if (threadIdx.x == 0 && mine[0] != ~0u)
        times[2 * blockIdx.x + 1] = timing_nanoseconds();
    for (unsigned counter = threadIdx.x; counter < counters; counter += blockDim.x)
        if (mine[counter] != 0)
            atomicAdd(&counts[counter], mine[counter]);
}

enum { COUNTERS, EACH, GRID, BLOCK, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"counters", "that atomics go to", 1024, 1, 8192, NULL},
    {"each", "atomics of a thread", 8, 1, 64, NULL},
    {"grid", "blocks", 80, 1, 65535, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"variant", "where the counters are", 0, 0, 0, "global shared"},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "atomics", "atomics by the share of them at one address", options,
                   OPTIONS);
    unsigned counters = (unsigned)options[COUNTERS].value, each = (unsigned)options[EACH].value;
    unsigned grid = (unsigned)options[GRID].value, block = (unsigned)options[BLOCK].value;
    size_t bytes = counters * sizeof(unsigned int);
    unsigned int *counts = (unsigned int *)workload_allocate(bytes);
    unsigned int *expected = (unsigned int *)workload_allocate(bytes), *device_counts;
    unsigned long long *times;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_counts, bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&times, 2 * grid * sizeof *times));
    bool told = timing_is_told("atomics");
    if (told)
        printf("at one address  nanoseconds  atomics a nanosecond\n");
    long wrong = -1;
    for (unsigned share = 0; share <= 100 && wrong < 0; share += 25) {
        WORKLOAD_CHECK(cudaMemset(device_counts, 0, bytes));
        if (options[VARIANT].value == 0)
            atomics_global<<<grid, block>>>(device_counts, counters, share, each, times);
        else
            atomics_shared<<<grid, block, bytes>>>(device_counts, counters, share, each, times);
        WORKLOAD_CHECK_LAUNCH();
        WORKLOAD_CHECK(cudaMemcpy(counts, device_counts, bytes, cudaMemcpyDeviceToHost));
        double nanoseconds = timing_of(times, grid);
        if (told)
            printf("%12u %%  %11.0f  %20.2f\n", share, nanoseconds,
                   (double)grid * block * each / nanoseconds);
        memset(expected, 0, bytes);
        for (unsigned thread = 0; thread < grid * block; thread++)
            for (unsigned i = 0; i < each; i++)
                expected[counter_of(thread, i, share, counters)]++;
        for (unsigned counter = 0; counter < counters && wrong < 0; counter++)
            if (counts[counter] != expected[counter])
                wrong = (long)counter;
    }
    WORKLOAD_CHECK(cudaFree(device_counts));
    WORKLOAD_CHECK(cudaFree(times));
    free(counts);
    free(expected);
    return workload_verdict("atomics", wrong);
}
