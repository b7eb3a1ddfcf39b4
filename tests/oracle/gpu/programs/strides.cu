// What one instruction of a warp takes by where its lanes' words lie, in cycles of the SM's clock:
// 32 warps of one block on an SM do nothing else, and the cycles are divided by their instructions.
//
//   l1-float, l1-double, l1-float4   loads that L1 serves, by the elements between two lanes
//   l1-block       loads of floats by the width of a two-dimensional block: rows lie 4,098 elements apart
//   shared-load, shared-store        of floats, doubles and float4, by the elements between two lanes
//   constant       loads of constant memory, by how many different words 32 lanes ask for
//   constant-lines the same, each of the words in a line of its own (64 bytes apart)
//
// The parameter 0 is the same word for all lanes.
#include "measure.h"

enum { WARPS = 32, THREADS = WARPS * WARP, UNROLLED = 8, CONSTANT_WORDS = 16384, MOST_STRIDE = 65 };

__constant__ unsigned constants[CONSTANT_WORDS];

template <typename WORD> struct loads; // one load through L1 or of shared memory, and the word's sum
template <> struct loads<unsigned> {
    __device__ static unsigned global(const void *at)
    {
        unsigned word;
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
        return word;
    }
    __device__ static unsigned shared(unsigned at)
    {
        unsigned word;
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(at) : "memory");
        return word;
    }
    __device__ static void store(unsigned at, unsigned word)
    {
        asm volatile("st.shared.u32 [%0], %1;" : : "r"(at), "r"(word) : "memory");
    }
};
template <> struct loads<uint2> {
    __device__ static unsigned global(const void *at)
    {
        uint2 word;
        asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];"
                     : "=r"(word.x), "=r"(word.y)
                     : "l"(at)
                     : "memory");
        return word.x + word.y;
    }
    __device__ static unsigned shared(unsigned at)
    {
        uint2 word;
        asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                     : "=r"(word.x), "=r"(word.y)
                     : "r"(at)
                     : "memory");
        return word.x + word.y;
    }
    __device__ static void store(unsigned at, unsigned word)
    {
        asm volatile("st.shared.v2.u32 [%0], {%1, %1};" : : "r"(at), "r"(word) : "memory");
    }
};
template <> struct loads<uint4> {
    __device__ static unsigned global(const void *at)
    {
        uint4 word;
        asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                     : "l"(at)
                     : "memory");
        return word.x + word.y + word.z + word.w;
    }
    __device__ static unsigned shared(unsigned at)
    {
        uint4 word;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                     : "r"(at)
                     : "memory");
        return word.x + word.y + word.z + word.w;
    }
    __device__ static void store(unsigned at, unsigned word)
    {
        asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" : : "r"(at), "r"(word) : "memory");
    }
};

// Lanes' words: `stride` apart along a row, and a row of `width` lanes under the next.
__device__ inline unsigned place_of_lane(unsigned stride, unsigned width, unsigned pitch)
{
    unsigned lane = threadIdx.x % WARP;
    return lane % width * stride + lane / width * pitch;
}

template <typename WORD>
__global__ void load_global(const WORD *words, unsigned stride, unsigned width, unsigned pitch,
                            unsigned turns, unsigned *sums, long long *cycles)
{
    const WORD *at = words + place_of_lane(stride, width, pitch);
    unsigned sum = loads<WORD>::global(at);
    __syncthreads();
    long long begin = clock64();
    for (unsigned i = 0; i < turns; i++)
#pragma unroll
        for (int j = 0; j < UNROLLED; j++)
            sum += loads<WORD>::global(at);
    __syncthreads();
    if (threadIdx.x == 0)
        *cycles = clock64() - begin;
    sums[threadIdx.x] = sum;
}

