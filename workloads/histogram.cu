// How often each value occurs. The input is a stream; the counters are few and everybody's.
//
//   global  every element adds 1 to a counter in global memory: atomics meet in the L2
//   shared  a block counts in its own shared memory and adds its counters to the global ones at the
//           end: the L2 sees one atomic a counter and block
//
// --skew gives one value that share of all elements, so that lanes of a warp fall on one counter.
#include "workload.h"

__global__ void histogram_global(const unsigned int *in, unsigned int *counts, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[in[i]], 1u);
}

__global__ void histogram_shared(const unsigned int *in, unsigned int *counts, unsigned n,
                                 unsigned bins)
{
    extern __shared__ unsigned int mine[];
    for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
        mine[bin] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x)
        if (mine[bin] != 0)
            atomicAdd(&counts[bin], mine[bin]);
}

enum { N, BINS, BLOCK, GRID, SKEW, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "elements", 1 << 20, 1, 1 << 28, NULL},
    {"bins", "different values", 256, 1, 8192, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"grid", "blocks", 128, 1, 65535, NULL},
    {"skew", "percent of the elements that have one value", 0, 0, 100, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "where a block counts", 0, 0, 0, "global shared"},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "histogram", "counts how often each value occurs", options, OPTIONS);
    unsigned n = (unsigned)options[N].value, bins = (unsigned)options[BINS].value;
    unsigned block = (unsigned)options[BLOCK].value, grid = (unsigned)options[GRID].value;
    size_t bytes = n * sizeof(unsigned int), count_bytes = bins * sizeof(unsigned int);
    unsigned int *in = (unsigned int *)workload_allocate(bytes);
    unsigned int *counts = (unsigned int *)workload_allocate(count_bytes);
    unsigned int *expected = (unsigned int *)workload_allocate(count_bytes);
    memset(counts, 0, count_bytes);
    memset(expected, 0, count_bytes);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned i = 0; i < n; i++) {
        bool favoured = workload_below(&random, 100) < (unsigned)options[SKEW].value;
        in[i] = favoured ? bins / 2 : workload_below(&random, bins);
        expected[in[i]]++;
    }

    unsigned int *device_in = (unsigned int *)workload_upload(in, bytes);
    unsigned int *device_counts = (unsigned int *)workload_upload(counts, count_bytes);
    if (options[VARIANT].value == 0)
        histogram_global<<<grid, block>>>(device_in, device_counts, n);
    else
        histogram_shared<<<grid, block, count_bytes>>>(device_in, device_counts, n, bins);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(counts, device_counts, count_bytes, cudaMemcpyDeviceToHost));

    long wrong = -1;
    for (unsigned bin = 0; bin < bins && wrong < 0; bin++)
        if (counts[bin] != expected[bin])
            wrong = (long)bin;
    WORKLOAD_CHECK(cudaFree(device_in));
    WORKLOAD_CHECK(cudaFree(device_counts));
    free(in);
    free(counts);
    free(expected);
    return workload_verdict("histogram", wrong);
}
