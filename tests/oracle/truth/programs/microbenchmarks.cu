// Accel-Sim's microbenchmarks of a V100, one kernel each:
//
//   l1-latency, l2-latency  a thread writes a ring of 4096 pointers and goes 32768 steps along it
//   shared-latency          the same of 6144 places in shared memory, which a warp writes, in 2048 steps
//   shared-bandwidth        a block of 1024 threads, four loads a thread that lie four numbers apart for neighbouring
//                           lanes, 6144 times for the first half of 48 KiB, a number further each time
//   l1-bandwidth            160 blocks of 1024 threads go over an array together, then 4096 times 32 numbers further each
//   l2-bandwidth            the same without L1, each warp from a place of its own, 2048 times
//   memory-bandwidth        the sum of five arrays of 2^23 numbers, in vectors of four
#include "../../../../workloads/workload.h"

#define RING 4096
#define STEPS 32768
#define PLACES 6144 // of shared memory, of eight bytes
#define SHARED_STEPS 2048
#define NUMBERS 12288 // of shared memory, of four bytes
#define BLOCKS 160
#define THREADS 1024
#define L1_REPEATS 4096
#define L2_REPEATS 2048
#define LANES 32
#define STREAM (1u << 23)

// Whether L1 is to have what is loaded.
template <bool in_l1> __device__ unsigned long long loaded(const unsigned long long *from)
{
    return in_l1 ? __ldca(from) : __ldcg(from);
}

template <bool in_l1> __global__ void ring_latency(unsigned long long *ring, unsigned long long *end)
{
    for (unsigned i = 0; i < RING - 1; i++)
        ring[i] = (unsigned long long)(ring + i + 1);
    ring[RING - 1] = (unsigned long long)ring;
    unsigned long long at = loaded<in_l1>(ring);
    __syncthreads();
    for (unsigned i = 0; i < STEPS; i++)
        at = loaded<in_l1>((unsigned long long *)at);
    *end = at - (unsigned long long)ring;
}

__global__ void shared_latency(unsigned long long *end, unsigned stride)
{
    __shared__ unsigned long long next[PLACES];
    for (unsigned i = threadIdx.x; i < PLACES - stride; i += blockDim.x)
        next[i] = (i + stride) % PLACES;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    unsigned long long at = 0;
    for (unsigned i = 0; i < SHARED_STEPS; i++)
        at = next[at];
    *end = at;
}

__global__ void shared_bandwidth(float *sums)
{
    __shared__ float number[NUMBERS];
    for (unsigned i = threadIdx.x; i < NUMBERS; i += THREADS)
        number[i] = (float)(i % 8);
    float sum[4] = {0, 0, 0, 0};
    __syncthreads();
    for (unsigned i = 0; i < NUMBERS / 2; i++)
        for (unsigned j = threadIdx.x * 4; j < NUMBERS / 2; j += 4 * THREADS) {
            sum[0] += number[j + i];
            sum[1] += number[j + 1 + i];
            sum[2] += number[j + 2 + i];
            sum[3] += number[j + 3 + i];
        }
    __syncthreads();
    sums[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}

__global__ void l1_bandwidth(const float *numbers, float *sums, unsigned count)
{
    float sum = 0;
    for (unsigned i = threadIdx.x; i < count; i += THREADS)
        sum += __ldca(numbers + i);
    __syncthreads();
    for (unsigned i = 0; i < L1_REPEATS; i++)
        sum += __ldca(numbers + threadIdx.x + i * LANES);
    __syncthreads();
    sums[blockIdx.x * THREADS + threadIdx.x] = sum;
}

__global__ void l2_bandwidth(const float *numbers, float *sums)
{
    unsigned thread = blockIdx.x * THREADS + threadIdx.x;
    float sum = __ldcg(numbers + thread);
    __syncthreads();
    for (unsigned i = 0; i < L2_REPEATS; i++)
        sum += __ldcg(numbers + i * LANES + thread);
    __syncthreads();
    sums[thread] = sum;
}

__device__ float4 plus(float4 one, float4 other)
{
    return make_float4(one.x + other.x, one.y + other.y, one.z + other.z, one.w + other.w);
}

__global__ void memory_bandwidth(const float4 *a, const float4 *b, float4 *sum, const float4 *c, const float4 *d,
                                 const float4 *e)
{
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < STREAM / 4; i += THREADS * BLOCKS)
        sum[i] = plus(plus(plus(plus(a[i], b[i]), c[i]), d[i]), e[i]);
}

enum { L1_LATENCY, L2_LATENCY, SHARED_LATENCY, SHARED_BANDWIDTH, L1_BANDWIDTH, L2_BANDWIDTH, MEMORY_BANDWIDTH };
static struct workload_option options[] = {
    {"variant", "what is measured", 0, 0, 0,
     "l1-latency l2-latency shared-latency shared-bandwidth l1-bandwidth l2-bandwidth memory-bandwidth"},
};

// Numbers below 8: sums of thousands of them are exact.
static float number_at(unsigned place)
{
    return (float)(place / LANES % 8);
}

