// Bytes a second between DRAM and the SMs: streams by occupancy, strides, and latency under load.
//
//   init, read, scale, triad, points3   a thread an element (double) of large arrays; so many
//   blocks
//                 fit an SM, by shared memory that they ask for. Bytes: each element loaded or
//                 stored once
//   copy-16       16 bytes a lane, all threads that fit
//   stride-dram   each thread loads a sector of its own, neighbours a stride apart, none twice
//   stride-l2     as many sectors as L2 holds at that stride, again and again
//   chains-l2, chains-dram   so many threads of one SM follow a chain each, of lines of its own
//   loaded        one SM follows a chain through DRAM while warps on each of the others read a
//   stream
#include "measure.h"

enum { SECTOR = 32, LINE = 128, HOPS = 512 };

enum { ELEMENTS, SPAN, SECTORS, CHAIN_MIB, REPEATS, ONLY, WAKE, BLOCK, BLOCKS_OF_SM, NET, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"elements", "of each array, a multiple of 1024", 32 << 20, 1024, 1 << 28, NULL},
    {"span", "MiB that strides may go over", 16384, 1, 1 << 16, NULL},
    {"sectors", "that strides load", 4 << 20, 1024, 1 << 26, NULL},
    {"chains", "MiB that chains in DRAM go through; those in L2, a 64th", 512, 1, 1 << 14, NULL},
    {"repeats", "of each measurement", 3, 1, 100, NULL},
    {"only", "one part, or one operation of the streams", 0, 0, 0,
     "all chains-l2 chains-dram loaded init read scale triad points3 copy-16 strides"},
    {"wake", "milliseconds of work before large sizes", 200, 0, 10000, NULL},
    {"block", "threads of a block of the only shape of the streams, 0 for all shapes", 0, 0, 1024,
     NULL},
    {"blocks-of-sm", "of the only shape, 0 for all", 0, 0, 32, NULL},
    {"net", "1: what a launch takes by itself is left out", 0, 0, 1, NULL},
};

enum operation { INIT, READ, SCALE, TRIAD, POINTS3, OPERATIONS };
static const char *const operation_names[OPERATIONS] = {"init", "read", "scale", "triad",
                                                        "points3"};
static const int operation_bytes[OPERATIONS] = {8, 8, 16, 24, 16};

// a[i] is made of b and c; what is read alone is compared with what no element is.
template <int OPERATION>
__global__ void stream(double *a, const double *b, const double *c, size_t elements)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= elements)
        return;
    if (OPERATION == INIT)
        a[i] = 3;
    else if (OPERATION == READ) {
        if (b[i] == -1)
            a[i] = 1;
    } else if (OPERATION == SCALE)
        a[i] = 3 * b[i];
    else if (OPERATION == TRIAD)
        a[i] = b[i] + 3 * c[i];
    else if (i > 0 && i + 1 < elements)
        a[i] = b[i - 1] + b[i] + b[i + 1];
}

__global__ void make_arrays(double *b, double *c, size_t elements)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < elements;
         i += (size_t)gridDim.x * blockDim.x) {
        b[i] = (double)(i % 1000);
        c[i] = (double)(i % 7);
    }
}

static double expected(int operation, size_t i)
{
    double b = (double)(i % 1000), c = (double)(i % 7);
    switch (operation) {
    case INIT: return 3;
    case SCALE: return 3 * b;
    case TRIAD: return b + 3 * c;
    case POINTS3: return b + (double)((i - 1) % 1000) + (double)((i + 1) % 1000);
    default: return 0;
    }
}

struct bench {
    double *arrays[3];
    size_t elements;
    struct stopwatch watch;
    int sms;
};

static void check_stream(const struct bench *bench, int operation)
{
    if (operation == READ)
        return;
    for (size_t i = 1; i + 1 < bench->elements; i += bench->elements / 61 + 1) {
        double found;
        WORKLOAD_CHECK(
            cudaMemcpy(&found, bench->arrays[0] + i, sizeof found, cudaMemcpyDeviceToHost));
        expect(found == expected(operation, i), operation_names[operation], (double)i);
    }
}

