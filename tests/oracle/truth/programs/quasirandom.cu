// Numbers of Niederreiter's sequence in three dimensions, and normally distributed ones:
//
//   sequence  the bits of a number's place choose words of its dimension's table in constant memory, which are
//             read once and kept
//   normal    the inverse of the cumulative normal distribution at evenly spaced places (Acklam's fractions)
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

// Coefficients of Acklam's approximation, of the middle and of the tails.
template <class number> __host__ __device__ number normal_of(number p)
{
    const number low = (number)0.02425;
    if (p < low || p > 1 - low) {
        number q = sqrt(-2 * log(p < low ? p : 1 - p));
        number found =
            ((((((number)-7.784894002430293e-03 * q + (number)-3.223964580411365e-01) * q + (number)-2.400758277161838) * q +
               (number)-2.549732539343734) * q + (number)4.374664141464968) * q + (number)2.938163982698783) /
            (((((number)7.784695709041462e-03 * q + (number)3.224671290700398e-01) * q + (number)2.445134137142996) * q +
              (number)3.754408661907416) * q + 1);
        return p < low ? found : -found;
    }
    number q = p - (number)0.5, r = q * q;
    return ((((((number)-3.969683028665376e+01 * r + (number)2.209460984245205e+02) * r + (number)-2.759285104469687e+02) * r +
              (number)1.383577518672690e+02) * r + (number)-3.066479806614716e+01) * r + (number)2.506628277459239) * q /
           ((((((number)-5.447609879822406e+01 * r + (number)1.615858368580409e+02) * r + (number)-1.556989798598866e+02) * r +
              (number)6.680131188771972e+01) * r + (number)-1.328068155288572e+01) * r + 1);
}

__global__ void normal(float *numbers, unsigned count)
{
    float distance = 1.0f / (float)(count + 1);
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x)
        numbers[i] = normal_of((float)(i + 1) * distance);
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

// Where the float's place of a number near one end of the range is rounded, its tail is off by a thousandth and less.
static long check_normal(const float *found, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        double difference = found[i] - normal_of((double)(i + 1) / ((double)count + 1));
        if (!(fabs(difference) < 0.05))
            return (long)i;
    }
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
