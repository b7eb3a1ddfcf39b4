// How many bytes a second loads bring from DRAM, by the stride between neighbouring lanes, and by
// how many blocks there are to wait for them.
//
// Every thread adds up words of its own: in each step, lanes that follow each other read words a
// stride apart, and the whole grid goes on by what it has read. No word is read twice, and each
// launch goes on behind the one before: what caches still have is of no use to it, unless they hold
// the whole buffer.
#include "timing.h"

__global__ void read_strided(const unsigned int *in, unsigned int *sums, unsigned stride,
                             unsigned steps, unsigned long long *times)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned int sum = 0;
    if (threadIdx.x == 0)
        times[2 * blockIdx.x] = timing_nanoseconds();
#pragma unroll 4
    for (unsigned i = 0; i < steps; i++)
        sum += in[(i * threads + thread) * stride];
    sums[thread] = sum;
    __syncthreads(); // the store of each sum waits for its loads
    if (threadIdx.x == 0)
        times[2 * blockIdx.x + 1] = timing_nanoseconds();
}

enum { STRIDE, BLOCKS, BLOCK, STEPS, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"stride", "the largest, in words; the others are 1, 2, 4, …", 32, 1, 1 << 16, NULL},
    {"blocks", "the most; the others are 1, 4, 16, …", 256, 1, 65535, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"steps", "loads of a thread", 8, 1, 1 << 16, NULL},
    {"seed", "of the input", 1, 0, 1000000000, NULL},
};

// A line of 128 bytes, at which each launch's words begin; and the most words of the buffer.
enum { LINE = 32, MOST_WORDS = 1 << 28, CHUNK = 1 << 18 };

struct bench {
    unsigned int *device_in, *sums, *device_sums;
    unsigned long long *device_times;
    unsigned long long words, next; // of the buffer; where the next launch begins
    unsigned block, steps, seed;
    bool told;
};

// The word of that place, which need not be kept for the check.
static unsigned int word_at(const struct bench *bench, unsigned long long place)
{
    unsigned long long mixed = (place + bench->seed) * 0x9e3779b97f4a7c15ull;
    return (unsigned int)(mixed >> 40) % 1000;
}

static void upload(struct bench *bench)
{
    unsigned int *chunk = (unsigned int *)workload_allocate(CHUNK * sizeof *chunk);
    WORKLOAD_CHECK(cudaMalloc((void **)&bench->device_in, bench->words * sizeof *chunk));
    for (unsigned long long at = 0; at < bench->words; at += CHUNK) {
        unsigned long long count = bench->words - at < CHUNK ? bench->words - at : CHUNK;
        for (unsigned i = 0; i < count; i++)
            chunk[i] = word_at(bench, at + i);
        WORKLOAD_CHECK(cudaMemcpy(bench->device_in + at, chunk, count * sizeof *chunk,
                                  cudaMemcpyHostToDevice));
    }
    free(chunk);
}

// One launch, of which a line is printed; the first thread with a wrong sum, or -1.
static long measure(struct bench *bench, unsigned blocks, unsigned stride)
{
    unsigned threads = blocks * bench->block;
    unsigned long long span = (unsigned long long)threads * bench->steps * stride;
    unsigned long long begin = bench->next + span <= bench->words ? bench->next : 0;
    bench->next = (begin + span + LINE - 1) / LINE * LINE;
    read_strided<<<blocks, bench->block>>>(bench->device_in + begin, bench->device_sums, stride,
                                           bench->steps, bench->device_times);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(bench->sums, bench->device_sums, threads * sizeof *bench->sums,
                              cudaMemcpyDeviceToHost));
    double nanoseconds = timing_of(bench->device_times, blocks);
    double bytes = (double)threads * bench->steps * sizeof(unsigned int);
    if (bench->told)
        printf("%6u  %6u  %14.1f  %8.0f\n", stride, blocks, bytes / nanoseconds,
               (double)span * sizeof(unsigned int) / 1024);
    for (unsigned thread = 0; thread < threads; thread++) {
        unsigned int sum = 0;
        for (unsigned i = 0; i < bench->steps; i++)
            sum += word_at(bench, begin + ((unsigned long long)i * threads + thread) * stride);
        if (sum != bench->sums[thread])
            return (long)thread;
    }
    return -1;
}

// Room for the launch of the largest stride and the one before it, at most half as wide.
static unsigned long long words_of(unsigned long long asked, unsigned most_stride)
{
    unsigned long long widest = asked * most_stride;
    return widest + (widest + 1) / 2 + asked + 2 * LINE;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "bandwidth", "bytes a second by stride and by blocks", options,
                   OPTIONS);
    struct bench bench = {};
    unsigned most_blocks = (unsigned)options[BLOCKS].value;
    unsigned most_stride = (unsigned)options[STRIDE].value;
    bench.block = (unsigned)options[BLOCK].value;
    bench.steps = (unsigned)options[STEPS].value;
    bench.seed = (unsigned)options[SEED].value;
    unsigned long long asked = (unsigned long long)most_blocks * bench.block * bench.steps;
    bench.words = words_of(asked, most_stride);
    if (bench.words > MOST_WORDS) {
        fprintf(stderr, "bandwidth: --blocks, --block, --steps and --stride come to more than 1 GiB\n");
        return 2;
    }
    size_t sum_bytes = (size_t)most_blocks * bench.block * sizeof(unsigned int);
    size_t time_bytes = 2 * (size_t)most_blocks * sizeof(unsigned long long);
    bench.sums = (unsigned int *)workload_allocate(sum_bytes);
    upload(&bench);
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.device_sums, sum_bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.device_times, time_bytes));
    bench.told = timing_is_told("bandwidth");
    if (bench.told)
        printf("stride  blocks  GB/s requested  from KiB\n");
    long wrong = -1;
    for (unsigned stride = 1; stride <= most_stride && wrong < 0; stride *= 2)
        wrong = measure(&bench, most_blocks, stride);
    for (unsigned blocks = 1; blocks < most_blocks && wrong < 0; blocks *= 4)
        wrong = measure(&bench, blocks, 1);
    WORKLOAD_CHECK(cudaFree(bench.device_in));
    WORKLOAD_CHECK(cudaFree(bench.device_sums));
    WORKLOAD_CHECK(cudaFree(bench.device_times));
    free(bench.sums);
    return workload_verdict("bandwidth", wrong);
}
