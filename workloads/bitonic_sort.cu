// Sorts whole numbers by Batcher's bitonic network, in place: a launch a pass, in which a thread
// takes one pair and puts the two in order. Stage s makes rising and falling runs of 2^(s+1)
// numbers in turn. In its passes, the two of a pair lie 2^s apart, then half of that, and so on
// down to neighbours. So early passes of a stage read two streams far apart, and late ones leave
// holes between the lanes that the other load of the same pair fills: each line is read twice.
//
// The pattern is that of the AMD APP SDK's sample BitonicSort.
#include "keys.h"

__global__ void bitonic_pass(unsigned *keys, unsigned pairs, unsigned stage, unsigned pass)
{
    unsigned pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= pairs)
        return;
    unsigned distance = 1u << (stage - pass);
    unsigned left = pair / distance * 2 * distance + pair % distance;
    unsigned right = left + distance;
    unsigned one = keys[left], other = keys[right];
    bool falling = (pair >> stage) % 2 == 1;
    keys[left] = falling ? max(one, other) : min(one, other);
    keys[right] = falling ? min(one, other) : max(one, other);
}

enum { N, BLOCK, SEED, SERIAL, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"n", "numbers, a power of two", 1 << 15, 2, 1 << 26, NULL},
    {"block", "threads of a block", 256, 1, 1024, NULL},
    {"seed", "of the random input", 1, 0, 1000000000, NULL},
    WORKLOAD_SERIAL_OPTION,
};

WORKLOAD_SERIAL static void sort_serially(unsigned *keys, unsigned count)
{
    for (unsigned run = 2; run <= count; run *= 2) {
        for (unsigned distance = run / 2; distance > 0; distance /= 2) {
            for (unsigned group = 0; group < count; group += 2 * distance) {
                bool falling = (group & run) != 0;
                for (unsigned left = group; left < group + distance; left++) {
                    unsigned one = keys[left], other = keys[left + distance];
                    if ((one > other) != falling) {
                        keys[left] = other;
                        keys[left + distance] = one;
                    }
                }
            }
        }
    }
}

static void sort_on_device(unsigned *keys, unsigned count, unsigned block)
{
    size_t bytes = count * sizeof(unsigned);
    unsigned pairs = count / 2, *device = (unsigned *)workload_upload(keys, bytes);
    for (unsigned stage = 0; count >> (stage + 1) > 0; stage++) {
        for (unsigned pass = 0; pass <= stage; pass++) {
            bitonic_pass<<<(pairs + block - 1) / block, block>>>(device, pairs, stage, pass);
            WORKLOAD_CHECK_LAUNCH();
        }
    }
    WORKLOAD_CHECK(cudaMemcpy(keys, device, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(device));
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "bitonic_sort", "sorts whole numbers by a network", options,
                   OPTIONS);
    workload_check_power_of_two("bitonic_sort", &options[N]);
    unsigned count = (unsigned)options[N].value;
    struct workload_random random = {(unsigned long long)options[SEED].value};
    unsigned *keys = keys_random(count, &random);
    unsigned *expected = keys_copy(keys, count), *found = keys_copy(keys, count);
    workload_trace_begin();
    sort_serially(expected, count);
    workload_trace_end();
    long wrong = keys_first_wrong(expected, keys, count);
    if (wrong < 0 && !options[SERIAL].value) {
        sort_on_device(found, count, (unsigned)options[BLOCK].value);
        wrong = keys_first_difference(found, expected, count);
    }
    free(keys);
    free(expected);
    free(found);
    return workload_verdict("bitonic_sort", wrong);
}
