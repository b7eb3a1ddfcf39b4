// How often each value of six bits occurs in bytes. A thread has 64 counters of a byte in shared memory, which no other
// one changes, and reads vectors of 16 bytes; then it adds up one value's counters of all of the block's threads,
// beginning with another one than its neighbours. The blocks' sums are what is written.
//
// As the CUDA SDK's histogram (kernel histogram64Kernel): there 4370 blocks of 64 threads for 2^26 bytes.
#include "../../../../workloads/workload.h"

#define THREADS 64
#define VALUES 64

__global__ void histogram64(const uint4 *data, unsigned vectors, unsigned *counts)
{
    __shared__ unsigned words[THREADS * VALUES / 4];
    unsigned char *counter = (unsigned char *)words;
    for (unsigned i = 0; i < VALUES / 4; i++)
        words[threadIdx.x + i * THREADS] = 0;
    __syncthreads();
    // The bits of the thread's number are moved so that neighbours' counters lie in different banks.
    unsigned char *own = counter + ((threadIdx.x & ~63u) | ((threadIdx.x & 15) << 2) | ((threadIdx.x & 48) >> 4));
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < vectors; i += gridDim.x * THREADS) {
        uint4 vector = data[i];
        unsigned four[4] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
        for (unsigned k = 0; k < 4; k++)
#pragma unroll
            for (unsigned shift = 2; shift < 32; shift += 8)
                own[(four[k] >> shift & 63) * THREADS]++;
    }
    __syncthreads();
    unsigned char *row = counter + threadIdx.x * THREADS;
    unsigned sum = 0, at = 4 * (threadIdx.x & 15);
    for (unsigned i = 0; i < THREADS; i++) {
        sum += row[at];
        at = (at + 1) % THREADS;
    }
    counts[blockIdx.x * VALUES + threadIdx.x] = sum;
}

enum { LOG, BLOCKS, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"log", "of the bytes' count, to base 2", 26, 4, 30, NULL},
    {"blocks", "of 64 threads", 4370, 1, 1 << 16, NULL},
    {"seed", "of the bytes", 1, 0, 1000000000, NULL},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "histogram64", "counts of values of six bits", options, OPTIONS);
    size_t bytes = (size_t)1 << options[LOG].value;
    unsigned blocks = (unsigned)options[BLOCKS].value, vectors = (unsigned)(bytes / sizeof(uint4));
    if ((size_t)vectors / blocks / THREADS + 1 > 15) { // a counter of a byte holds 255
        fprintf(stderr, "histogram64: %zu bytes need more --blocks than %u\n", bytes, blocks);
        return 2;
    }
    unsigned *data = (unsigned *)workload_allocate(bytes), *counts;
    size_t sums = (size_t)blocks * VALUES * sizeof(unsigned);
    unsigned *found = (unsigned *)workload_allocate(sums);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    unsigned long long expected[VALUES] = {0}, counted[VALUES] = {0};
    for (size_t i = 0; i < bytes / sizeof(unsigned); i++) {
        data[i] = workload_next(&random);
        for (unsigned shift = 2; shift < 32; shift += 8)
            expected[data[i] >> shift & 63]++;
    }
    unsigned *device = (unsigned *)workload_upload(data, bytes);
    WORKLOAD_CHECK(cudaMalloc((void **)&counts, sums));
    histogram64<<<blocks, THREADS>>>((const uint4 *)device, vectors, counts);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(found, counts, sums, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < (size_t)blocks * VALUES; i++)
        counted[i % VALUES] += found[i];
    long wrong = -1;
    for (unsigned i = 0; i < VALUES && wrong < 0; i++)
        if (counted[i] != expected[i])
            wrong = i;
    WORKLOAD_CHECK(cudaFree(device));
    WORKLOAD_CHECK(cudaFree(counts));
    free(data);
    free(found);
    return workload_verdict("histogram64", wrong);
}
