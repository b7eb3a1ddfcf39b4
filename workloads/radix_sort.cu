// Sorts whole numbers by digits of 8 bits, the lowest first: four times the same kernels.
//
//   radix_histogram  a thread counts the digits of 256 numbers that lie one after the other, so
//                    neighbouring lanes are 1 KiB apart: a load of a warp touches as many lines as
//                    it has lanes, in few sets of a cache, and the next one touches them again.
//                    Counters are in shared memory, 256 of each thread; they leave it digit by
//                    digit, a row of counts of all threads to each
//   radix_sum_rows   a block takes a digit and makes running sums of its row, in place
//   radix_offsets    a block takes a digit, and adds up the last sums of the rows before it, from
//                    its neighbour on: each is one number for all lanes, and they lie a row apart,
//                    a power of two of bytes if there is one of numbers, so all fall into few sets
//                    of the cache that has what is the same for all lanes, and no two blocks are at
//                    the same row
//   radix_permute    reads the numbers once more, in the same order, and writes each to where its
//                    digit of this thread begins, and one further for each of those before it
//
// The pattern is that of the AMD APP SDK's sample RadixSort.
#include "keys.h"

#define BITS 8
#define DIGITS 256
#define EACH 256 // numbers of a thread
#define BLOCK 64

// The shared counters of a thread are of 16 bits, for EACH numbers may be the same.
__global__ void radix_histogram(const unsigned *keys, unsigned *counts, unsigned n, unsigned shift)
{
    __shared__ unsigned short bins[BLOCK * DIGITS];
    unsigned short *mine = bins + threadIdx.x * DIGITS;
    unsigned thread = blockIdx.x * BLOCK + threadIdx.x, threads = gridDim.x * BLOCK;
    for (unsigned digit = 0; digit < DIGITS; digit++)
        mine[digit] = 0;
    for (unsigned i = thread * EACH; i < (thread + 1) * EACH && i < n; i++)
        mine[(keys[i] >> shift) % DIGITS]++;
    for (unsigned digit = 0; digit < DIGITS; digit++)
        counts[digit * threads + thread] = mine[digit];
}

// Four counts a thread at a time. What lies before the first of them is the sum of those of earlier
// turns and of the threads before this one.
__global__ void radix_sum_rows(uint4 *counts, unsigned vectors)
{
    __shared__ unsigned sums[BLOCK];
    uint4 *row = counts + blockIdx.x * vectors;
    unsigned earlier = 0;
    for (unsigned first = 0; first < vectors; first += BLOCK) {
        unsigned i = first + threadIdx.x;
        uint4 mine = make_uint4(0, 0, 0, 0);
        if (i < vectors)
            mine = row[i];
        unsigned sum = mine.x + mine.y + mine.z + mine.w;
        sums[threadIdx.x] = sum;
        for (unsigned distance = 1; distance < BLOCK; distance *= 2) {
            __syncthreads();
            unsigned before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
            __syncthreads();
            sums[threadIdx.x] += before;
        }
        mine.x += earlier + sums[threadIdx.x] - sum;
        mine.y += mine.x;
        mine.z += mine.y;
        mine.w += mine.z;
        if (i < vectors)
            row[i] = mine;
        __syncthreads();
        earlier += sums[BLOCK - 1];
        __syncthreads();
    }
}

__global__ void radix_offsets(const unsigned *sums, unsigned *offsets, unsigned threads)
{
    unsigned first = 0;
    for (unsigned digit = blockIdx.x; digit-- > 0;)
        first += sums[digit * threads + threads - 1];
    const unsigned *row = sums + blockIdx.x * threads;
    for (unsigned i = threadIdx.x; i < threads; i += BLOCK)
        offsets[blockIdx.x * threads + i] = first + (i > 0 ? row[i - 1] : 0);
}

