// Numbers of Sobol's sequence in many dimensions, each dimension's one after the other. A block takes 64 places of a
// dimension and those a power of two further on; its 32 direction numbers come into shared memory. Its first
// numbers are made of the places' Gray codes, and each next one of the one before by two direction numbers, of which
// one is always the same.
//
// As the CUDA SDK's SobolQRNG on 80 SMs: 100,000 numbers in 100 dimensions, 512 blocks each.
#include "../../../../workloads/workload.h"

#define DIRECTIONS 32
#define THREADS 64

__global__ void sobol_dimensions(unsigned count, const unsigned *directions, float *numbers)
{
    __shared__ unsigned v[DIRECTIONS];
    directions += DIRECTIONS * blockIdx.y;
    numbers += (size_t)count * blockIdx.y;
    if (threadIdx.x < DIRECTIONS)
        v[threadIdx.x] = directions[threadIdx.x];
    __syncthreads();
    unsigned place = blockIdx.x * THREADS + threadIdx.x, stride = gridDim.x * THREADS, bits = __ffs(stride) - 1;
    unsigned chosen = 0, code = place ^ place >> 1;
#pragma unroll 1
    for (unsigned k = 0; k < bits; k++, code >>= 1)
        chosen ^= (0u - (code & 1)) & v[k]; // read in any case
    if (place < count)
        numbers[place] = (float)chosen * 2.3283064365386962890625e-10f;
    unsigned always = v[bits - 1];
#pragma unroll 1
    for (place += stride; place < count; place += stride) {
        chosen ^= always ^ v[__ffs(~((place - stride) | (stride - 1))) - 1];
        numbers[place] = (float)chosen * 2.3283064365386962890625e-10f;
    }
}

enum { N, DIMENSIONS, BLOCKS, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "numbers in each dimension", 100000, 1, 1 << 24, NULL},
    {"dimensions", "of the sequence", 100, 1, 1000, NULL},
    {"blocks", "of a dimension, a power of two", 512, 1, 1 << 16, NULL},
    {"seed", "of the direction numbers", 1, 0, 1000000000, NULL},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "sobol_dimensions", "numbers of Sobol's sequence", options, OPTIONS);
    workload_check_power_of_two("sobol_dimensions", &options[BLOCKS]);
    unsigned count = (unsigned)options[N].value, dimensions = (unsigned)options[DIMENSIONS].value;
    size_t every = (size_t)count * dimensions, words = (size_t)DIRECTIONS * dimensions;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    unsigned *directions = (unsigned *)workload_allocate(words * sizeof(unsigned));
    for (size_t i = 0; i < words; i++) { // odd numbers of as many bits as the direction's place, at the top
        unsigned k = (unsigned)(i % DIRECTIONS);
        directions[i] = ((workload_next(&random) | 1) & (0xffffffffu >> (DIRECTIONS - 1 - k))) << (DIRECTIONS - 1 - k);
    }
    float *numbers, *found = (float *)workload_allocate(every * sizeof(float));
    unsigned *device = (unsigned *)workload_upload(directions, words * sizeof(unsigned));
    WORKLOAD_CHECK(cudaMalloc((void **)&numbers, every * sizeof(float)));
    sobol_dimensions<<<dim3((unsigned)options[BLOCKS].value, dimensions), THREADS>>>(count, device, numbers);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(found, numbers, every * sizeof(float), cudaMemcpyDeviceToHost));
    long wrong = -1;
    for (size_t i = 0; i < every && wrong < 0; i++) {
        unsigned place = (unsigned)(i % count), chosen = 0;
        for (unsigned k = 0, code = place ^ place >> 1; code; k++, code >>= 1)
            chosen ^= code & 1 ? directions[i / count * DIRECTIONS + k] : 0;
        if (found[i] != (float)chosen * 2.3283064365386962890625e-10f)
            wrong = (long)i;
    }
    WORKLOAD_CHECK(cudaFree(device));
    WORKLOAD_CHECK(cudaFree(numbers));
    free(directions);
    free(found);
    return workload_verdict("sobol_dimensions", wrong);
}
