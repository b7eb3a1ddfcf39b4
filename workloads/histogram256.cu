// How often each of 256 values occurs, without atomics: a thread counts in 256 bytes of shared
// memory of its own, reads a few hundred numbers, each next to its neighbour's, and then each
// thread of the block adds up the counters of some values. The blocks' counts are added on the
// host. Numbers are read once, and nobody shares them; what limits how many warps an SM has is the
// shared memory.
//
// The pattern is that of the AMD APP SDK's sample Histogram.
#include "workload.h"

#define VALUES 256

__global__ void histogram_bytes(const unsigned *in, unsigned *counts, unsigned n, unsigned each)
{
    extern __shared__ unsigned bins[]; // of each thread VALUES bytes
    unsigned char *bytes = (unsigned char *)bins, *mine = bytes + threadIdx.x * VALUES;
    for (unsigned word = 0; word < VALUES / 4; word++)
        bins[threadIdx.x * (VALUES / 4) + word] = 0;
    for (unsigned step = 0; step < each; step++) {
        size_t i = ((size_t)blockIdx.x * each + step) * blockDim.x + threadIdx.x;
        if (i < n)
            mine[in[i]]++;
    }
    __syncthreads();
    for (unsigned value = threadIdx.x; value < VALUES; value += blockDim.x) {
        unsigned sum = 0;
        for (unsigned thread = 0; thread < blockDim.x; thread++)
            sum += bytes[thread * VALUES + value];
        counts[(size_t)blockIdx.x * VALUES + value] = sum;
    }
}

enum { N, EACH, BLOCK, SKEW, SEED, SERIAL, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "numbers", 1 << 20, 1, 1 << 28, NULL},
    {"each", "numbers of a thread, as many as a byte can count", 128, 1, 255, NULL},
    {"block", "threads of a block, which has 256 bytes of each", 128, 1, 128, NULL},
    {"skew", "percent of the numbers that are the same", 0, 0, 100, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    WORKLOAD_SERIAL_OPTION,
};

WORKLOAD_SERIAL static void count_serially(const unsigned *in, unsigned *counts, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        counts[in[i]]++;
}

static void count_on_device(const unsigned *in, unsigned *counts, unsigned n)
{
    unsigned each = (unsigned)options[EACH].value, block = (unsigned)options[BLOCK].value;
    unsigned blocks = (n - 1) / (block * each) + 1;
    size_t bytes = (size_t)blocks * VALUES * sizeof(unsigned);
    unsigned *device_in = (unsigned *)workload_upload(in, n * sizeof(unsigned)), *device_counts;
    unsigned *parts = (unsigned *)workload_allocate(bytes);
    WORKLOAD_CHECK(cudaMalloc((void **)&device_counts, bytes));
    histogram_bytes<<<blocks, block, block * VALUES>>>(device_in, device_counts, n, each);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(parts, device_counts, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < (size_t)blocks * VALUES; i++)
        counts[i % VALUES] += parts[i];
    WORKLOAD_CHECK(cudaFree(device_in));
    WORKLOAD_CHECK(cudaFree(device_counts));
    free(parts);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "histogram256", "counts how often each of 256 values occurs",
                   options, OPTIONS);
    unsigned n = (unsigned)options[N].value;
    unsigned *in = (unsigned *)workload_allocate(n * sizeof(unsigned));
    unsigned expected[VALUES] = {0}, found[VALUES] = {0};
    unsigned long long sum = 0;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned i = 0; i < n; i++) {
        bool favoured = workload_below(&random, 100) < (unsigned)options[SKEW].value;
        in[i] = favoured ? VALUES / 2 : workload_below(&random, VALUES);
        sum += in[i];
    }

    workload_trace_begin();
    count_serially(in, expected, n);
    workload_trace_end();
    unsigned total = 0;
    for (unsigned value = 0; value < VALUES; value++) {
        total += expected[value];
        sum -= (unsigned long long)value * expected[value];
    }
    long wrong = total == n && sum == 0 ? -1 : 0;
    if (wrong < 0 && !options[SERIAL].value) {
        count_on_device(in, found, n);
        for (unsigned value = 0; value < VALUES && wrong < 0; value++)
            if (found[value] != expected[value])
                wrong = (long)value;
    }
    free(in);
    return workload_verdict("histogram256", wrong);
}
