// What lies in the far half of L2, before there is a copy of it in the near half.
//
//   latency     one thread goes through a chain of lines that other SMs have just written, three times:
//               in the first pass half of them are far, then they have copies near
//   bandwidth   all SMs write parts of so many bytes and then read other parts three times, each the same
//               ones; from the first block's beginning to the last one's end, by the device's clock
#include "measure.h"

enum { LINE = 128, PASSES = 3, THREADS = 1024 };

__device__ inline char *follow(char *at)
{
    char *next;
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    return next;
}

__global__ void chase_passes(char *first, unsigned hops, char **end, long long *cycles)
{
    char *at = first;
    for (int pass = 0; pass < PASSES; pass++) {
        long long begin = measure_clock_after(at);
        for (unsigned i = 0; i < hops; i++)
            at = follow(at);
        cycles[pass] = measure_clock_after(at) - begin;
    }
    *end = at;
}

static void latency(char *buffer, size_t bytes, char **end, long long *device_cycles)
{
    unsigned count = (unsigned)(bytes / LINE), *order = measure_order(count, true, 1), *device_order;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_order, count * sizeof *order));
    WORKLOAD_CHECK(cudaMemcpy(device_order, order, count * sizeof *order, cudaMemcpyHostToDevice));
    measure_link<<<256, 256>>>(buffer, device_order, count, LINE, 0);
    WORKLOAD_CHECK_LAUNCH();
    chase_passes<<<1, 1>>>(buffer + measure_place(order[0], LINE, 0), count, end, device_cycles);
    WORKLOAD_CHECK_LAUNCH();
    long long cycles[PASSES];
    char *found;
    WORKLOAD_CHECK(cudaMemcpy(cycles, device_cycles, sizeof cycles, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaMemcpy(&found, end, sizeof found, cudaMemcpyDeviceToHost));
    expect(found == buffer + measure_place(order[0], LINE, 0), "end of a chain", count);
    static const char *const names[PASSES] = {"latency-1", "latency-2", "latency-3"};
    for (int pass = 0; pass < PASSES; pass++)
        row_of_one("partitions", names[pass], (double)bytes, "byte", (double)cycles[pass] / count, "cycle");
    WORKLOAD_CHECK(cudaFree(device_order));
    free(order);
}

__device__ inline unsigned long long device_time(void)
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now) : : "memory");
    return now;
}

__global__ void write_parts(uint4 *words, size_t of_block)
{
    uint4 *mine = words + blockIdx.x * of_block;
    for (size_t i = threadIdx.x; i < of_block; i += THREADS)
        mine[i] = make_uint4((unsigned)i, blockIdx.x, 0, 0);
}

// The part that another block has written, of which some are on each side.
__global__ void read_parts(const uint4 *words, size_t of_block, unsigned long long *times, unsigned *sums)
{
    const uint4 *mine = words + (blockIdx.x * 7 + 3) % gridDim.x * of_block;
    unsigned long long begin = device_time();
    unsigned sum = 0;
#pragma unroll 4
    for (size_t i = threadIdx.x; i < of_block; i += THREADS) {
        uint4 it;
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(it.x), "=r"(it.y), "=r"(it.z), "=r"(it.w)
                     : "l"(mine + i)
                     : "memory");
        sum += it.x + it.y;
    }
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
        sum += __shfl_down_sync(~0u, sum, lanes);
    if (threadIdx.x % WARP == 0)
        atomicAdd(&sums[blockIdx.x], sum);
    __syncthreads();
    if (threadIdx.x == 0) {
        times[2 * blockIdx.x] = begin;
        times[2 * blockIdx.x + 1] = device_time();
    }
}

static void bandwidth(char *buffer, size_t bytes, int sms, int repeats)
{
    static struct samples samples[PASSES];
    static const char *const names[PASSES] = {"bandwidth-1", "bandwidth-2", "bandwidth-3"};
    unsigned blocks = 2 * (unsigned)sms, *sums;
    while (blocks % 7 == 0)
        blocks--;
    size_t of_block = bytes / sizeof(uint4) / blocks / THREADS * THREADS;
    if (of_block == 0)
        return;
    unsigned long long *device_times, *times = (unsigned long long *)workload_allocate(2 * blocks * sizeof *times);
    WORKLOAD_CHECK(cudaMalloc((void **)&device_times, 2 * blocks * sizeof *times));
    WORKLOAD_CHECK(cudaMalloc((void **)&sums, blocks * sizeof *sums));
    for (int repeat = 0; repeat < repeats; repeat++) {
        write_parts<<<blocks, THREADS>>>((uint4 *)buffer, of_block);
        for (int pass = 0; pass < PASSES; pass++) {
            WORKLOAD_CHECK(cudaMemset(sums, 0, blocks * sizeof *sums));
            read_parts<<<blocks, THREADS>>>((const uint4 *)buffer, of_block, device_times, sums);
            WORKLOAD_CHECK_LAUNCH();
            WORKLOAD_CHECK(cudaMemcpy(times, device_times, 2 * blocks * sizeof *times, cudaMemcpyDeviceToHost));
            unsigned long long begin = times[0], end = times[1];
            for (unsigned i = 1; i < blocks; i++) {
                begin = std::min(begin, times[2 * i]);
                end = std::max(end, times[2 * i + 1]);
            }
            samples_add(&samples[pass], (double)(blocks * of_block * sizeof(uint4)) / (double)(end - begin));
        }
    }
    unsigned *host_sums = (unsigned *)workload_allocate(blocks * sizeof *sums);
    WORKLOAD_CHECK(cudaMemcpy(host_sums, sums, blocks * sizeof *sums, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < blocks; i++) {
        unsigned of = (i * 7 + 3) % blocks, wanted = (unsigned)(of_block * (of_block - 1) / 2 + of_block * of);
        expect(host_sums[i] == wanted, "sum of a block", i);
    }
    for (int pass = 0; pass < PASSES; pass++)
        row("partitions", names[pass], (double)(blocks * of_block * sizeof(uint4)), "byte", &samples[pass], "GB/s");
    WORKLOAD_CHECK(cudaFree(device_times));
    WORKLOAD_CHECK(cudaFree(sums));
    free(times);
    free(host_sums);
}

enum { LEAST, MOST, REPEATS, WAKE, ONLY, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"least", "MiB of the smallest working set", 1, 1, 1024, NULL},
    {"most", "MiB of the largest", 32, 1, 1024, NULL},
    {"repeats", "of each reading", 9, 1, 100, NULL},
    {"wake", "milliseconds of work before", 200, 0, 10000, NULL},
    {"only", "one part", 0, 0, 0, "all latency bandwidth"},
};

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "partitions", "what lies in the far half of L2", options, OPTIONS);
    size_t most = (size_t)options[MOST].value << 20;
    char *buffer, **end;
    long long *cycles;
    WORKLOAD_CHECK(cudaMalloc((void **)&buffer, most));
    WORKLOAD_CHECK(cudaMalloc((void **)&end, sizeof *end));
    WORKLOAD_CHECK(cudaMalloc((void **)&cycles, PASSES * sizeof *cycles));
    measure_wake(options[WAKE].value);
    row_header();
    for (size_t bytes = (size_t)options[LEAST].value << 20; bytes <= most;
         bytes = bytes % 3 == 0 ? bytes / 3 * 4 : bytes / 2 * 3) {
        if (measure_selects(&options[ONLY], "latency"))
            latency(buffer, bytes, end, cycles);
        if (measure_selects(&options[ONLY], "bandwidth"))
            bandwidth(buffer, bytes, measure_sms(), (int)options[REPEATS].value);
    }
    return measure_verdict("partitions");
}
