// The sum of a vector of whole numbers. Each number is read once, so the traffic is that of a
// stream; what differs is how a block's partial sums meet.
//
//   interleaved  a tree in shared memory with a growing stride: the working lanes are scattered
//   over
//                all warps (divergence) and their words over few banks
//   sequential   the same tree with a shrinking stride: working lanes and words are neighbours
//   shuffle      lanes of a warp add through registers; shared memory takes one word a warp
//   atomic       every thread adds to one word in global memory: all traffic meets in one L2 slice
//
// The tree variants start with a grid-stride loop, so that few blocks cover any length; the sums of
// the blocks are added by one atomic a block.
#include "workload.h"

#define WARP 32

static __device__ unsigned int sum_of_my_elements(const unsigned int *in, unsigned n)
{
    unsigned int sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    return sum;
}

__global__ void reduce_interleaved(const unsigned int *in, unsigned int *out, unsigned n)
{
    extern __shared__ unsigned int partial[];
    unsigned lane = threadIdx.x;
    partial[lane] = sum_of_my_elements(in, n);
    __syncthreads();
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (lane % (2 * stride) == 0 && lane + stride < blockDim.x)
            partial[lane] += partial[lane + stride];
        __syncthreads();
    }
    if (lane == 0)
        atomicAdd(out, partial[0]);
}

// The block is a power of two of threads.
__global__ void reduce_sequential(const unsigned int *in, unsigned int *out, unsigned n)
{
    extern __shared__ unsigned int partial[];
    unsigned lane = threadIdx.x;
    partial[lane] = sum_of_my_elements(in, n);
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (lane < stride)
            partial[lane] += partial[lane + stride];
        __syncthreads();
    }
    if (lane == 0)
        atomicAdd(out, partial[0]);
}

static __device__ unsigned int sum_of_my_warp(unsigned int sum)
{
    for (int distance = WARP / 2; distance > 0; distance /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    return sum;
}

// The block is a whole number of warps.
__global__ void reduce_shuffle(const unsigned int *in, unsigned int *out, unsigned n)
{
    __shared__ unsigned int partial[WARP];
    unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    unsigned int sum = sum_of_my_warp(sum_of_my_elements(in, n));
    if (lane == 0)
        partial[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = sum_of_my_warp(lane < blockDim.x / WARP ? partial[lane] : 0);
        if (lane == 0)
            atomicAdd(out, sum);
    }
}

__global__ void reduce_atomic(const unsigned int *in, unsigned int *out, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(out, in[i]);
}

enum { N, BLOCK, GRID, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "elements of the vector", 1 << 20, 1, 1 << 28, NULL},
    {"block", "threads of a block, a power of two", 256, 32, 1024, NULL},
    {"grid", "blocks; 0 for one thread an element, up to 1024 blocks", 0, 0, 65535, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "how partial sums meet", 1, 0, 0, "interleaved sequential shuffle atomic"},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "reduction", "adds up a vector of whole numbers", options, OPTIONS);
    unsigned n = (unsigned)options[N].value, block = (unsigned)options[BLOCK].value;
    if (block & (block - 1)) {
        fprintf(stderr, "reduction: --block takes a power of two, not '%u'\n", block);
        return 2;
    }
    unsigned grid = (unsigned)options[GRID].value;
    if (grid == 0)
        grid = (n + block - 1) / block < 1024 ? (n + block - 1) / block : 1024;
    size_t bytes = n * sizeof(unsigned int);
    unsigned int *in = (unsigned int *)workload_allocate(bytes), sum = 0, expected = 0;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // Sums wrap modulo 2^32 on both sides, so any order gives the same.
    for (unsigned i = 0; i < n; i++)
        expected += in[i] = workload_next(&random);

    unsigned int *device_in = (unsigned int *)workload_upload(in, bytes);
    unsigned int *device_sum = (unsigned int *)workload_upload(&sum, sizeof(sum));
    size_t shared_bytes = block * sizeof(unsigned int);
    switch (options[VARIANT].value) {
    case 0: reduce_interleaved<<<grid, block, shared_bytes>>>(device_in, device_sum, n); break;
    case 1: reduce_sequential<<<grid, block, shared_bytes>>>(device_in, device_sum, n); break;
    case 2: reduce_shuffle<<<grid, block>>>(device_in, device_sum, n); break;
    default: reduce_atomic<<<grid, block>>>(device_in, device_sum, n); break;
    }
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(&sum, device_sum, sizeof(sum), cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device_in));
    WORKLOAD_CHECK(cudaFree(device_sum));
    free(in);
    return workload_verdict("reduction", sum == expected ? -1 : 0);
}
