// How many atomics are done, by how many addresses they go to.
//
//   red, atom, float, cas    in global memory: reductions, with the old value returned, additions
//   of
//                floats, compare and swap; thread t goes to word t % addresses
//   red-lines    the same words each in a line of its own
//   red-warp     all lanes of a warp to one word, warp w to word w % addresses
//   shared-inc, shared-add, shared-float     a block an SM, thread t to word t % addresses of its
//   shared
//                memory: additions of one, of a number that the compiler does not know, of floats
#include "measure.h"

enum { BLOCK = 256, SHARED_WORDS = 1024, LINE_WORDS = 32, MOST_LINES = 1 << 16 };
enum kind { RED, ATOM, FLOAT, CAS };

template <int KIND> __device__ inline unsigned add_one(unsigned *word, unsigned old)
{
    if (KIND == RED)
        asm volatile("red.global.add.u32 [%0], 1;" : : "l"(word) : "memory");
    else if (KIND == ATOM)
        asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(word) : "memory");
    else if (KIND == FLOAT)
        asm volatile("red.global.add.f32 [%0], 0f3F800000;" : : "l"(word) : "memory");
    else // which fails where another was quicker: as many are done, fewer add
        asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
                     : "=r"(old)
                     : "l"(word), "r"(old), "r"(old + 1)
                     : "memory");
    return old;
}

template <int KIND>
__global__ void in_global(unsigned *words, unsigned addresses, unsigned apart, unsigned together,
                          unsigned each, unsigned *olds)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, old = 0;
    unsigned *word = words + (size_t)(thread / together % addresses) * apart;
#pragma unroll 8
    for (unsigned i = 0; i < each; i++)
        old = add_one<KIND>(word, old);
    if (KIND == ATOM || KIND == CAS)
        olds[thread] = old; // which waits for it
}

enum shared_kind { INCREMENT, ADD, ADD_FLOAT };

template <int KIND>
__global__ void in_shared(unsigned *totals, unsigned addresses, unsigned each, unsigned one,
                          long long *cycles)
{
    __shared__ unsigned words[SHARED_WORDS];
    for (unsigned i = threadIdx.x; i < SHARED_WORDS; i += blockDim.x)
        words[i] = 0;
    unsigned at = measure_shared(words + threadIdx.x % addresses);
    __syncthreads();
    long long begin = clock64();
#pragma unroll 8
    for (unsigned i = 0; i < each; i++) {
        if (KIND == ADD_FLOAT)
            atomicAdd((float *)&words[threadIdx.x % addresses], 1.0f);
        else if (KIND == ADD)
            asm volatile("red.shared.add.u32 [%0], %1;" : : "r"(at), "r"(one) : "memory");
        else
            asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(at) : "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = clock64() - begin;
    for (unsigned i = threadIdx.x; i < addresses; i += blockDim.x)
        atomicAdd(totals, KIND == ADD_FLOAT ? (unsigned)__uint_as_float(words[i]) : words[i]);
}

enum { EACH, BLOCKS_PER_SM, REPEATS, ONLY, LARGEST, NET, SMALLEST, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"each", "atomics of a thread", 64, 1, 4096, NULL},
    {"blocks-per-sm", "of 256 threads", 8, 1, 64, NULL},
    {"repeats", "of each measurement", 3, 1, 100, NULL},
    {"only", "one variant", 0, 0, 0,
     "all red atom float cas red-lines red-warp shared-inc shared-add shared-float"},
    {"largest", "number of addresses in global memory", 1 << 30, 1, 1 << 30, NULL},
    {"net", "1: what a launch takes by itself is left out", 0, 0, 1, NULL},
    {"smallest", "number of addresses in global memory", 1, 1, 1 << 30, NULL},
};

struct bench {
    unsigned *words, *olds, *host;
    long long *cycles;
    int sms;
    unsigned threads, each;
    struct stopwatch watch;
};