template <typename WORD>
__global__ void access_shared(const WORD *words, unsigned count, unsigned stride, bool store,
                              unsigned turns, unsigned *sums, long long *cycles)
{
    extern __shared__ uint4 raw[];
    WORD *mine = (WORD *)raw;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        mine[i] = words[i];
    unsigned at =
        (unsigned)__cvta_generic_to_shared(mine + place_of_lane(stride, WARP, 0)), sum = 0;
    __syncthreads();
    long long begin = clock64();
    for (unsigned i = 0; i < turns; i++)
#pragma unroll
        for (int j = 0; j < UNROLLED; j++) {
            if (store)
                loads<WORD>::store(at, i + threadIdx.x % WARP);
            else
                sum += loads<WORD>::shared(at);
        }
    __syncthreads();
    if (threadIdx.x == 0)
        *cycles = clock64() - begin;
    sums[threadIdx.x] = store ? loads<WORD>::shared(at) : sum;
}

// Lane l asks for word l % different, of lines that are `apart` words long.
__global__ void load_constant(unsigned different, unsigned apart, unsigned turns, unsigned *sums,
                              long long *cycles)
{
    unsigned at = threadIdx.x % WARP % different * apart * 4, sum = 0;
    asm volatile("{ .reg .u64 base, place; .reg .u32 word;\n"
                 "mov.u64 base, constants; cvt.u64.u32 place, %1; add.u64 place, place, base;\n"
                 "ld.const.u32 word, [place]; add.u32 %0, %0, word; }"
                 : "+r"(sum)
                 : "r"(at));
    __syncthreads();
    long long begin = clock64();
    for (unsigned i = 0; i < turns; i++)
#pragma unroll
        for (int j = 0; j < UNROLLED; j++)
            asm volatile("{ .reg .u64 base, place; .reg .u32 word;\n"
                         "mov.u64 base, constants; cvt.u64.u32 place, %1; add.u64 place, place, base;\n"
                         "ld.const.u32 word, [place]; add.u32 %0, %0, word; }"
                         : "+r"(sum)
                         : "r"(at));
    __syncthreads();
    if (threadIdx.x == 0)
        *cycles = clock64() - begin;
    sums[threadIdx.x] = sum;
}

enum { TURNS, REPEATS, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"turns", "eights of instructions of each warp", 256, 1, 1 << 20, NULL},
    {"repeats", "of each measurement", 3, 1, 100, NULL},
};

struct bench {
    unsigned *words, *sums, *device_sums;
    long long *cycles;
    unsigned turns;
    size_t count; // of words
};

// After a launch: cycles of an instruction. `right` is what a lane adds up in one.
static double finish(struct bench *bench, const unsigned *right, unsigned times, const char *what,
                     double parameter)
{
    WORKLOAD_CHECK_LAUNCH();
    long long cycles;
    WORKLOAD_CHECK(cudaMemcpy(&cycles, bench->cycles, sizeof cycles, cudaMemcpyDeviceToHost));
    WORKLOAD_CHECK(cudaMemcpy(bench->sums, bench->device_sums, THREADS * sizeof *bench->sums,
                              cudaMemcpyDeviceToHost));
    for (unsigned thread = 0; thread < THREADS; thread++)
        expect(bench->sums[thread] == right[thread % WARP] * times, what, parameter);
    return (double)cycles / (WARPS * UNROLLED * (double)bench->turns);
}

static unsigned element_sum(size_t element, size_t bytes)
{
    unsigned sum = 0;
    for (size_t word = 0; word < bytes / 4; word++)
        sum += measure_mixed((unsigned)(element * bytes / 4 + word));
    return sum;
}

template <typename WORD>
static double time_global(struct bench *bench, const char *what, unsigned stride, unsigned width,
                          unsigned pitch)
{
    unsigned right[WARP];
    for (unsigned lane = 0; lane < WARP; lane++)
        right[lane] = element_sum(lane % width * stride + lane / width * pitch, sizeof(WORD));
    WORKLOAD_CHECK(cudaFuncSetAttribute(load_global<WORD>,
                                        cudaFuncAttributePreferredSharedMemoryCarveout,
                                        cudaSharedmemCarveoutMaxL1));
    load_global<WORD><<<1, THREADS>>>((const WORD *)bench->words, stride, width, pitch,
                                      bench->turns, bench->device_sums, bench->cycles);
    return finish(bench, right, bench->turns * UNROLLED + 1, what, width < WARP ? width : stride);
}

