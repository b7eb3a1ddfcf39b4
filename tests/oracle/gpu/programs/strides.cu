// What one instruction of a warp takes by where its lanes' words lie, in cycles of the SM's clock:
// 32 warps of one block on an SM do nothing else, and the cycles are divided by their instructions.
//
//   l1-float, l1-double, l1-float4   loads that L1 serves, by the elements between two lanes
//   l1-block       loads of floats by the width of a two-dimensional block: rows lie 4,098 elements
//   apart shared-load, shared-store        of floats, doubles and float4, by the elements between
//   two lanes constant       loads of constant memory, by how many different words 32 lanes ask for
//   constant-lines the same, each of the words in a line of its own (64 bytes apart)
//
//   shared-same    of the same, by which lanes name the same element: the parameter is what is left of a
//                  lane's number where these bits are taken out of it
//
// The parameter 0 is the same word for all lanes. Each instruction of eight goes to another 128
// bytes, which changes nothing of what is measured, and `skew`, which is 0, is added to the address
// before the next eight: ptxas would make one load of those that are known to load the same.
#include "measure.h"

enum { WARPS = 32, THREADS = WARPS * WARP, UNROLLED = 8, APART = 128 };
enum { CONSTANT_WORDS = 16384, MOST_STRIDE = 65 };

__constant__ unsigned constants[CONSTANT_WORDS];

template <typename WORD>
struct loads; // one load through L1 or of shared memory, and the word's sum
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
__global__ void load_global(const char *words, unsigned stride, unsigned width, unsigned pitch,
                            unsigned turns, size_t skew, unsigned *sums, long long *cycles)
{
    const char *at = words + place_of_lane(stride, width, pitch) * sizeof(WORD);
    unsigned sum = 0;
    for (int j = 0; j < UNROLLED; j++)
        sum += loads<WORD>::global(at + j * APART); // brings it into L1
    at += skew;
    __syncthreads();
    long long begin = clock64();
    for (unsigned i = 0; i < turns; i++, at += skew)
#pragma unroll
        for (int j = 0; j < UNROLLED; j++)
            sum += loads<WORD>::global(at + j * APART);
    __syncthreads();
    if (threadIdx.x == 0)
        *cycles = clock64() - begin;
    sums[threadIdx.x] = sum;
}

// Lanes name the elements of their numbers without the bits of `mask`, `stride` apart.
template <typename WORD, int STORE>
__global__ void access_shared(const WORD *words, unsigned count, unsigned stride, unsigned mask, unsigned turns,
                              unsigned skew, unsigned *sums, long long *cycles)
{
    extern __shared__ uint4 raw[];
    WORD *mine = (WORD *)raw;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        mine[i] = words[i];
    unsigned at = measure_shared(mine + (threadIdx.x % WARP & ~mask) * stride);
    unsigned sum = 0;
    __syncthreads();
    long long begin = clock64();
    for (unsigned i = 0; i < turns; i++, at += skew)
#pragma unroll
        for (int j = 0; j < UNROLLED; j++) {
            if (STORE)
                loads<WORD>::store(at + j * APART, i);
            else
                sum += loads<WORD>::shared(at + j * APART);
        }
    __syncthreads();
    if (threadIdx.x == 0)
        *cycles = clock64() - begin;
    sums[threadIdx.x] = STORE ? loads<WORD>::shared(at) : sum;
}

// Lane l asks for word l % different, of lines that are `apart` words long.
__global__ void load_constant(unsigned different, unsigned apart, unsigned turns, unsigned skew,
                              unsigned *sums, long long *cycles)
{
    unsigned at = threadIdx.x % WARP % different * apart, sum = constants[at];
    at += skew;
    __syncthreads();
    long long begin = clock64();
    for (unsigned i = 0; i < turns; i++)
#pragma unroll
        for (int j = 0; j < UNROLLED; j++, at += skew)
            sum += constants[at];
    __syncthreads();
    if (threadIdx.x == 0)
        *cycles = clock64() - begin;
    sums[threadIdx.x] = sum;
}

enum { TURNS, LARGEST, REPEATS, ONLY, DOUBLING, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"turns", "eights of instructions of each warp", 256, 1, 1 << 20, NULL},
    {"largest", "stride, in elements", MOST_STRIDE - 1, 0, MOST_STRIDE - 1, NULL},
    {"repeats", "of each measurement", 3, 1, 100, NULL},
    {"only", "one kind", 0, 0, 0, "all l1-float l1-double l1-float4 l1-block shared shared-same constant"},
    {"doubling", "1: only strides and counts of 1, 2, 4, 8 and so on, and neighbours that name the same", 0, 0,
     1, NULL},
};

// Whether that stride or count is measured.
static bool wanted(unsigned parameter)
{
    return !options[DOUBLING].value || (parameter > 0 && (parameter & (parameter - 1)) == 0);
}

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

// What the loads of one turn add up to, which begin with that element.
static unsigned sum_of_turn(size_t element, size_t bytes)
{
    unsigned sum = 0;
    for (size_t j = 0; j < UNROLLED; j++)
        for (size_t word = 0; word < bytes / 4; word++)
            sum += measure_mixed((unsigned)((element * bytes + j * APART) / 4 + word));
    return sum;
}

