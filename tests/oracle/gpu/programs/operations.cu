// What one operation takes until its result is there, in cycles of the SM's clock: a thread (or a
// block, where it says so) does it many times, each on the result of the one before.
//
// Next to memory operations of every space, the arithmetic that lies between two of them: what a
// chain of loads takes has the address's arithmetic in it.
#include "measure.h"

enum { OPERATIONS_DONE = 512, SPACE_WORDS = 1024, CONSTANT_BYTES = 64 << 10 };

__constant__ unsigned constants[CONSTANT_BYTES / 4];

enum operation {
    EMPTY,
    SHARED_LOAD,
    SHARED_ATOMIC,
    GLOBAL_ATOMIC,
    GLOBAL_CAS,
    LOCAL_LOAD,
    TEXTURE_LOAD,
    SHUFFLE,
    VOTE,
    FENCE_BLOCK,
    FENCE_DEVICE,
    BARRIER,
    ADD_INTEGER,
    MULTIPLY_ADD_INTEGER,
    ADD_LONG,
    MULTIPLY_ADD_FLOAT,
    MULTIPLY_ADD_DOUBLE,
    SQUARE_ROOT_FAST,
    EXPONENT_FAST,
    DIVIDE_FLOAT,
    DIVIDE_INTEGER,
    OPERATIONS
};
static const char *const names[OPERATIONS] = {
    "clock twice", "ld.shared", "atom.shared.add", "atom.global.add", "atom.global.cas",
    "ld.local",    "tex.1d",    "shfl.sync",       "vote.sync",       "membar.cta",
    "membar.gl",   "bar.sync",  "add.s32",         "mad.lo.s32",      "add.s64",
    "fma.f32",     "fma.f64",   "sqrt.approx.f32", "ex2.approx.f32",  "div.rn.f32",
    "div.s32"};

struct spaces {
    unsigned *global;
    cudaTextureObject_t texture;
};

template <int OPERATION>
__device__ inline unsigned once(unsigned value, const struct spaces *spaces, unsigned *shared,
                                unsigned *local, unsigned long long *wide, double *real)
{
    unsigned next = value;
    float number = __uint_as_float(value);
    switch (OPERATION) {
    case SHARED_LOAD: next = *(volatile unsigned *)(shared + value); break;
    case SHARED_ATOMIC: next = atomicAdd(shared + value, 0u); break;
    case GLOBAL_ATOMIC: next = atomicAdd(spaces->global + value, 0u); break;
    case GLOBAL_CAS: next = atomicCAS(spaces->global + value, ~0u, 0u); break;
    case LOCAL_LOAD: next = *(volatile unsigned *)(local + value); break;
    case TEXTURE_LOAD: next = tex1Dfetch<unsigned>(spaces->texture, (int)value); break;
    case SHUFFLE: next = __shfl_xor_sync(~0u, value, 1); break;
    case VOTE: next = __ballot_sync(~0u, value != 1); break;
    case FENCE_BLOCK: __threadfence_block(); break;
    case FENCE_DEVICE: __threadfence(); break;
    case BARRIER: __syncthreads(); break;
    case ADD_INTEGER: asm volatile("add.s32 %0, %0, %1;" : "+r"(next) : "r"(shared[0])); break;
    case MULTIPLY_ADD_INTEGER:
        asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(next) : "r"(shared[0]));
        break;
    case ADD_LONG: asm volatile("add.s64 %0, %0, %1;" : "+l"(*wide) : "l"(*wide)); break;
    case MULTIPLY_ADD_FLOAT:
        asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(number));
        next = __float_as_uint(number);
        break;
    case MULTIPLY_ADD_DOUBLE: asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(*real)); break;
    case SQUARE_ROOT_FAST:
        asm volatile("sqrt.approx.f32 %0, %0;" : "+f"(number));
        next = __float_as_uint(number);
        break;
    case EXPONENT_FAST:
        asm volatile("ex2.approx.f32 %0, %0;" : "+f"(number));
        next = __float_as_uint(number);
        break;
    case DIVIDE_FLOAT:
        asm volatile("div.rn.f32 %0, %0, %1;" : "+f"(number) : "f"(1.5f));
        next = __float_as_uint(number);
        break;
    case DIVIDE_INTEGER:
        asm volatile("div.s32 %0, %0, %1;" : "+r"(next) : "r"(shared[0] + 3));
        break;
    default: break;
    }
    return next;
}

// `begin` is 0; words are 0, so that each result is a place again.
template <int OPERATION>
__global__ void repeat(struct spaces spaces, unsigned begin, unsigned count, unsigned *out,
                       long long *cycles)
{
    __shared__ unsigned shared[SPACE_WORDS];
    unsigned local[SPACE_WORDS / 16];
    for (unsigned i = threadIdx.x; i < SPACE_WORDS; i += blockDim.x)
        shared[i] = begin;
    for (unsigned i = 0; i < SPACE_WORDS / 16; i++)
        local[i + begin] = begin;
    unsigned value = begin;
    unsigned long long wide = begin;
    double real = begin;
    value = once<OPERATION>(value, &spaces, shared, local, &wide, &real);
    __syncthreads();
    long long first = clock64();
#pragma unroll 16
    for (unsigned i = 0; i < count; i++)
        value = once<OPERATION>(value, &spaces, shared, local, &wide, &real);
    long long last = clock64();
    // The sums wait for the last result, so this does not count what is still under way.
    out[threadIdx.x] = value + (unsigned)wide + (unsigned)real + local[value % 2];
    if (threadIdx.x == 0)
        *cycles = last - first;
}

