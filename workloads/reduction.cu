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

static __device__ uint4 sum_of_vectors(uint4 a, uint4 b)
{
    return make_uint4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

// The variant `vectors`: a thread adds two neighbouring vectors of four numbers, and a block's tree
// of vectors leaves one, whose block it is; the host adds those. The pattern is that of the AMD APP
// SDK's sample Reduction. The block is a power of two of threads.
__global__ void reduce_vectors(const uint4 *in, uint4 *out, unsigned vectors)
{
    extern __shared__ uint4 partial_vector[];
    unsigned lane = threadIdx.x, first = 2 * (blockIdx.x * blockDim.x + lane);
    uint4 sum = make_uint4(0, 0, 0, 0);
    if (first < vectors)
        sum = in[first];
    if (first + 1 < vectors)
        sum = sum_of_vectors(sum, in[first + 1]);
    partial_vector[lane] = sum;
    __syncthreads();
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (lane < stride)
            partial_vector[lane] =
                sum_of_vectors(partial_vector[lane], partial_vector[lane + stride]);
        __syncthreads();
    }
    if (lane == 0)
        out[blockIdx.x] = partial_vector[0];
}

enum { N, BLOCK, GRID, SEED, VARIANT, SERIAL, OPTIONS };
enum { INTERLEAVED, SEQUENTIAL, SHUFFLE, ATOMIC, VECTORS };
static struct workload_option options[OPTIONS] = {
    {"n", "elements of the vector", 1 << 20, 1, 1 << 28, NULL},
    {"block", "threads of a block, a power of two", 256, 32, 1024, NULL},
    {"grid", "blocks; 0 for one thread an element, up to 1024 blocks", 0, 0, 65535, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    {"variant", "how partial sums meet", 1, 0, 0, "interleaved sequential shuffle atomic vectors"},
    WORKLOAD_SERIAL_OPTION,
};

WORKLOAD_SERIAL static unsigned int add_serially(const unsigned int *in, unsigned n)
{
    unsigned int sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += in[i];
    return sum;
}

// The sum, of one word that all blocks add to.
static unsigned int add_to_one_word(const unsigned int *in, unsigned n)
{
    unsigned block = (unsigned)options[BLOCK].value, grid = (unsigned)options[GRID].value;
    if (grid == 0)
        grid = (n + block - 1) / block < 1024 ? (n + block - 1) / block : 1024;
    unsigned int sum = 0, *device_in = (unsigned int *)workload_upload(in, n * sizeof(sum));
    unsigned int *device_sum = (unsigned int *)workload_upload(&sum, sizeof(sum));
    size_t shared_bytes = block * sizeof(unsigned int);
    switch (options[VARIANT].value) {
    case INTERLEAVED:
        reduce_interleaved<<<grid, block, shared_bytes>>>(device_in, device_sum, n);
        break;
    case SEQUENTIAL:
        reduce_sequential<<<grid, block, shared_bytes>>>(device_in, device_sum, n);
        break;
    case SHUFFLE: reduce_shuffle<<<grid, block>>>(device_in, device_sum, n); break;
    default: reduce_atomic<<<grid, block>>>(device_in, device_sum, n); break;
    }
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(&sum, device_sum, sizeof(sum), cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device_in));
    WORKLOAD_CHECK(cudaFree(device_sum));
    return sum;
}

// The sum, of a vector of each block. The input has whole vectors.
static unsigned int add_vectors(const unsigned int *in, unsigned vectors)
{
    unsigned block = (unsigned)options[BLOCK].value, grid = (vectors - 1) / (2 * block) + 1;
    size_t bytes = grid * sizeof(uint4);
    uint4 *device_in = (uint4 *)workload_upload(in, vectors * sizeof(uint4)), *device_sums;
    unsigned int sum = 0, *sums = (unsigned int *)workload_allocate(bytes);
    WORKLOAD_CHECK(cudaMalloc((void **)&device_sums, bytes));
    reduce_vectors<<<grid, block, block * sizeof(uint4)>>>(device_in, device_sums, vectors);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(sums, device_sums, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < 4 * (size_t)grid; i++)
        sum += sums[i];
    WORKLOAD_CHECK(cudaFree(device_in));
    WORKLOAD_CHECK(cudaFree(device_sums));
    free(sums);
    return sum;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "reduction", "adds up a vector of whole numbers", options, OPTIONS);
    workload_check_power_of_two("reduction", &options[BLOCK]);
    unsigned n = (unsigned)options[N].value;
    unsigned vectors = (n + 3) / 4;
    unsigned int *in = (unsigned int *)workload_allocate(vectors * sizeof(uint4));
    unsigned int sum = 0, expected = 0;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    // Sums wrap modulo 2^32 on both sides, so any order gives the same.
    for (unsigned i = 0; i < 4 * vectors; i++)
        expected += in[i] = i < n ? workload_next(&random) : 0;

    if (options[SERIAL].value) {
        workload_trace_begin();
        sum = add_serially(in, n);
        workload_trace_end();
    } else if (options[VARIANT].value == VECTORS) {
        sum = add_vectors(in, vectors);
    } else {
        sum = add_to_one_word(in, n);
    }
    free(in);
    return workload_verdict("reduction", sum == expected ? -1 : 0);
}
