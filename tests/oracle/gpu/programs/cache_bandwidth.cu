// Bytes a cycle from L1 and from L2, by working set and by how many SMs there are.
//
//   l1-4, l1-16     a block an SM reads the same bytes again and again, 4 or 16 a lane
//   l2-parts        many blocks of 1,024 threads, each reading one part of 512 KiB of the working
//   set,
//                   the parts in turn, 8 bytes a lane; -cg: past L1
//   sm-read, sm-write   one block on each of so many SMs with 128 KiB of its own, from L2 and to it
//   sm-read-all     the same, all of them with the same 128 KiB
//
// `skew`, which is 0, is added to addresses from one pass to the next: ptxas would take loads that
// are known to load the same out of the loop.
#include "measure.h"

enum { THREADS = 1024, L1_THREADS = 512, GROUP = 16 << 10, PART = 512 << 10, OWN = 128 << 10 };

__device__ inline unsigned load_l1(const char *at, const unsigned *)
{
    unsigned word;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    return word;
}

__device__ inline unsigned load_l1(const char *at, const uint4 *)
{
    uint4 words;
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "l"(at)
                 : "memory");
    return words.x + words.y + words.z + words.w;
}

template <int CACHED> __device__ inline unsigned load_pair(const char *at)
{
    uint2 words;
    if (CACHED)
        asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];"
                     : "=r"(words.x), "=r"(words.y)
                     : "l"(at)
                     : "memory");
    else
        asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];"
                     : "=r"(words.x), "=r"(words.y)
                     : "l"(at)
                     : "memory");
    return words.x + words.y;
}

// Adds each thread's number to the block's word.
__device__ inline void add_up(unsigned *sums, unsigned mine)
{
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
        mine += __shfl_down_sync(~0u, mine, lanes);
    if (threadIdx.x % WARP == 0)
        atomicAdd(&sums[blockIdx.x], mine);
}

// A block of L1_THREADS; `bytes` is a multiple of GROUP.
template <typename WORD>
__global__ void read_again(const char *buffer, unsigned bytes, unsigned passes, size_t skew,
                           unsigned *sums, long long *cycles)
{
    const unsigned sweep = L1_THREADS * sizeof(WORD);
    const char *first = buffer + threadIdx.x * sizeof(WORD);
    unsigned sum = 0;
    for (unsigned offset = 0; offset < bytes; offset += sweep)
        sum += load_l1(first + offset, (const WORD *)0); // brings it into L1
    first += skew;
    __syncthreads();
    long long begin = clock64();
    for (unsigned pass = 0; pass < passes; pass++, first += skew)
        for (unsigned offset = 0; offset < bytes; offset += GROUP)
#pragma unroll
            for (unsigned within = 0; within < GROUP; within += sweep)
                sum += load_l1(first + offset + within, (const WORD *)0);
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
    add_up(sums, sum);
}

template <int CACHED> __global__ void read_parts(const char *buffer, unsigned parts, unsigned *sums)
{
    const char *first = buffer + (size_t)(blockIdx.x % parts) * PART + threadIdx.x * sizeof(uint2);
    unsigned sum = 0;
#pragma unroll 16
    for (unsigned offset = 0; offset < PART; offset += THREADS * sizeof(uint2))
        sum += load_pair<CACHED>(first + offset);
    add_up(sums, sum);
}

__global__ void read_own(const char *buffer, size_t apart, unsigned passes, size_t skew,
                         unsigned *sums, long long *cycles)
{
    const char *first = buffer + blockIdx.x * apart + threadIdx.x * sizeof(uint2);
    unsigned sum = 0;
    for (unsigned offset = 0; offset < OWN; offset += THREADS * sizeof(uint2))
        sum += load_pair<0>(first + offset); // brings it into L2
    first += skew;
    __syncthreads();
    long long begin = clock64();
    for (unsigned pass = 0; pass < passes; pass++, first += skew)
#pragma unroll 16
        for (unsigned offset = 0; offset < OWN; offset += THREADS * sizeof(uint2))
            sum += load_pair<0>(first + offset);
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
    add_up(sums, sum);
}

__global__ void write_own(char *buffer, size_t apart, unsigned passes, unsigned *sums,
                          long long *cycles)
{
    char *first = buffer + blockIdx.x * apart + threadIdx.x * sizeof(uint2);
    __syncthreads();
    long long begin = clock64();
    for (unsigned pass = 0; pass < passes; pass++)
#pragma unroll 16
        for (unsigned offset = 0; offset < OWN; offset += THREADS * sizeof(uint2))
            asm volatile("st.global.v2.u32 [%0], {%1, %2};"
                         :
                         : "l"(first + offset), "r"(pass + offset), "r"(pass + threadIdx.x)
                         : "memory");
    __threadfence(); // the stores have been done
    __syncthreads();
    if (threadIdx.x == 0) {
        cycles[blockIdx.x] = clock64() - begin;
        sums[blockIdx.x] = *(volatile unsigned *)(buffer + blockIdx.x * apart + 4);
    }
}