static void time_stream(struct bench *bench, int operation, int block, int blocks_per_sm)
{
    static void (*const kernels[OPERATIONS])(double *, const double *, const double *, size_t) = {
        stream<INIT>, stream<READ>, stream<SCALE>, stream<TRIAD>, stream<POINTS3>};
    static struct samples samples;
    int whole = measure_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    int largest = measure_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    int reserved = std::max(measure_attribute(RESERVED_SHARED_OF_BLOCK), 1024);
    int shared = std::min(whole / blocks_per_sm - reserved, largest) / 1024 * 1024, fit = 0;
    WORKLOAD_CHECK(cudaFuncSetAttribute(kernels[operation],
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    WORKLOAD_CHECK(cudaFuncSetAttribute(kernels[operation],
                                        cudaFuncAttributePreferredSharedMemoryCarveout,
                                        cudaSharedmemCarveoutMaxShared));
    WORKLOAD_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernels[operation], block,
                                                                 (size_t)shared));
    expect(fit == blocks_per_sm, "blocks of an SM", block);
    unsigned blocks = (unsigned)((bench->elements + block - 1) / block);
    for (long repeat = 0; repeat <= options[REPEATS].value; repeat++) {
        stopwatch_begin(&bench->watch);
        kernels[operation]<<<blocks, block, shared>>>(bench->arrays[0], bench->arrays[1],
                                                      bench->arrays[2], bench->elements);
        double nanoseconds = stopwatch_end(&bench->watch);
        WORKLOAD_CHECK(cudaGetLastError());
        if (repeat > 0)
            samples_add(&samples,
                        (double)bench->elements * operation_bytes[operation] / nanoseconds);
    }
    check_stream(bench, operation);
    char variant[64];
    snprintf(variant, sizeof variant, "%s %d x %d", operation_names[operation], blocks_per_sm,
             block);
    row("stream", variant, (double)block * blocks_per_sm, "thread/SM", &samples, "GB/s");
}

static void by_occupancy(struct bench *bench)
{
    static const short shapes[][2] = {
        {16, 1},  {32, 1},   {48, 1},  {64, 1},  {96, 1},  {64, 2},  {96, 2},   {128, 2}, {160, 2},
        {192, 2}, {224, 2},  {256, 2}, {320, 2}, {384, 2}, {448, 2}, {512, 2},  {640, 2}, {768, 2},
        {896, 2}, {1024, 2}, {256, 1}, {512, 1}, {128, 4}, {128, 8}, {128, 16}, {256, 4}, {256, 8}};
    for (int operation = 0; operation < OPERATIONS; operation++)
        for (const short *shape : shapes)
            if (measure_selects(&options[ONLY], operation_names[operation]) &&
                (options[BLOCK].value == 0 || options[BLOCK].value == shape[0]) &&
                (options[BLOCKS_OF_SM].value == 0 || options[BLOCKS_OF_SM].value == shape[1]))
                time_stream(bench, operation, shape[0], shape[1]);
}

__global__ void copy_wide(uint4 *to, const uint4 *from, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] = from[i];
}

static void measure_copy(struct bench *bench)
{
    static struct samples samples;
    size_t bytes = bench->elements * sizeof(double);
    for (int blocks_per_sm = 1; blocks_per_sm <= 8; blocks_per_sm *= 2) {
        for (long repeat = 0; repeat <= options[REPEATS].value; repeat++) {
            stopwatch_begin(&bench->watch);
            copy_wide<<<bench->sms * blocks_per_sm, 256>>>(
                (uint4 *)bench->arrays[0], (const uint4 *)bench->arrays[1], bytes / sizeof(uint4));
            double nanoseconds = stopwatch_end(&bench->watch);
            if (repeat > 0)
                samples_add(&samples, 2.0 * bytes / nanoseconds);
        }
        row("stream", "copy-16", blocks_per_sm * 256.0, "thread/SM", &samples, "GB/s");
    }
}

