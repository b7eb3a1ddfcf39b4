// What a dependent load takes, in cycles of the SM's clock, by how many bytes the chain goes
// through.
//
//   ca-128      lines of 128 bytes, cached in L1 too (ld.global.ca), L1 as large as it can be
//   ca-64       the same with a place every 64 bytes
//   cg-128      past L1 (ld.global.cg)
//   ca-half, ca-least   as ca-128 with half and with all of the array given to shared memory
//   ca-own-0, ca-own-16, ca-own-96   as ca-128, but the driver chooses how the array is divided,
//   for
//               a block that uses no shared memory, 16 KiB of it and 96 KiB
//   page-…      a line of every page of 2, 8, 16, 32 or 64 MiB, past L1: what translation adds
//   cold-…      each line for the first time since the caches were filled with other data, one
//   stride
//               further than the one before: what rows of DRAM that are open are worth
//
// One block goes through the chain twice, every thread through a part of it; then its first thread
// goes through all of it again, or through the first half million places, and that is timed.
#include "measure.h"

enum { MOST_HOPS = 1 << 19, LEAST_HOPS = 4096, WARMING = 1024 };

template <int CACHED> __device__ inline char *follow(char *at)
{
    char *next;
    if (CACHED)
        asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    else
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    return next;
}

struct chain {
    char *base;
    const unsigned *order;
    unsigned count;
    size_t stride, jitter;
};

// `ends`: where each thread's last warming hop led, then where the timed ones did.
template <int CACHED>
__global__ void chase(struct chain chain, unsigned warm_passes, unsigned hops, char **ends,
                      long long *cycles)
{
    unsigned from = (unsigned)((unsigned long long)chain.count * threadIdx.x / blockDim.x);
    unsigned to = (unsigned)((unsigned long long)chain.count * (threadIdx.x + 1) / blockDim.x);
    char *first = chain.base + measure_place(chain.order[0], chain.stride, chain.jitter);
    for (unsigned pass = 0; pass < warm_passes; pass++) {
        char *at = chain.base + measure_place(chain.order[from], chain.stride, chain.jitter);
        for (unsigned i = from; i < to; i++)
            at = follow<CACHED>(at);
        ends[threadIdx.x] = at;
    }
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    char *at = first;
    long long begin = clock64();
#pragma unroll 16
    for (unsigned i = 0; i < hops; i++)
        at = follow<CACHED>(at);
    *cycles = measure_clock_after(at) - begin;
    ends[blockDim.x] = at;
}

__global__ void fill_caches(const unsigned *words, size_t count, unsigned *sum)
{
    unsigned mine = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        mine += words[i];
    if (mine == 12345)
        *sum = mine;
}

enum {
    LARGEST,
    SMALLEST,
    STEPS,
    PAGES,
    LEAST_PAGES,
    PAGE_SPAN,
    COLD_KIB,
    SEED,
    HOPS,
    PASSES,
    REPEATS,
    ONLY,
    WAKE,
    OPTIONS
};
static struct workload_option options[OPTIONS] = {
    {"largest", "KiB of the largest working set", 256 << 10, 4, 1 << 22, NULL},
    {"smallest", "KiB of the smallest", 4, 1, 1 << 20, NULL},
    {"steps", "working sets from one to its double", 4, 1, 16, NULL},
    {"pages", "the most pages of which a line each is loaded, 0 for none", 16384, 0, 1 << 17, NULL},
    {"least-pages", "the fewest", 8, 1, 1 << 17, NULL},
    {"page-span", "MiB that pages may lie in", 49152, 4, 1 << 17, NULL},
    {"cold", "KiB that empty the caches, 0 for no cold chains", 192 << 10, 0, 1 << 20, NULL},
    {"seed", "of the random order", 1, 0, 1000000000, NULL},
    {"hops", "the most that are timed; more than that: so many, again and again", MOST_HOPS, 1, 1 << 24,
     NULL},
    {"passes", "through the chain before", 2, 1, 16, NULL},
    {"repeats", "of pages, and of working sets up to 4 MiB", 3, 1, 100, NULL},
    {"only", "one variant", 0, 0, 0,
     "all ca-128 ca-64 cg-128 ca-half ca-least ca-own-0 ca-own-16 ca-own-96 page-2MiB page-8MiB "
     "page-16MiB page-32MiB page-64MiB"},
    {"wake", "milliseconds of work before large sizes", 200, 0, 10000, NULL},
};

