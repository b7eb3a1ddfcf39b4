// Sorts keys with their values, 1024 at a time, a block each: runs of one key, then of two and so on are merged in shared
// memory, where each key finds its place among the other run's by halves.
//
// As the CUDA SDK's mergeSort (kernel mergeSortSharedKernel), for its 2^22 keys.
#include "../../../../workloads/workload.h"

#define SHARE 1024
#define THREADS (SHARE / 2)

// How many of the keys, a power of two of them in order, lie before one; where `equal`, those that are the same too.
template <bool equal> __device__ unsigned before(unsigned key, const unsigned *keys, unsigned count)
{
    unsigned found = 0;
    for (unsigned step = count; step > 0; step >>= 1) {
        unsigned next = min(found + step, count), there = keys[next - 1];
        if (there < key || (equal && there == key))
            found = next;
    }
    return found;
}

__global__ void merge_blocks(const unsigned *keys, const unsigned *values, unsigned *sorted_keys, unsigned *sorted_values)
{
    __shared__ unsigned key[SHARE], value[SHARE];
    unsigned first = blockIdx.x * SHARE + threadIdx.x;
    key[threadIdx.x] = keys[first];
    value[threadIdx.x] = values[first];
    key[threadIdx.x + THREADS] = keys[first + THREADS];
    value[threadIdx.x + THREADS] = values[first + THREADS];
#pragma unroll 1
    for (unsigned stride = 1; stride < SHARE; stride <<= 1) {
        unsigned low = threadIdx.x & (stride - 1), run = 2 * (threadIdx.x - low);
        __syncthreads();
        unsigned key_a = key[run + low], value_a = value[run + low];
        unsigned key_b = key[run + low + stride], value_b = value[run + low + stride];
        unsigned place_a = before<false>(key_a, key + run + stride, stride) + low;
        unsigned place_b = before<true>(key_b, key + run, stride) + low;
        __syncthreads();
        key[run + place_a] = key_a;
        value[run + place_a] = value_a;
        key[run + place_b] = key_b;
        value[run + place_b] = value_b;
    }
    __syncthreads();
    sorted_keys[first] = key[threadIdx.x];
    sorted_values[first] = value[threadIdx.x];
    sorted_keys[first + THREADS] = key[threadIdx.x + THREADS];
    sorted_values[first + THREADS] = value[threadIdx.x + THREADS];
}

enum { LOG, SEED, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"log", "of the keys' count, to base 2", 22, 10, 26, NULL},
    {"seed", "of the keys", 1, 0, 1000000000, NULL},
};

// Values are the places that keys had, so that they tell which key came first of two that are the same.
static int by_key_and_place(const void *one, const void *other)
{
    unsigned long long a = *(const unsigned long long *)one, b = *(const unsigned long long *)other;
    return a < b ? -1 : a > b;
}

static unsigned long long *sort_on_host(const unsigned *keys, size_t count)
{
    unsigned long long *pairs = (unsigned long long *)workload_allocate(count * sizeof(*pairs));
    for (size_t i = 0; i < count; i++)
        pairs[i] = (unsigned long long)keys[i] << 32 | i;
    for (size_t i = 0; i < count; i += SHARE)
        qsort(pairs + i, SHARE, sizeof(*pairs), by_key_and_place);
    return pairs;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "merge_blocks", "sorts 1024 keys at a time", options, OPTIONS);
    size_t count = (size_t)1 << options[LOG].value, bytes = count * sizeof(unsigned);
    unsigned *keys = (unsigned *)workload_allocate(bytes), *values = (unsigned *)workload_allocate(bytes);
    struct workload_random random = {(unsigned long long)options[SEED].value};
    for (size_t i = 0; i < count; i++) {
        keys[i] = workload_below(&random, 65536);
        values[i] = (unsigned)i;
    }
    unsigned long long *expected = sort_on_host(keys, count);
    unsigned *device_keys = (unsigned *)workload_upload(keys, bytes);
    unsigned *device_values = (unsigned *)workload_upload(values, bytes), *sorted_keys, *sorted_values;
    WORKLOAD_CHECK(cudaMalloc((void **)&sorted_keys, bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&sorted_values, bytes));
    merge_blocks<<<(unsigned)(count / SHARE), THREADS>>>(device_keys, device_values, sorted_keys, sorted_values);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(keys, sorted_keys, bytes, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaMemcpy(values, sorted_values, bytes, cudaMemcpyDeviceToHost));
    long wrong = -1;
    for (size_t i = 0; i < count && wrong < 0; i++)
        if (((unsigned long long)keys[i] << 32 | values[i]) != expected[i])
            wrong = (long)i;
    unsigned *there[] = {device_keys, device_values, sorted_keys, sorted_values};
    for (size_t i = 0; i < sizeof(there) / sizeof(*there); i++)
        WORKLOAD_CHECK(cudaFree(there[i]));
    free(keys);
    free(values);
    free(expected);
    return workload_verdict("merge_blocks", wrong);
}
