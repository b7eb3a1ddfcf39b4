// How many bytes a second loads bring, by the stride between neighbouring lanes, and by how many
// blocks there are to wait for them.
//
// Every thread adds up words of its own: in each step, lanes that follow each other read words a
// stride apart, and the whole grid goes on by what it has read.
#include "timing.h"

__global__ void read_strided(const unsigned int *in, unsigned int *sums, unsigned n,
                             unsigned stride, unsigned steps, unsigned long long *times)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned int sum = 0;
    if (threadIdx.x == 0)
        times[2 * blockIdx.x] = timing_nanoseconds();
#pragma unroll 4
    for (unsigned i = 0; i < steps; i++)
        sum += in[(i * threads + thread) * stride % n];
    sums[thread] = sum;
    __syncthreads(); // the store of each sum waits for its loads
    if (threadIdx.x == 0)
        times[2 * blockIdx.x + 1] = timing_nanoseconds();
}

enum { N, STRIDE, BLOCKS, BLOCK, STEPS, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "words that are read, a power of two", 1 << 20, 1, 1 << 26, NULL},
    {"stride", "the largest, in words; the others are 1, 2, 4, …", 32, 1, 1 << 16, NULL},
    {"blocks", "the most; the others are 1, 4, 16, …", 256, 1, 65535, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"steps", "loads of a thread", 16, 1, 1 << 16, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
};

struct bench {
    unsigned int *in, *device_in, *sums, *device_sums;
    unsigned long long *device_times;
    unsigned n, block, steps;
    bool told;
};

// One launch, of which a line is printed; the first thread with a wrong sum, or -1.
static long measure(const struct bench *bench, unsigned blocks, unsigned stride, bool print)
{
    unsigned threads = blocks * bench->block;
    read_strided<<<blocks, bench->block>>>(bench->device_in, bench->device_sums, bench->n, stride,
                                           bench->steps, bench->device_times);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(bench->sums, bench->device_sums, threads * sizeof *bench->sums,
                              cudaMemcpyDeviceToHost));
    double nanoseconds = timing_of(bench->device_times, blocks);
    double bytes = (double)threads * bench->steps * sizeof(unsigned int);
    if (print)
        printf("%6u  %6u  %8.1f\n", stride, blocks, bytes / nanoseconds);
    for (unsigned thread = 0; thread < threads; thread++) {
        unsigned int sum = 0;
        for (unsigned i = 0; i < bench->steps; i++)
            sum += bench->in[(i * threads + thread) * stride % bench->n];
        if (sum != bench->sums[thread])
            return (long)thread;
    }
    return -1;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "bandwidth", "bytes a second by stride and by blocks", options,
                   OPTIONS);
    struct bench bench = {};
    unsigned most_blocks = (unsigned)options[BLOCKS].value;
    unsigned most_stride = (unsigned)options[STRIDE].value;
    for (bench.n = 1; bench.n <= (unsigned)options[N].value / 2; bench.n *= 2)
        continue;
    bench.block = (unsigned)options[BLOCK].value;
    bench.steps = (unsigned)options[STEPS].value;
    size_t sum_bytes = (size_t)most_blocks * bench.block * sizeof(unsigned int);
    size_t time_bytes = 2 * (size_t)most_blocks * sizeof(unsigned long long);
    bench.in = (unsigned int *)workload_allocate(bench.n * sizeof(unsigned int));
    bench.sums = (unsigned int *)workload_allocate(sum_bytes);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned i = 0; i < bench.n; i++)
        bench.in[i] = workload_below(&random, 1000);
    bench.device_in = (unsigned int *)workload_upload(bench.in, bench.n * sizeof(unsigned int));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.device_sums, sum_bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.device_times, time_bytes));
    bench.told = timing_is_told("bandwidth");
    if (bench.told)
        printf("stride  blocks  GB/s asked for\n");
    long wrong = measure(&bench, most_blocks, 1, false); // brings what fits into L2
    for (unsigned stride = 1; stride <= most_stride && wrong < 0; stride *= 2)
        wrong = measure(&bench, most_blocks, stride, bench.told);
    for (unsigned blocks = 1; blocks < most_blocks && wrong < 0; blocks *= 4)
        wrong = measure(&bench, blocks, 1, bench.told);
    WORKLOAD_CHECK(cudaFree(bench.device_in));
    WORKLOAD_CHECK(cudaFree(bench.device_sums));
    WORKLOAD_CHECK(cudaFree(bench.device_times));
    free(bench.in);
    free(bench.sums);
    return workload_verdict("bandwidth", wrong);
}