enum { L1_KIB, L1_LEAST, L2_MIB, L2_LEAST, BLOCKS, WORK, REPEATS, ONLY, NET, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"l1", "KiB of the largest working set of an SM", 512, 1, 4096, NULL},
    {"l1-least", "KiB of the smallest", 16, 16, 4096, NULL},
    {"l2", "MiB of the largest working set of L2", 256, 2, 4096, NULL},
    {"l2-least", "KiB of the smallest", 1536, 512, 1 << 22, NULL},
    {"blocks", "that read parts of L2's working set", 30000, 1, 1000000, NULL},
    {"work", "KiB that a block reads of its own", 8192, 1, 1 << 20, NULL},
    {"repeats", "of each measurement", 5, 1, 100, NULL},
    {"only", "one variant", 0, 0, 0,
     "all l1-4 l1-16 l2-parts l2-parts-cg sm-read sm-read-all sm-write"},
    {"net", "1: what a launch takes by itself is left out", 0, 0, 1, NULL},
};

struct bench {
    char *buffer;
    unsigned *sums, *host_sums, *part_sums; // of blocks on both sides; of each part of the buffer
    long long *cycles, *host_cycles;
    int sms;
    struct stopwatch watch;
};

static unsigned sum_of(size_t first_byte, size_t bytes)
{
    unsigned sum = 0;
    for (size_t word = first_byte / 4; word < (first_byte + bytes) / 4; word++)
        sum += measure_mixed((unsigned)word);
    return sum;
}

static void clear_sums(struct bench *bench, size_t blocks)
{
    WORKLOAD_CHECK(cudaMemset(bench->sums, 0, blocks * sizeof *bench->sums));
    stopwatch_begin(&bench->watch);
}

// After a launch: its nanoseconds; the sums and cycles of its blocks are on the host.
static double finish(struct bench *bench, size_t blocks, bool with_cycles)
{
    WORKLOAD_CHECK(cudaGetLastError());
    double nanoseconds = stopwatch_end(&bench->watch);
    WORKLOAD_CHECK(cudaMemcpy(bench->host_sums, bench->sums, blocks * sizeof *bench->sums,
                              cudaMemcpyDeviceToHost));
    if (with_cycles)
        WORKLOAD_CHECK(cudaMemcpy(bench->host_cycles, bench->cycles, blocks * sizeof *bench->cycles,
                                  cudaMemcpyDeviceToHost));
    return nanoseconds;
}

template <typename WORD> static void measure_l1(struct bench *bench, const char *variant)
{
    static struct samples cycles, rates;
    if (!measure_selects(&options[ONLY], variant))
        return;
    WORKLOAD_CHECK(cudaFuncSetAttribute(read_again<WORD>,
                                        cudaFuncAttributePreferredSharedMemoryCarveout,
                                        cudaSharedmemCarveoutMaxL1));
    size_t least = ((size_t)options[L1_LEAST].value << 10) / GROUP * GROUP;
    for (size_t bytes = least; bytes <= (size_t)options[L1_KIB].value << 10; bytes += GROUP) {
        unsigned passes = (unsigned)(((size_t)options[WORK].value << 10) / bytes) + 1;
        unsigned whole = sum_of(0, bytes);
        for (long repeat = 0; repeat < options[REPEATS].value; repeat++) {
            clear_sums(bench, bench->sms);
            read_again<WORD><<<bench->sms, L1_THREADS>>>(bench->buffer, (unsigned)bytes, passes, 0,
                                                         bench->sums, bench->cycles);
            double nanoseconds = finish(bench, bench->sms, true);
            for (int block = 0; block < bench->sms; block++) {
                expect(bench->host_sums[block] == whole * (passes + 1), variant, (double)bytes);
                samples_add(&cycles, (double)bytes * passes / bench->host_cycles[block]);
            }
            samples_add(&rates, (double)bytes * (passes + 1) * bench->sms / nanoseconds);
        }
        row("l1-bandwidth", variant, (double)bytes, "byte", &cycles, "byte/cycle/SM");
        row("l1-bandwidth", variant, (double)bytes, "byte", &rates, "GB/s");
    }
}