// A word of each sector, again and again in `passes`.
__global__ void load_sectors(const char *buffer, size_t stride, unsigned sectors, unsigned passes,
                             unsigned *sum)
{
    unsigned mine = 0, step = gridDim.x * blockDim.x;
    for (unsigned pass = 0; pass < passes; pass++)
#pragma unroll 4
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < sectors; i += step) {
            unsigned word;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(buffer + i * stride));
            mine += word;
        }
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
        mine += __shfl_down_sync(~0u, mine, lanes);
    if (threadIdx.x % WARP == 0)
        atomicAdd(sum, mine);
}

static unsigned sum_of_sectors(size_t stride, unsigned sectors)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < sectors; i++)
        sum += measure_mixed((unsigned)(i * stride / 4));
    return sum;
}

// Nanoseconds of so many sectors; the buffer's words are measure_mixed of their places.
static double time_sectors(struct bench *bench, const char *buffer, size_t stride, unsigned sectors,
                           unsigned passes, unsigned *device_sum, unsigned right)
{
    unsigned sum;
    WORKLOAD_CHECK(cudaMemset(device_sum, 0, sizeof sum));
    stopwatch_begin(&bench->watch);
    load_sectors<<<bench->sms * 4, 512>>>(buffer, stride, sectors, passes, device_sum);
    double nanoseconds = stopwatch_end(&bench->watch);
    WORKLOAD_CHECK(cudaMemcpy(&sum, device_sum, sizeof sum, cudaMemcpyDeviceToHost));
    expect(sum == right * passes, "sum of sectors", (double)stride);
    return nanoseconds;
}

static void by_stride(struct bench *bench)
{
    static struct samples samples;
    size_t span = (size_t)options[SPAN].value << 20;
    unsigned *buffer = NULL;
    while (cudaMalloc((void **)&buffer, span) != cudaSuccess && span > 1 << 20)
        span /= 2;
    (void)cudaGetLastError();
    measure_fill<<<1024, 256>>>(buffer, span / 4);
    WORKLOAD_CHECK_LAUNCH();
    unsigned *device_sum = (unsigned *)workload_upload("sum", 4);
    size_t flushed = std::min(span, (size_t)192 << 20);
    // A power of two, and one with a line more.
    for (int odd = 0; odd < 2; odd++)
        for (size_t power = odd ? 256 : SECTOR; power <= 1 << 20; power *= 2) {
            size_t stride = power + (odd ? LINE : 0);
            unsigned sectors = (unsigned)std::min((size_t)options[SECTORS].value, span / stride);
            unsigned right = sum_of_sectors(stride, sectors);
            for (long repeat = 0; repeat < options[REPEATS].value; repeat++) {
                // Other data first, then these, each sector once.
                load_sectors<<<bench->sms * 4, 512>>>((const char *)buffer + span - flushed, SECTOR,
                                                      (unsigned)(flushed / SECTOR), 1, device_sum);
                double nanoseconds = time_sectors(bench, (const char *)buffer, stride, sectors, 1,
                                                  device_sum, right);
                samples_add(&samples, sectors / nanoseconds);
            }
            row("stride-dram", odd ? "power+128" : "power", (double)stride, "byte", &samples,
                "sector/ns");
            unsigned few = std::min(sectors, 65536u), few_right = sum_of_sectors(stride, few);
            for (long repeat = 0; repeat < options[REPEATS].value; repeat++)
                samples_add(&samples, 32.0 * few /
                                          time_sectors(bench, (const char *)buffer, stride, few, 32,
                                                       device_sum, few_right));
            row("stride-l2", odd ? "power+128" : "power", (double)stride, "byte", &samples,
                "sector/ns");
        }
    WORKLOAD_CHECK(cudaFree(buffer));
    WORKLOAD_CHECK(cudaFree(device_sum));
}

// Each thread follows its own part of a chain, from places that lie evenly in it.
__global__ void chains(char *base, const unsigned *order, unsigned count, unsigned hops,
                       char **ends, long long *cycles)
{
    unsigned from = (unsigned)((unsigned long long)count * threadIdx.x / blockDim.x);
    char *at = base + (size_t)order[from] * LINE;
    __syncthreads();
    long long begin = clock64();
    for (unsigned i = 0; i < hops; i++)
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory");
    ends[threadIdx.x] = at;
    __syncthreads();
    if (threadIdx.x == 0)
        *cycles = clock64() - begin;
}