static float *numbers_on_device(unsigned count)
{
    float *numbers = (float *)workload_allocate(count * sizeof(float));
    for (unsigned i = 0; i < count; i++)
        numbers[i] = number_at(i);
    float *device = (float *)workload_upload(numbers, count * sizeof(float));
    free(numbers);
    return device;
}

static long measure_latency(long variant)
{
    unsigned long long *ring, *end, found, expected = STEPS % RING * sizeof(*ring);
    WORKLOAD_CHECK(cudaMalloc((void **)&ring, RING * sizeof(*ring)));
    WORKLOAD_CHECK(cudaMalloc((void **)&end, sizeof(*end)));
    if (variant == L1_LATENCY)
        ring_latency<true><<<1, 1>>>(ring, end);
    else if (variant == L2_LATENCY)
        ring_latency<false><<<1, 1>>>(ring, end);
    else
        shared_latency<<<1, LANES>>>(end, 1);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(&found, end, sizeof(found), cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaFree(ring));
    WORKLOAD_CHECK(cudaFree(end));
    // The first load is a step, too.
    expected = variant == SHARED_LATENCY ? SHARED_STEPS : (expected + sizeof(*ring)) % (RING * sizeof(*ring));
    return found == expected ? -1 : 0;
}

static float sum_of(long variant, unsigned thread)
{
    float sum = 0;
    if (variant == SHARED_BANDWIDTH) {
        for (unsigned j = thread * 4; j < NUMBERS / 2; j += 4 * THREADS)
            sum += NUMBERS / 2 * 4 * 3.5f; // the numbers from 0 to 7 equally often
        return sum;
    }
    unsigned from = variant == L1_BANDWIDTH ? thread % THREADS : thread;
    for (unsigned i = 0; i < (variant == L1_BANDWIDTH ? L1_REPEATS : L2_REPEATS); i++)
        sum += number_at(from + i * LANES);
    if (variant == L2_BANDWIDTH)
        return sum + number_at(from);
    for (unsigned i = from; i < 2 * THREADS + L1_REPEATS * LANES; i += THREADS)
        sum += number_at(i);
    return sum;
}

static long measure_bandwidth(long variant)
{
    unsigned threads = variant == SHARED_BANDWIDTH ? THREADS : THREADS * BLOCKS;
    unsigned count = variant == L1_BANDWIDTH ? 2 * THREADS + L1_REPEATS * LANES : threads + L2_REPEATS * LANES;
    float *numbers = numbers_on_device(count), *sums, *found = (float *)workload_allocate(threads * sizeof(float));
    WORKLOAD_CHECK(cudaMalloc((void **)&sums, threads * sizeof(float)));
    if (variant == SHARED_BANDWIDTH)
        shared_bandwidth<<<1, THREADS>>>(sums);
    else if (variant == L1_BANDWIDTH)
        l1_bandwidth<<<BLOCKS, THREADS>>>(numbers, sums, count);
    else
        l2_bandwidth<<<BLOCKS, THREADS>>>(numbers, sums);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(found, sums, threads * sizeof(float), cudaMemcpyDeviceToHost));
    long wrong = -1;
    for (unsigned warp = 0; warp < threads && wrong < 0; warp += LANES) { // all lanes of a warp find the same
        float expected = sum_of(variant, warp);
        for (unsigned i = warp; i < warp + LANES && wrong < 0; i++)
            if (found[i] != (variant == SHARED_BANDWIDTH ? sum_of(variant, i) : expected))
                wrong = i;
    }
    WORKLOAD_CHECK(cudaFree(numbers));
    WORKLOAD_CHECK(cudaFree(sums));
    free(found);
    return wrong;
}

static long measure_memory(void)
{
    float *a = numbers_on_device(STREAM), *b = numbers_on_device(STREAM), *c = numbers_on_device(STREAM);
    float *d = numbers_on_device(STREAM), *e = numbers_on_device(STREAM), *sum;
    float *found = (float *)workload_allocate(STREAM * sizeof(float));
    WORKLOAD_CHECK(cudaMalloc((void **)&sum, STREAM * sizeof(float)));
    memory_bandwidth<<<BLOCKS, THREADS>>>((float4 *)a, (float4 *)b, (float4 *)sum, (float4 *)c, (float4 *)d, (float4 *)e);
    WORKLOAD_CHECK_LAUNCH();
    WORKLOAD_CHECK(cudaMemcpy(found, sum, STREAM * sizeof(float), cudaMemcpyDeviceToHost));
    long wrong = -1;
    for (unsigned i = 0; i < STREAM && wrong < 0; i++)
        if (found[i] != 5 * number_at(i))
            wrong = i;
    float *all[] = {a, b, c, d, e, sum};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        WORKLOAD_CHECK(cudaFree(all[i]));
    free(found);
    return wrong;
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "microbenchmarks", "latencies and bandwidths", options, 1);
    long variant = options[0].value;
    long wrong = variant <= SHARED_LATENCY     ? measure_latency(variant)
                 : variant == MEMORY_BANDWIDTH ? measure_memory()
                                               : measure_bandwidth(variant);
    return workload_verdict("microbenchmarks", wrong);
}