// Constants by how many bytes the chain goes through, a word every 64 bytes.
__global__ void chase_constants(unsigned count, unsigned *out, long long *cycles)
{
    unsigned at = 0;
    for (unsigned i = 0; i < 2 * CONSTANT_BYTES / 64; i++)
        at = constants[at];
    out[0] = at;
    long long begin = clock64();
#pragma unroll 16
    for (unsigned i = 0; i < count; i++)
        at = constants[at];
    out[1] = at;
    *cycles = clock64() - begin;
}

enum { COUNT, REPEATS, ONLY, LEAST, MOST, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"count", "operations one after the other", OPERATIONS_DONE, 16, 1 << 20, NULL},
    {"repeats", "of each measurement", 5, 1, 100, NULL},
    {"only", "one part", 0, 0, 0, "all single constants"},
    {"least", "bytes of constants", 256, 256, CONSTANT_BYTES, NULL},
    {"most", "of them", CONSTANT_BYTES, 256, CONSTANT_BYTES, NULL},
};

struct bench {
    struct spaces spaces;
    unsigned *out;
    long long *cycles;
};

template <int OPERATION> static void measure(struct bench *bench, unsigned threads)
{
    static struct samples samples;
    unsigned count = (unsigned)options[COUNT].value;
    for (long i = 0; i <= options[REPEATS].value; i++) {
        long long cycles;
        repeat<OPERATION><<<1, threads>>>(bench->spaces, 0, count, bench->out, bench->cycles);
        WORKLOAD_CHECK_LAUNCH();
        WORKLOAD_CHECK(cudaMemcpy(&cycles, bench->cycles, sizeof cycles, cudaMemcpyDeviceToHost));
        if (i > 0)
            samples_add(&samples, (double)cycles / (OPERATION == EMPTY ? 1 : count));
    }
    row("operations", names[OPERATION], threads, "thread", &samples, "cycle");
}

template <int OPERATION> static void measure_from(struct bench *bench)
{
    if constexpr (OPERATION < OPERATIONS) {
        measure<OPERATION>(bench, OPERATION == VOTE || OPERATION == SHUFFLE ? WARP : 1);
        if (OPERATION == BARRIER)
            for (unsigned threads = WARP; threads <= 1024; threads *= 2)
                measure<OPERATION>(bench, threads);
        measure_from<OPERATION + 1>(bench);
    }
}

static void measure_constants(struct bench *bench)
{
    static struct samples samples;
    static unsigned host[CONSTANT_BYTES / 4];
    for (size_t bytes = 256; bytes <= (size_t)options[MOST].value;
         bytes += bytes < 1024 ? 256 : bytes / 4) {
        if (bytes < (size_t)options[LEAST].value)
            continue;
        unsigned count = (unsigned)(bytes / 64), *order = measure_order(count, true, 1);
        for (unsigned i = 0; i < count; i++)
            host[order[i] * 16] = order[(i + 1) % count] * 16;
        WORKLOAD_CHECK(cudaMemcpyToSymbol(constants, host, sizeof host, 0, cudaMemcpyHostToDevice));
        for (long i = 0; i < options[REPEATS].value; i++) {
            long long cycles;
            unsigned hops = 4096, ends[2];
            chase_constants<<<1, 1>>>(hops, bench->out, bench->cycles);
            WORKLOAD_CHECK_LAUNCH();
            WORKLOAD_CHECK(
                cudaMemcpy(&cycles, bench->cycles, sizeof cycles, cudaMemcpyDeviceToHost));
            WORKLOAD_CHECK(cudaMemcpy(ends, bench->out, sizeof ends, cudaMemcpyDeviceToHost));
            unsigned zero = (unsigned)(std::find(order, order + count, 0u) - order);
            unsigned all = zero + 2 * CONSTANT_BYTES / 64 + hops;
            expect(ends[1] == order[all % count] * 16, "end of a chain of constants",
                   (double)bytes);
            samples_add(&samples, (double)cycles / hops);
        }
        row("operations", "ld.const by working set", (double)bytes, "byte", &samples, "cycle");
        free(order);
    }
}

int main(int argc, char **argv)
{
    workload_parse(argc, argv, "operations", "cycles of single operations", options, OPTIONS);
    struct bench bench = {};
    size_t bytes = SPACE_WORDS * sizeof(unsigned);
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.spaces.global, bytes));
    WORKLOAD_CHECK(cudaMemset(bench.spaces.global, 0, bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.out, bytes));
    WORKLOAD_CHECK(cudaMalloc((void **)&bench.cycles, sizeof *bench.cycles));
    struct cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = bench.spaces.global;
    resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
    resource.res.linear.sizeInBytes = bytes;
    struct cudaTextureDesc description = {};
    WORKLOAD_CHECK(cudaCreateTextureObject(&bench.spaces.texture, &resource, &description, NULL));
    measure_wake(options[COUNT].value > 64 ? 200 : 0);
    row_header();
    if (measure_selects(&options[ONLY], "single"))
        measure_from<0>(&bench);
    if (measure_selects(&options[ONLY], "constants"))
        measure_constants(&bench);
    return measure_verdict("operations");
}