struct bench {
    char *buffer;
    size_t bytes;
    unsigned *device_order, *flush, *sum;
    unsigned places; // that device_order has room for
    char **ends;
    long long *cycles;
    size_t shared; // bytes that a block asks for
};

// Links a chain and times it; the cycles of a load.
static double time_chain(struct bench *bench, struct chain chain, int cached, unsigned warm_passes,
                         unsigned most_hops, bool shuffled)
{
    unsigned *order = measure_order(chain.count, shuffled, (unsigned)options[SEED].value);
    WORKLOAD_CHECK(cudaMemcpy(bench->device_order, order, (size_t)chain.count * sizeof *order,
                              cudaMemcpyHostToDevice));
    chain.base = bench->buffer;
    chain.order = bench->device_order;
    measure_link<<<256, 256>>>(chain.base, chain.order, chain.count, chain.stride, chain.jitter);
    WORKLOAD_CHECK_LAUNCH();
    if (warm_passes == 0) {
        fill_caches<<<1024, 256>>>(bench->flush, ((size_t)options[COLD_KIB].value << 10) / 4,
                                   bench->sum);
        WORKLOAD_CHECK_LAUNCH();
    }
    unsigned hops = std::min(std::max(chain.count, (unsigned)LEAST_HOPS), most_hops);
    if (most_hops > MOST_HOPS) // that were asked for
        hops = most_hops;
    unsigned threads = std::min((unsigned)WARMING, chain.count);
    auto *kernel = cached ? chase<1> : chase<0>;
    kernel<<<1, threads, bench->shared>>>(chain, warm_passes, hops, bench->ends, bench->cycles);
    WORKLOAD_CHECK_LAUNCH();
    char *end;
    long long cycles;
    WORKLOAD_CHECK(cudaMemcpy(&end, bench->ends + threads, sizeof end, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaMemcpy(&cycles, bench->cycles, sizeof cycles, cudaMemcpyDeviceToHost));
    size_t last = measure_place(order[hops % chain.count], chain.stride, chain.jitter);
    expect(end == bench->buffer + last, "end of a chain", chain.count);
    free(order);
    return (double)cycles / hops;
}

static void set_carveout(struct bench *bench, int percent, size_t shared)
{
    bench->shared = shared;
    WORKLOAD_CHECK(
        cudaFuncSetAttribute(chase<1>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    WORKLOAD_CHECK(
        cudaFuncSetAttribute(chase<1>, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
    WORKLOAD_CHECK(
        cudaFuncSetAttribute(chase<0>, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
}

static void by_working_set(struct bench *bench, const char *variant, int cached, size_t stride,
                           long steps, size_t largest)
{
    static struct samples samples;
    size_t previous = 0;
    if (!measure_selects(&options[ONLY], variant))
        return;
    largest = std::min(largest, bench->bytes);
    for (long step = 0;; step++) {
        double exact =
            (double)(options[SMALLEST].value << 10) * pow(2, (double)step / (double)steps);
        size_t bytes = (size_t)(exact / 1024 + 0.5) * 1024;
        if (bytes > largest)
            break;
        if (bytes == previous)
            continue;
        previous = bytes;
        struct chain chain = {NULL, NULL, (unsigned)(bytes / stride), stride, 0};
        for (int repeat = 0; repeat < (bytes <= 4 << 20 ? options[REPEATS].value : 1); repeat++)
            samples_add(&samples, time_chain(bench, chain, cached, (unsigned)options[PASSES].value,
                                             (unsigned)options[HOPS].value, true));
        row("latency", variant, (double)bytes, "byte", &samples, "cycle");
    }
}

static void by_pages(struct bench *bench, size_t page)
{
    static struct samples samples;
    char variant[32];
    snprintf(variant, sizeof variant, "page-%zuMiB", page >> 20);
    if (!measure_selects(&options[ONLY], variant))
        return;
    unsigned most = (unsigned)std::min((size_t)options[PAGES].value, bench->bytes / page);
    for (unsigned pages = 8; pages <= most;
         pages = pages % 3 == 0 ? pages / 3 * 4 : pages / 2 * 3) {
        if (pages < options[LEAST_PAGES].value)
            continue;
        struct chain chain = {NULL, NULL, pages, page, page};
        for (int repeat = 0; repeat < options[REPEATS].value; repeat++)
            samples_add(&samples, time_chain(bench, chain, 0, (unsigned)options[PASSES].value,
                                             (unsigned)options[HOPS].value, true));
        row("latency", variant, pages, "page", &samples, "cycle");
    }
}

static void cold_strides(struct bench *bench, unsigned places)
{
    static struct samples samples;
    for (size_t stride = 128; stride <= 2 << 20; stride *= 2) {
        unsigned count = (unsigned)std::min((size_t)places, bench->bytes / stride);
        if (count < 64)
            break;
        struct chain chain = {NULL, NULL, count, stride, 0};
        for (int repeat = 0; repeat < 3; repeat++)
            samples_add(&samples, time_chain(bench, chain, 0, 0, count, false));
        row("latency", "cold-in-order", (double)stride, "byte of stride", &samples, "cycle");
        for (int repeat = 0; repeat < 3; repeat++)
            samples_add(&samples, time_chain(bench, chain, 0, 0, count, true));
        row("latency", "cold-random", (double)stride, "byte of stride", &samples, "cycle");
    }
}

// As large as asked for, or the half as long as there is no such memory.
static void allocate(struct bench *bench)
{
    size_t wanted = (size_t)options[LARGEST].value << 10;
    if (options[PAGES].value > 0)
        wanted = std::max(wanted, (size_t)options[PAGE_SPAN].value << 20);
    while (cudaMalloc((void **)&bench->buffer, wanted) != cudaSuccess && wanted > 1 << 20)
        wanted /= 2;
    (void)cudaGetLastError();
    bench->bytes = wanted;
    bench->places = (unsigned)std::max(((size_t)options[LARGEST].value << 10) / 64,
                                       (size_t)options[PAGES].value) +
                    65536;
    WORKLOAD_CHECK(cudaMalloc((void **)&bench->device_order, bench->places * sizeof(unsigned)));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench->ends, (WARMING + 1) * sizeof(char *)));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench->cycles, sizeof(long long)));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench->sum, sizeof(unsigned)));
    if (options[COLD_KIB].value > 0)
        bench->flush = measure_words((size_t)options[COLD_KIB].value << 10);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "latency", "cycles of a dependent load", options, OPTIONS);
    struct bench bench = {};
    allocate(&bench);
    measure_wake(options[LARGEST].value > 8192 ? options[WAKE].value : 0);
    row_header();
    size_t largest = (size_t)options[LARGEST].value << 10,
           small = std::min(largest, (size_t)1 << 20);
    long steps = options[STEPS].value, half = (steps + 1) / 2;
    set_carveout(&bench, cudaSharedmemCarveoutMaxL1, 0);
    by_working_set(&bench, "ca-128", 1, 128, steps, largest);
    by_working_set(&bench, "ca-64", 1, 64, half, std::min(largest, (size_t)96 << 20));
    by_working_set(&bench, "cg-128", 0, 128, half, largest);
    set_carveout(&bench, 50, 0);
    by_working_set(&bench, "ca-half", 1, 128, half, small);
    set_carveout(&bench, cudaSharedmemCarveoutMaxShared, 0);
    by_working_set(&bench, "ca-least", 1, 128, half, small);
    set_carveout(&bench, cudaSharedmemCarveoutDefault, 0);
    by_working_set(&bench, "ca-own-0", 1, 128, half, small);
    set_carveout(&bench, cudaSharedmemCarveoutDefault, 16 << 10);
    by_working_set(&bench, "ca-own-16", 1, 128, half, small);
    set_carveout(&bench, cudaSharedmemCarveoutDefault, 96 << 10);
    by_working_set(&bench, "ca-own-96", 1, 128, half, small);
    set_carveout(&bench, cudaSharedmemCarveoutMaxL1, 0);
    for (size_t page : {2, 8, 16, 32, 64})
        by_pages(&bench, page << 20);
    if (options[COLD_KIB].value > 0)
        cold_strides(&bench, 4096);
    return measure_verdict("latency");
}
