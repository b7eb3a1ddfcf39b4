// Numbers of Niederreiter's sequence in three dimensions, and normally distributed ones:
//
//   sequence  the bits of a number's place choose words of its dimension's table in constant memory, which are
//             read once and kept
//   normal    the inverse of the cumulative normal distribution at evenly spaced places, whole numbers of 32 bits: a
//             fraction in the middle, a row of a logarithm's logarithm in the tails (B. Moro, "The full Monte", 1995)
//
// As the CUDA SDK's quasirandomGenerator, for its 2^20 numbers.
#include "../../../../workloads/workload.h"
#include <math.h>

#define DIMENSIONS 3
#define BITS 31
#define SCALE (1.0f / 2147483648.0f)

__constant__ unsigned direction[DIMENSIONS][BITS];

__global__ void sequence(float *numbers, unsigned first, unsigned count)
{
    unsigned words[BITS];
#pragma unroll
    for (unsigned bit = 0; bit < BITS; bit++)
        words[bit] = direction[threadIdx.y][bit];
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) {
        unsigned chosen = 0, place = first + i;
#pragma unroll
        for (unsigned bit = 0; bit < BITS; bit++)
            chosen ^= place >> bit & 1 ? words[bit] : 0;
        numbers[threadIdx.y * count + i] = (float)(chosen + 1) * SCALE;
    }
}

// What of the normal distribution lies below the result is as much as the place is of all places.
__device__ float normal_of(unsigned place)
{
    bool upper = place >= 0x80000000u;
    place = upper ? ~place : place;
    const float each = 1.0f / 4294967295.0f;
    float below = (float)place * each + each / 2, off = below - 0.5f, found;
    if (off > -0.42f) {
        float z = off * off;
        found = off * (((-25.44106049637f * z + 41.39119773534f) * z - 18.61500062529f) * z + 2.50662823884f) /
                ((((3.13082909833f * z - 21.06224101826f) * z + 23.08336743743f) * z - 8.4735109309f) * z + 1.0f);
    } else {
        float z = __logf(-__logf(below));
        found = 0.0000003960315187f;
        const float row[] = {0.0000002888167364f, 0.0000321767881768f, 0.0003951896511919f, 0.0038405729373609f,
                             0.0276438810333863f, 0.1607979714918209f, 0.9761690190917186f, 0.3374754822726147f};
#pragma unroll
        for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++)
            found = found * z + row[i];
        found = -found;
    }
    return upper ? -found : found;
}

__global__ void normal(float *numbers, unsigned count)
{
    unsigned distance = 0xffffffffu / (count + 1);
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
        numbers[i] = normal_of((i + 1) * distance);
}

enum { SEQUENCE, NORMAL };
enum { N, SEED, VARIANT, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "numbers in each dimension", 1 << 20, 1, 1 << 24, NULL},
    {"seed", "of the tables", 1, 0, 1000000000, NULL},
    {"variant", "what is launched", 0, 0, 0, "sequence normal"},
};

static long check_sequence(const float *found, unsigned count, unsigned (*table)[BITS])
{
    for (unsigned dimension = 0; dimension < DIMENSIONS; dimension++)
        for (unsigned i = 0; i < count; i++) {
            unsigned chosen = 0;
            for (unsigned bit = 0; bit < BITS; bit++)
                chosen ^= i >> bit & 1 ? table[dimension][bit] : 0;
            if (found[dimension * count + i] != (float)(chosen + 1) * SCALE)
                return (long)(dimension * count + i);
        }
    return -1;
}

// Of the share that lies below a number, seven places are to be right.
static long check_normal(const float *found, unsigned count)
{
    double distance = floor(4294967295.0 / (count + 1));
    for (unsigned i = 0; i < count; i++)
        if (!(fabs(erfc(-found[i] / sqrt(2.0)) / 2 - (i + 1) * distance / 4294967295.0) < 1e-6))
            return (long)i;
    return -1;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "quasirandom", "quasi-random and normal numbers", options, OPTIONS);
    unsigned count = (unsigned)options[N].value, table[DIMENSIONS][BITS];
    size_t every = (size_t)DIMENSIONS * count, bytes = every * sizeof(float);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned i = 0; i < DIMENSIONS * BITS; i++)
        table[i / BITS][i % BITS] = workload_next(&random) >> 1;
    WORKLOAD_CHECK(cudaMemcpyToSymbol(direction, table, sizeof(table)));
    float *numbers, *found = (float *)workload_allocate(bytes);
    WORKLOAD_CHECK(cudaMalloc((void **)&numbers, bytes));
    if (options[VARIANT].value == SEQUENCE)
        sequence<<<128, dim3(128, DIMENSIONS)>>>(numbers, 0, count);
    else
        normal<<<128, 128>>>(numbers, (unsigned)every);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(found, numbers, bytes, cudaMemcpyDeviceToHost));
    long wrong = options[VARIANT].value == SEQUENCE ? check_sequence(found, count, table)
                                                    : check_normal(found, (unsigned)every);
    WORKLOAD_CHECK(cudaFree(numbers));
    free(found);
    return workload_verdict("quasirandom", wrong);
}
