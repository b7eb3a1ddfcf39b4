// The fast Walsh-Hadamard transform of whole numbers, in place: a launch a step, in which a thread
// takes one pair and leaves its sum and its difference. The two lie 1 apart in the first step,
// twice as far in each step after it, so the lanes of a warp go from every other word of a few
// lines to two streams.
//
// The pattern is that of the AMD APP SDK's sample FastWalshTransform.
#include "workload.h"

__global__ void walsh_step(int *values, unsigned pairs, unsigned distance)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pairs)
        return;
    unsigned pair = i % distance + 2 * distance * (i / distance), match = pair + distance;
    int one = values[pair], other = values[match];
    values[pair] = one + other;
    values[match] = one - other;
}

enum { N, BLOCK, SEED, SERIAL, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "numbers, a power of two", 1 << 18, 2, 1 << 23, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    WORKLOAD_SERIAL_OPTION,
};

// Numbers from -LARGEST to LARGEST: the largest result is their sum, which 32 bits hold.
#define LARGEST 127

WORKLOAD_SERIAL static void transform_serially(int *values, unsigned count)
{
    for (unsigned distance = 1; distance < count; distance *= 2) {
        for (unsigned group = 0; group < count; group += 2 * distance) {
            for (unsigned pair = group; pair < group + distance; pair++) {
                int one = values[pair], other = values[pair + distance];
                values[pair] = one + other;
                values[pair + distance] = one - other;
            }
        }
    }
}

static void transform_on_device(int *values, unsigned count, unsigned block)
{
    size_t bytes = count * sizeof(int);
    unsigned pairs = count / 2;
    int *device = (int *)workload_upload(values, bytes);
    for (unsigned distance = 1; distance < count; distance *= 2) {
        walsh_step<<<(pairs + block - 1) / block, block>>>(device, pairs, distance);
        WORKLOAD_CHECK_LAUNCH();
    }
    WORKLOAD_CHECK(cudaMemcpy(values, device, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device));
}

// Result k is the sum of all numbers, those negated whose place has an odd number of bits in common
// with k: of the results whose k is 0 or has one bit. -1 if they are so, and if the squares add up
// to `count` times those of the input.
static long first_wrong_result(const int *result, const int *input, unsigned count)
{
    for (unsigned k = 0; k < count; k = k ? 2 * k : 1) {
        long long sum = 0;
        for (unsigned i = 0; i < count; i++)
            sum += i & k ? -input[i] : input[i];
        if (result[k] != sum)
            return (long)k;
    }
    unsigned long long squares = 0, wanted = 0; // modulo 2^64
    for (unsigned i = 0; i < count; i++) {
        squares += (unsigned long long)((long long)result[i] * result[i]);
        wanted += (unsigned long long)(input[i] * input[i]);
    }
    return squares == wanted * count ? -1 : 0;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "fast_walsh", "Walsh-Hadamard transform of whole numbers", options,
                   OPTIONS);
    workload_check_power_of_two("fast_walsh", &options[N]);
    unsigned count = (unsigned)options[N].value;
    size_t bytes = count * sizeof(int);
    int *input = (int *)workload_allocate(bytes), *expected = (int *)workload_allocate(bytes);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (unsigned i = 0; i < count; i++)
        expected[i] = input[i] = (int)workload_below(&random, 2 * LARGEST + 1) - LARGEST;
    workload_trace_begin();
    transform_serially(expected, count);
    workload_trace_end();
    long wrong = first_wrong_result(expected, input, count);
    if (wrong < 0 && !options[SERIAL].value) {
        transform_on_device(input, count, (unsigned)options[BLOCK].value);
        for (unsigned i = 0; i < count && wrong < 0; i++)
            if (input[i] != expected[i])
                wrong = (long)i;
    }
    free(input);
    free(expected);
    return workload_verdict("fast_walsh", wrong);
}