template <typename WORD> static void global_strides(struct bench *bench, const char *variant)
{
    static struct samples samples;
    for (unsigned stride = 0; stride < MOST_STRIDE; stride++) {
        for (long repeat = 0; repeat < options[REPEATS].value; repeat++)
            samples_add(&samples, time_global<WORD>(bench, variant, stride, WARP, 0));
        row("strides", variant, stride, "element", &samples, "cycle/instruction");
    }
}

static void global_blocks(struct bench *bench)
{
    static struct samples samples;
    for (unsigned width = 1; width <= WARP; width *= 2) {
        for (long repeat = 0; repeat < options[REPEATS].value; repeat++)
            samples_add(&samples, time_global<unsigned>(bench, "l1-block", 1, width, 4098));
        row("strides", "l1-block", width, "lane of a row", &samples, "cycle/instruction");
    }
}

template <typename WORD>
static void shared_strides(struct bench *bench, const char *variant, bool store)
{
    static struct samples samples;
    unsigned count = (WARP - 1) * (MOST_STRIDE - 1) + 1;
    int bytes = (int)(count * sizeof(WORD));
    WORKLOAD_CHECK(cudaFuncSetAttribute(access_shared<WORD>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    for (unsigned stride = 0; stride < MOST_STRIDE; stride++) {
        unsigned right[WARP], words = sizeof(WORD) / 4;
        for (unsigned lane = 0; lane < WARP; lane++) {
            // What a lane stored last; with a stride of 0 that is any lane's, and not looked at.
            unsigned stored = (bench->turns - 1 + lane) * words;
            right[lane] = store ? stored : element_sum(lane * stride, sizeof(WORD));
        }
        if (store && stride == 0)
            continue;
        for (long repeat = 0; repeat < options[REPEATS].value; repeat++) {
            access_shared<WORD><<<1, THREADS, bytes>>>((const WORD *)bench->words, count, stride,
                                                       store, bench->turns, bench->device_sums,
                                                       bench->cycles);
            samples_add(&samples, finish(bench, right, store ? 1 : bench->turns * UNROLLED,
                                         variant, stride));
        }
        row("strides", variant, stride, "element", &samples, "cycle/instruction");
    }
}

static void constant_conflicts(struct bench *bench, const char *variant, unsigned apart)
{
    static struct samples samples;
    for (unsigned different = 1; different <= WARP; different++) {
        unsigned right[WARP];
        for (unsigned lane = 0; lane < WARP; lane++)
            right[lane] = measure_mixed(lane % different * apart);
        for (long repeat = 0; repeat < options[REPEATS].value; repeat++) {
            load_constant<<<1, THREADS>>>(different, apart, bench->turns, bench->device_sums,
                                          bench->cycles);
            samples_add(&samples,
                        finish(bench, right, bench->turns * UNROLLED + 1, variant, different));
        }
        row("strides", variant, different, "word", &samples, "cycle/instruction");
    }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "strides", "cycles of an instruction by its lanes' places", options,
                   OPTIONS);
    struct bench bench = {};
    bench.turns = (unsigned)options[TURNS].value;
    bench.words = measure_words(1 << 20);
    bench.sums = (unsigned *)workload_allocate(THREADS * sizeof *bench.sums);
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.device_sums, THREADS * sizeof *bench.sums));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.cycles, sizeof *bench.cycles));
    WORKLOAD_CHECK(cudaMemcpyToSymbol(constants, bench.words, sizeof constants, 0,
                                      cudaMemcpyDeviceToDevice));
    measure_wake(bench.turns > 64 ? 200 : 0);
    row_header();
    global_strides<unsigned>(&bench, "l1-float");
    global_strides<uint2>(&bench, "l1-double");
    global_strides<uint4>(&bench, "l1-float4");
    global_blocks(&bench);
    shared_strides<unsigned>(&bench, "shared-load float", false);
    shared_strides<uint2>(&bench, "shared-load double", false);
    shared_strides<uint4>(&bench, "shared-load float4", false);
    shared_strides<unsigned>(&bench, "shared-store float", true);
    shared_strides<uint2>(&bench, "shared-store double", true);
    constant_conflicts(&bench, "constant", 1);
    constant_conflicts(&bench, "constant-lines", 16);
    return measure_verdict("strides");
}