// All additions are there. Floats are exact up to 2^24 of them.
static void check_sum(struct bench *bench, int kind, unsigned addresses, unsigned apart,
                      const char *variant)
{
    unsigned long long sum = 0, right = (unsigned long long)bench->threads * bench->each;
    if (kind == CAS || (kind == FLOAT && right / addresses > 1 << 24))
        return;
    WORKLOAD_CHECK(cudaMemcpy(bench->host, bench->words,
                              (size_t)addresses * apart * sizeof *bench->host,
                              cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < addresses; i++) {
        float number;
        memcpy(&number, bench->host + (size_t)i * apart, sizeof number);
        sum += kind == FLOAT ? (unsigned long long)number : bench->host[(size_t)i * apart];
    }
    expect(sum == right, variant, addresses);
}

template <int KIND>
static void by_addresses(struct bench *bench, const char *variant, unsigned apart,
                         unsigned together)
{
    static struct samples samples;
    if (!measure_selects(&options[ONLY], variant))
        return;
    unsigned most = apart == 1 ? bench->threads : MOST_LINES;
    most = std::min(std::min(most, bench->threads / together), (unsigned)options[LARGEST].value);
    unsigned least = (unsigned)options[SMALLEST].value;
    for (unsigned addresses = least; addresses <= most; addresses *= 2) {
        for (long repeat = 0; repeat <= options[REPEATS].value; repeat++) {
            WORKLOAD_CHECK(cudaMemset(bench->words, 0, (size_t)addresses * apart * 4));
            stopwatch_begin(&bench->watch);
            in_global<KIND><<<bench->threads / BLOCK, BLOCK>>>(bench->words, addresses, apart,
                                                               together, bench->each, bench->olds);
            double nanoseconds = stopwatch_end(&bench->watch);
            WORKLOAD_CHECK(cudaGetLastError());
            if (repeat > 0)
                samples_add(&samples, (double)bench->threads * bench->each / nanoseconds);
        }
        check_sum(bench, KIND, addresses, apart, variant);
        row("atomics", variant, addresses, "address", &samples, "lane/ns");
    }
}

template <int KIND> static void shared_by_addresses(struct bench *bench, const char *variant)
{
    static struct samples samples;
    if (!measure_selects(&options[ONLY], variant))
        return;
    long long *host = (long long *)workload_allocate(bench->sms * sizeof *host);
    for (unsigned addresses = 1; addresses <= BLOCK; addresses *= 2) {
        for (long repeat = 0; repeat < options[REPEATS].value; repeat++) {
            unsigned total = 0;
            WORKLOAD_CHECK(cudaMemset(bench->words, 0, sizeof total));
            in_shared<KIND>
                <<<bench->sms, BLOCK>>>(bench->words, addresses, bench->each, 1, bench->cycles);
            WORKLOAD_CHECK_LAUNCH();
            WORKLOAD_CHECK(
                cudaMemcpy(host, bench->cycles, bench->sms * sizeof *host, cudaMemcpyDeviceToHost));
            WORKLOAD_CHECK(cudaMemcpy(&total, bench->words, sizeof total, cudaMemcpyDeviceToHost));
            expect(total == bench->sms * BLOCK * bench->each, variant, addresses);
            for (int sm = 0; sm < bench->sms; sm++)
                samples_add(&samples, (double)BLOCK * bench->each / host[sm]);
        }
        row("atomics", variant, addresses, "address", &samples, "lane/cycle/SM");
    }
    free(host);
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "atomic_rates", "atomics by contention", options, OPTIONS);
    struct bench bench = {};
    bench.sms = measure_sms();
    bench.watch = stopwatch_new();
    if (options[NET].value != 0)
        stopwatch_leave_out_launch(&bench.watch);
    bench.each = (unsigned)options[EACH].value;
    bench.threads = bench.sms * (unsigned)options[BLOCKS_PER_SM].value * BLOCK;
    size_t words = std::max((size_t)bench.threads, (size_t)MOST_LINES * LINE_WORDS);
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.words, words * sizeof *bench.words));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.olds, bench.threads * sizeof *bench.olds));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.cycles, bench.sms * sizeof *bench.cycles));
    bench.host = (unsigned *)workload_allocate(words * sizeof *bench.host);
    measure_wake(bench.each > 8 ? 200 : 0);
    row_header();
    by_addresses<RED>(&bench, "red", 1, 1);
    by_addresses<ATOM>(&bench, "atom", 1, 1);
    by_addresses<FLOAT>(&bench, "float", 1, 1);
    by_addresses<CAS>(&bench, "cas", 1, 1);
    by_addresses<RED>(&bench, "red-lines", LINE_WORDS, 1);
    by_addresses<RED>(&bench, "red-warp", 1, WARP);
    shared_by_addresses<INCREMENT>(&bench, "shared-inc");
    shared_by_addresses<ADD>(&bench, "shared-add");
    shared_by_addresses<ADD_FLOAT>(&bench, "shared-float");
    return measure_verdict("atomic_rates");
}