// A thread has at most EACH - 1 numbers before one with the same digit: a byte holds how many.
__global__ void radix_permute(const unsigned *keys, unsigned *sorted, const unsigned *offsets,
                              unsigned n, unsigned shift)
{
    __shared__ unsigned char ranks[BLOCK * DIGITS];
    unsigned char *mine = ranks + threadIdx.x * DIGITS;
    unsigned thread = blockIdx.x * BLOCK + threadIdx.x, threads = gridDim.x * BLOCK;
    for (unsigned digit = 0; digit < DIGITS; digit++)
        mine[digit] = 0;
    for (unsigned i = thread * EACH; i < (thread + 1) * EACH && i < n; i++) {
        unsigned key = keys[i], digit = (key >> shift) % DIGITS;
        sorted[offsets[digit * threads + thread] + mine[digit]++] = key;
    }
}

enum { N, SEED, SERIAL, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "numbers, 256 to a thread", 1 << 16, 1, 1 << 26, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    WORKLOAD_SERIAL_OPTION,
};

// Leaves the sorted numbers in `keys`; `other` is as large.
WORKLOAD_SERIAL static void sort_serially(unsigned *keys, unsigned *other, unsigned n)
{
    for (unsigned shift = 0; shift < 32; shift += BITS) {
        unsigned counts[DIGITS] = {0}, sum = 0;
        for (unsigned i = 0; i < n; i++)
            counts[(keys[i] >> shift) % DIGITS]++;
        for (unsigned digit = 0; digit < DIGITS; digit++) {
            unsigned count = counts[digit];
            counts[digit] = sum;
            sum += count;
        }
        for (unsigned i = 0; i < n; i++)
            other[counts[(keys[i] >> shift) % DIGITS]++] = keys[i];
        unsigned *swap = keys;
        keys = other;
        other = swap;
    }
}

static void sort_on_device(unsigned *keys, unsigned n)
{
    unsigned blocks = (n - 1) / (BLOCK * EACH) + 1, threads = blocks * BLOCK;
    size_t bytes = n * sizeof(unsigned), counts_bytes = (size_t)DIGITS * threads * sizeof(unsigned);
    unsigned *from = (unsigned *)workload_upload(keys, bytes), *to, *counts, *offsets;
    WORKLOAD_CHECK(cudaMalloc((void **)&to, bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&counts, counts_bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&offsets, counts_bytes));
    for (unsigned shift = 0; shift < 32; shift += BITS) {
        radix_histogram<<<blocks, BLOCK>>>(from, counts, n, shift);
        WORKLOAD_CHECK_LAUNCH();
        radix_sum_rows<<<DIGITS, BLOCK>>>((uint4 *)counts, threads / 4);
        WORKLOAD_CHECK_LAUNCH();
        radix_offsets<<<DIGITS, BLOCK>>>(counts, offsets, threads);
        WORKLOAD_CHECK_LAUNCH();
        radix_permute<<<blocks, BLOCK>>>(from, to, offsets, n, shift);
        WORKLOAD_CHECK_LAUNCH();
        unsigned *swap = from;
        from = to;
        to = swap;
    }
    WORKLOAD_CHECK(cudaMemcpy(keys, from, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(from));
    WORKLOAD_CHECK(cudaFree(to));
    WORKLOAD_CHECK(cudaFree(counts));
    WORKLOAD_CHECK(cudaFree(offsets));
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "radix_sort", "sorts whole numbers digit by digit", options,
                   OPTIONS);
    unsigned n = (unsigned)options[N].value;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    unsigned *keys = keys_random(n, &random), *expected = keys_copy(keys, n);
    unsigned *found = keys_copy(keys, n), *other = keys_copy(keys, n);
    workload_trace_begin();
    sort_serially(expected, other, n);
    workload_trace_end();
    long wrong = keys_first_wrong(expected, keys, n);
    if (wrong < 0 && !options[SERIAL].value) {
        sort_on_device(found, n);
        wrong = keys_first_difference(found, expected, n);
    }
    free(keys);
    free(expected);
    free(found);
    free(other);
    return workload_verdict("radix_sort", wrong);
}