struct chain_room {
    char *base, **ends;
    unsigned *order, *device_order, count;
    long long *cycles;
};

static struct chain_room link_chain(size_t bytes)
{
    struct chain_room room = {};
    room.count = (unsigned)(bytes / LINE);
    room.order = measure_order(room.count, true, 1);
    room.device_order = (unsigned *)workload_upload(room.order, room.count * sizeof(unsigned));
    WORKLOAD_CHECK(cudaMalloc((void **)&room.base, bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&room.ends, 1024 * sizeof(char *)));
    WORKLOAD_CHECK(cudaMalloc((void **)&room.cycles, sizeof(long long)));
    measure_link<<<256, 256>>>(room.base, room.device_order, room.count, LINE, 0);
    WORKLOAD_CHECK_LAUNCH();
    return room;
}

static void free_chain(struct chain_room *room)
{
    WORKLOAD_CHECK(cudaFree(room->base));
    WORKLOAD_CHECK(cudaFree(room->device_order));
    WORKLOAD_CHECK(cudaFree(room->ends));
    WORKLOAD_CHECK(cudaFree(room->cycles));
    free(room->order);
}

static void check_ends(const struct chain_room *room, unsigned threads, unsigned hops)
{
    static char *ends[1024];
    WORKLOAD_CHECK(cudaMemcpy(ends, room->ends, threads * sizeof *ends, cudaMemcpyDeviceToHost));
    for (unsigned thread = 0; thread < threads; thread++) {
        unsigned from = (unsigned)((unsigned long long)room->count * thread / threads);
        unsigned last = room->order[(from + hops) % room->count];
        expect(ends[thread] == room->base + (size_t)last * LINE, "end of a chain", threads);
    }
}

// Other data into the caches.
static void flush(const struct bench *bench)
{
    stream<READ><<<(unsigned)(bench->elements / 1024), 1024>>>(bench->arrays[0], bench->arrays[1],
                                                               bench->arrays[2], bench->elements);
    WORKLOAD_CHECK_LAUNCH();
}

static void by_chains(const struct bench *bench, const char *variant, size_t bytes, bool cold)
{
    static struct samples samples;
    struct chain_room room = link_chain(bytes);
    unsigned hops = std::min((unsigned)HOPS, room.count);
    for (unsigned threads = 1; threads <= 1024; threads *= 2) {
        for (long repeat = 0; repeat <= options[REPEATS].value; repeat++) {
            long long cycles;
            if (cold)
                flush(bench);
            chains<<<1, threads>>>(room.base, room.device_order, room.count, hops, room.ends,
                                   room.cycles);
            WORKLOAD_CHECK_LAUNCH();
            WORKLOAD_CHECK(cudaMemcpy(&cycles, room.cycles, sizeof cycles, cudaMemcpyDeviceToHost));
            if (repeat > 0)
                samples_add(&samples, (double)cycles / hops);
        }
        check_ends(&room, threads, hops);
        row("chains", variant, threads, "thread", &samples, "cycle/hop");
    }
    free_chain(&room);
}

// The first block follows a chain; the others read the array until it is done, and count words.
__global__ void loaded_chain(char *first, unsigned hops, char **ends, long long *cycles,
                             const uint4 *words, size_t count, volatile unsigned *done,
                             unsigned long long *read)
{
    if (blockIdx.x == 0) {
        if (threadIdx.x > 0)
            return;
        char *at = first;
        for (unsigned i = 0; i < hops / 4; i++)
            asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory");
        long long begin = clock64();
        for (unsigned i = hops / 4; i < hops; i++)
            asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at) : : "memory");
        ends[0] = at;
        *cycles = clock64() - begin;
        __threadfence();
        *done = 1;
        return;
    }
    size_t step = (size_t)(gridDim.x - 1) * blockDim.x % count, mine = 0;
    size_t i = ((blockIdx.x - 1) * (size_t)blockDim.x + threadIdx.x) % count;
    unsigned sum = 0;
    while (!*done &&
           mine < 1 << 20) { // seldom enough that the word's slice of L2 is not what is slow
#pragma unroll 8
        for (int turn = 0; turn < 64; turn++) {
            uint4 four;
            asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(four.x), "=r"(four.y), "=r"(four.z), "=r"(four.w)
                         : "l"(words + i));
            sum += four.x + four.y + four.z + four.w;
            i = i + step < count ? i + step : i + step - count;
            mine++;
        }
    }
    if (sum != 12345)
        atomicAdd(read, (unsigned long long)mine * sizeof(uint4));
}