template <typename WORD>
static double time_global(struct bench *bench, const char *what, unsigned stride, unsigned width,
                          unsigned pitch)
{
    unsigned right[WARP];
    for (unsigned lane = 0; lane < WARP; lane++)
        right[lane] = sum_of_turn(lane % width * stride + lane / width * pitch, sizeof(WORD));
    WORKLOAD_CHECK(cudaFuncSetAttribute(load_global<WORD>,
                                        cudaFuncAttributePreferredSharedMemoryCarveout,
                                        cudaSharedmemCarveoutMaxL1));
    load_global<WORD><<<1, THREADS>>>((const char *)bench->words, stride, width, pitch,
                                      bench->turns, 0, bench->device_sums, bench->cycles);
    return finish(bench, right, bench->turns + 1, what, width < WARP ? width : stride);
}

template <typename WORD> static void global_strides(struct bench *bench, const char *variant)
{
    static struct samples samples;
    if (!measure_selects(&options[ONLY], variant))
        return;
    for (unsigned stride = 0; stride <= (unsigned)options[LARGEST].value; stride++) {
        if (!wanted(stride))
            continue;
        for (long repeat = 0; repeat < options[REPEATS].value; repeat++)
            samples_add(&samples, time_global<WORD>(bench, variant, stride, WARP, 0));
        row("strides", variant, stride, "element", &samples, "cycle/instruction");
    }
}

static void global_blocks(struct bench *bench)
{
    static struct samples samples;
    if (!measure_selects(&options[ONLY], "l1-block"))
        return;
    for (unsigned width = 1; width <= WARP; width *= 2) {
        for (long repeat = 0; repeat < options[REPEATS].value; repeat++)
            samples_add(&samples, time_global<unsigned>(bench, "l1-block", 1, width, 4098));
        row("strides", "l1-block", width, "lane of a row", &samples, "cycle/instruction");
    }
}

// One row: of lanes whose elements are `stride` apart, by their numbers without the bits of `mask`.
template <typename WORD, int STORE>
static void shared_row(struct bench *bench, const char *variant, unsigned stride, unsigned mask,
                       unsigned parameter, const char *unit)
{
    static struct samples samples;
    unsigned count = (WARP - 1) * (MOST_STRIDE - 1) + 1 + UNROLLED * APART / sizeof(WORD);
    int bytes = (int)(count * sizeof(WORD));
    WORKLOAD_CHECK(cudaFuncSetAttribute(access_shared<WORD, STORE>,
                                        cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    unsigned right[WARP];
    for (unsigned lane = 0; lane < WARP; lane++) // every warp stores its last turn's number last
        right[lane] = STORE ? (bench->turns - 1) * (unsigned)(sizeof(WORD) / 4)
                            : sum_of_turn((lane & ~mask) * stride, sizeof(WORD));
    for (long repeat = 0; repeat < options[REPEATS].value; repeat++) {
        access_shared<WORD, STORE><<<1, THREADS, bytes>>>((const WORD *)bench->words, count, stride,
                                                          mask, bench->turns, 0,
                                                          bench->device_sums, bench->cycles);
        samples_add(&samples, finish(bench, right, STORE ? 1 : bench->turns, variant, parameter));
    }
    row("strides", variant, parameter, unit, &samples, "cycle/instruction");
}

template <typename WORD, int STORE>
static void shared_strides(struct bench *bench, const char *variant)
{
    for (unsigned stride = 0;
         measure_selects(&options[ONLY], "shared") && stride <= (unsigned)options[LARGEST].value;
         stride++)
        if (wanted(stride))
            shared_row<WORD, STORE>(bench, variant, stride, 0, stride, "element");
}

template <typename WORD> static void shared_same(struct bench *bench, const char *variant)
{
    for (unsigned mask = 0; measure_selects(&options[ONLY], "shared-same") && mask < WARP; mask++)
        if (wanted(mask + 1))
            shared_row<WORD, 0>(bench, variant, 1, mask, mask, "bits");
}

static void constant_conflicts(struct bench *bench, const char *variant, unsigned apart)
{
    static struct samples samples;
    if (!measure_selects(&options[ONLY], "constant"))
        return;
    for (unsigned different = 1; different <= WARP; different++) {
        if (!wanted(different))
            continue;
        unsigned right[WARP];
        for (unsigned lane = 0; lane < WARP; lane++)
            right[lane] = measure_mixed(lane % different * apart);
        for (long repeat = 0; repeat < options[REPEATS].value; repeat++) {
            load_constant<<<1, THREADS>>>(different, apart, bench->turns, 0, bench->device_sums,
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
    WORKLOAD_CHECK(
        cudaMemcpyToSymbol(constants, bench.words, sizeof constants, 0, cudaMemcpyDeviceToDevice));
    measure_wake(bench.turns > 64 ? 200 : 0);
    row_header();
    global_strides<unsigned>(&bench, "l1-float");
    global_strides<uint2>(&bench, "l1-double");
    global_strides<uint4>(&bench, "l1-float4");
    global_blocks(&bench);
    shared_strides<unsigned, 0>(&bench, "shared-load float");
    shared_strides<uint2, 0>(&bench, "shared-load double");
    shared_strides<uint4, 0>(&bench, "shared-load float4");
    shared_strides<unsigned, 1>(&bench, "shared-store float");
    shared_strides<uint2, 1>(&bench, "shared-store double");
    shared_same<unsigned>(&bench, "shared-same float");
    shared_same<uint2>(&bench, "shared-same double");
    shared_same<uint4>(&bench, "shared-same float4");
    constant_conflicts(&bench, "constant", 1);
    constant_conflicts(&bench, "constant-lines", 16);
    return measure_verdict("strides");
}