static void measure_l2(struct bench *bench, const char *variant, int cached)
{
    static struct samples rates;
    if (!measure_selects(&options[ONLY], variant))
        return;
    unsigned blocks = (unsigned)options[BLOCKS].value;
    unsigned least = (unsigned)(((size_t)options[L2_LEAST].value << 10) / PART);
    unsigned most = (unsigned)options[L2_MIB].value * 2;
    for (unsigned parts = least; parts <= most; parts += parts < 16 ? 1 : parts / 10) {
        for (long repeat = 0; repeat <= options[REPEATS].value; repeat++) {
            clear_sums(bench, blocks);
            (cached ? read_parts<1> : read_parts<0>)<<<blocks, THREADS>>>(bench->buffer, parts,
                                                                          bench->sums);
            double nanoseconds = finish(bench, blocks, false);
            if (repeat > 0) // the first one brings it into L2
                samples_add(&rates, (double)blocks * PART / nanoseconds);
        }
        for (unsigned block = 0; block < blocks; block++)
            expect(bench->host_sums[block] == bench->part_sums[block % parts], variant, parts);
        row("l2-bandwidth", variant, (double)parts * PART, "byte", &rates, "GB/s");
    }
}

// How many SMs; so much shared memory is asked for that no two blocks fit one.
static void measure_sms_alone(struct bench *bench, const char *variant, bool write, size_t apart,
                              const unsigned *own_sums)
{
    static struct samples samples;
    if (!measure_selects(&options[ONLY], variant))
        return;
    int shared = measure_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / 2 + 1024;
    WORKLOAD_CHECK(
        cudaFuncSetAttribute(read_own, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    WORKLOAD_CHECK(
        cudaFuncSetAttribute(write_own, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    unsigned passes = (unsigned)(((size_t)options[WORK].value << 10) / OWN) + 1;
    for (int sms = 1;; sms = std::min(sms < 4 ? sms * 2 : sms + sms / 3, bench->sms)) {
        for (long repeat = 0; repeat < options[REPEATS].value; repeat++) {
            clear_sums(bench, sms);
            if (write)
                write_own<<<sms, THREADS, shared>>>(bench->buffer, apart, passes, bench->sums,
                                                    bench->cycles);
            else
                read_own<<<sms, THREADS, shared>>>(bench->buffer, apart, passes, 0, bench->sums,
                                                   bench->cycles);
            finish(bench, sms, true);
            for (int block = 0; block < sms; block++) {
                unsigned right = write ? passes - 1 : own_sums[apart ? block : 0] * (passes + 1);
                expect(bench->host_sums[block] == right, variant, sms);
                samples_add(&samples, (double)OWN * passes / bench->host_cycles[block]);
            }
        }
        row("l2-by-sms", variant, sms, "SM", &samples, "byte/cycle/SM");
        if (sms == bench->sms)
            break;
    }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "cache_bandwidth", "bytes a cycle from L1 and L2", options, OPTIONS);
    struct bench bench = {};
    bench.sms = measure_sms();
    bench.watch = stopwatch_new();
    if (options[NET].value != 0)
        stopwatch_leave_out_launch(&bench.watch);
    size_t most = std::max((size_t)options[BLOCKS].value, (size_t)bench.sms);
    size_t bytes = std::max((size_t)options[L2_MIB].value << 20, (size_t)bench.sms * OWN);
    bytes = std::max(bytes, (size_t)options[L1_KIB].value << 10);
    bench.buffer = (char *)measure_words(bytes);
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.sums, most * sizeof *bench.sums));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.cycles, most * sizeof *bench.cycles));
    bench.host_sums = (unsigned *)workload_allocate(most * sizeof *bench.host_sums);
    bench.host_cycles = (long long *)workload_allocate(most * sizeof *bench.host_cycles);
    unsigned parts = (unsigned)options[L2_MIB].value * 2;
    bench.part_sums = (unsigned *)workload_allocate(parts * sizeof *bench.part_sums);
    for (unsigned part = 0; part < parts; part++)
        bench.part_sums[part] = sum_of((size_t)part * PART, PART);
    unsigned *own_sums = (unsigned *)workload_allocate(bench.sms * sizeof *own_sums);
    for (int sm = 0; sm < bench.sms; sm++)
        own_sums[sm] = sum_of((size_t)sm * OWN, OWN);
    measure_wake(options[BLOCKS].value > 1000 ? 200 : 0);
    row_header();
    measure_l1<unsigned>(&bench, "l1-4");
    measure_l1<uint4>(&bench, "l1-16");
    measure_l2(&bench, "l2-parts", 1);
    measure_l2(&bench, "l2-parts-cg", 0);
    measure_sms_alone(&bench, "sm-read", false, OWN, own_sums);
    measure_sms_alone(&bench, "sm-read-all", false, 0, own_sums);
    measure_sms_alone(&bench, "sm-write", true, OWN, own_sums);
    return measure_verdict("cache_bandwidth");
}