static void under_load(struct bench *bench)
{
    static struct samples latencies, rates;
    struct chain_room room = link_chain((size_t)options[CHAIN_MIB].value << 20);
    unsigned long long read[2], *device_read;
    WORKLOAD_CHECK(cudaMalloc((void **)&device_read, sizeof read));
    int shared = measure_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / 2 + 1024;
    WORKLOAD_CHECK(
        cudaFuncSetAttribute(loaded_chain, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    unsigned hops = std::min(2048u, room.count);
    for (int threads = 0; threads <= 1024; threads = threads ? threads * 2 : WARP) {
        for (long repeat = 0; repeat < options[REPEATS].value; repeat++) {
            long long cycles;
            flush(bench);
            WORKLOAD_CHECK(cudaMemset(device_read, 0, sizeof read));
            stopwatch_begin(&bench->watch);
            loaded_chain<<<threads ? bench->sms : 1, threads ? threads : 1, shared>>>(
                room.base + (size_t)room.order[0] * LINE, hops, room.ends, room.cycles,
                (const uint4 *)bench->arrays[1], bench->elements / 2, (unsigned *)&device_read[1],
                device_read);
            double nanoseconds = stopwatch_end(&bench->watch);
            WORKLOAD_CHECK(cudaGetLastError());
            WORKLOAD_CHECK(cudaMemcpy(&cycles, room.cycles, sizeof cycles, cudaMemcpyDeviceToHost));
            WORKLOAD_CHECK(cudaMemcpy(read, device_read, sizeof read, cudaMemcpyDeviceToHost));
            samples_add(&latencies, (double)cycles / (hops - hops / 4));
            samples_add(&rates, read[0] / nanoseconds);
        }
        row("loaded", "latency of a chain in DRAM", threads, "thread/SM", &latencies, "cycle");
        row("loaded", "read by the other SMs", threads, "thread/SM", &rates, "GB/s");
    }
    char *end;
    WORKLOAD_CHECK(cudaMemcpy(&end, room.ends, sizeof end, cudaMemcpyDeviceToHost));
    expect(end == room.base + (size_t)room.order[hops % room.count] * LINE, "loaded chain", hops);
    WORKLOAD_CHECK(cudaFree(device_read));
    free_chain(&room);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "stream", "bytes a second from and to DRAM", options, OPTIONS);
    struct bench bench = {};
    bench.sms = measure_sms();
    bench.watch = stopwatch_new();
    if (options[NET].value != 0)
        stopwatch_leave_out_launch(&bench.watch);
    bench.elements = (size_t)options[ELEMENTS].value / 1024 * 1024;
    for (double *&array : bench.arrays)
        WORKLOAD_CHECK(cudaMalloc((void **)&array, bench.elements * sizeof *array));
    make_arrays<<<1024, 256>>>(bench.arrays[1], bench.arrays[2], bench.elements);
    WORKLOAD_CHECK_LAUNCH();
    measure_wake(options[ELEMENTS].value > 1 << 20 ? options[WAKE].value : 0);
    row_header();
    size_t chain_bytes = (size_t)options[CHAIN_MIB].value << 20;
    const struct workload_option *only = &options[ONLY];
    if (measure_selects(only, "chains-l2"))
        by_chains(&bench, "chains-l2", chain_bytes / 64, false);
    if (measure_selects(only, "chains-dram"))
        by_chains(&bench, "chains-dram", chain_bytes, true);
    if (measure_selects(only, "loaded"))
        under_load(&bench);
    by_occupancy(&bench);
    if (measure_selects(only, "copy-16"))
        measure_copy(&bench);
    if (measure_selects(only, "strides"))
        by_stride(&bench);
    return measure_verdict("stream");
}
