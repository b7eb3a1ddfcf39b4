// Launches of which a profiler counts what caches and DRAM do: each makes one kind of access, whose
// requests are known beforehand, so that what becomes of them can be read off the counters.
//
// Every launch of a kernel named count_… has a row of the table, in the order of the launches.
// Caches are empty before each (ncu --cache-control all). --part takes some of them:
//
//   loads     sectors and lines by stride and cache operation; what L2 fetches for a sector
//   lanes     words of 1 to 16 bytes, lanes in other orders, some of the lanes
//   stores    whole and in part, aligned and not; how much of what was written stays in L2
//   again     the same bytes several times: hits in L1 and L2 by working set, by order and by who
//   reads mixed     stores and loads of the same words; atomics; the same line for many warps at
//   once inside    shared memory, constants, local memory and textures by conflict
#include "measure.h"

enum { BLOCK = 256, WIDE_BLOCK = 1024, SHARED_WORDS = 8192, CONSTANT_WORDS = 4096 };

__constant__ unsigned constants[CONSTANT_WORDS];

enum operation { CA, CG, CS, LU, CV, NC, FETCH_64, FETCH_128, FETCH_256, NO_ALLOCATE, EVICT_FIRST };
static const char *const operation_names[] = {"ca",       "cg",          "cs",         "lu",
                                              "volatile", "nc",          "L2::64B",    "L2::128B",
                                              "L2::256B", "no_allocate", "evict_first"};

template <int OPERATION> __device__ inline unsigned load(const char *at)
{
    unsigned word;
    if (OPERATION == CA)
        asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    else if (OPERATION == CG)
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    else if (OPERATION == CS)
        asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    else if (OPERATION == LU)
        asm volatile("ld.global.lu.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    else if (OPERATION == CV)
        asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    else if (OPERATION == NC)
        asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    else if (OPERATION == FETCH_64)
        asm volatile("ld.global.L2::64B.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    else if (OPERATION == FETCH_128)
        asm volatile("ld.global.L2::128B.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    else if (OPERATION == FETCH_256)
        asm volatile("ld.global.L2::256B.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    else if (OPERATION == NO_ALLOCATE)
        asm volatile("ld.global.L1::no_allocate.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    else
        asm volatile("ld.global.L1::evict_first.u32 %0, [%1];" : "=r"(word) : "l"(at) : "memory");
    return word;
}

__device__ inline size_t global_thread(void)
{
    return blockIdx.x * (size_t)blockDim.x + threadIdx.x;
}

// A result that is never stored, as no sum is this number but by a rare chance; the load stays.
__device__ inline void keep(unsigned *sink, unsigned sum)
{
    if (sum == 0x9e3779b9u)
        *sink = sum;
}

// Each thread a word, `stride` bytes from its neighbour's.
template <int OPERATION> __global__ void count_load(const char *base, size_t stride, unsigned *sink)
{
    keep(sink, load<OPERATION>(base + global_thread() * stride));
}

// Lane l of a warp takes the place of lane (l * turn + shift) % 32, a word each: an order of lanes.
__global__ void count_load_turned(const char *base, unsigned turn, unsigned shift, unsigned *sink)
{
    unsigned lane = threadIdx.x % WARP, other = (lane * turn + shift) % WARP;
    keep(sink, load<CA>(base + (global_thread() - lane + other) * 4));
}

// Only lanes below `active` take part.
__global__ void count_load_some(const char *base, unsigned active, unsigned *sink)
{
    if (threadIdx.x % WARP < active)
        keep(sink, load<CA>(base + global_thread() * 4));
}

template <int BYTES> __global__ void count_load_wide(const char *base, unsigned *sink)
{
    const char *at = base + global_thread() * BYTES;
    unsigned sum;
    if (BYTES == 1)
        asm volatile("ld.global.u8 %0, [%1];" : "=r"(sum) : "l"(at) : "memory");
    else if (BYTES == 2)
        asm volatile("ld.global.u16 %0, [%1];" : "=r"(sum) : "l"(at) : "memory");
    else if (BYTES == 8)
        asm volatile("{ .reg .u32 b; ld.global.v2.u32 {%0, b}, [%1]; add.u32 %0, %0, b; }"
                     : "=r"(sum)
                     : "l"(at)
                     : "memory");
    else
        asm volatile("{ .reg .u32 b, c, d; ld.global.v4.u32 {%0, b, c, d}, [%1];\n"
                     "add.u32 %0, %0, b; add.u32 %0, %0, c; add.u32 %0, %0, d; }"
                     : "=r"(sum)
                     : "l"(at)
                     : "memory");
    keep(sink, sum + threadIdx.x * 0x10001); // which no compiler knows not to be that number
}

template <typename WORD> __global__ void count_store(char *base, size_t stride, WORD word)
{
    *(WORD *)(base + global_thread() * stride) = word;
}

// All words of `bytes`, each once, by all threads in turn.
__global__ void count_store_all(uint2 *base, size_t words)
{
    for (size_t i = global_thread(); i < words; i += (size_t)gridDim.x * blockDim.x)
        base[i] = make_uint2((unsigned)i, 1);
}

// A sector by two stores, of its first and of its second half, one kernel.
__global__ void count_store_halves(char *base)
{
    char *sector = base + global_thread() * 32;
    *(uint4 *)sector = make_uint4(1, 2, 3, 4);
    *(uint4 *)(sector + 16) = make_uint4(5, 6, 7, 8);
}

// Every block reads `bytes` of its own (blocks lie `apart`), `passes` times: past L1, or with it.
template <int OPERATION>
__global__ void count_again(const char *base, size_t apart, unsigned bytes, unsigned passes,
                            unsigned *sink)
{
    const char *first = base + blockIdx.x * apart;
    unsigned sum = 0;
    for (unsigned pass = 0; pass < passes; pass++) {
        for (unsigned offset = threadIdx.x * 4; offset < bytes; offset += blockDim.x * 4)
            sum += load<OPERATION>(first + offset);
        __syncthreads();
    }
    keep(sink, sum);
}

// One warp reads a sector of each of `lines` lines, in turn or in an order without pattern, which
// goes through all of them (a step that has no divisor with their number).
__global__ void count_lines_again(const char *base, unsigned lines, unsigned step, unsigned passes,
                                  unsigned *sink)
{
    unsigned sum = 0;
    for (unsigned pass = 0; pass < passes; pass++)
        for (unsigned i = 0; i < lines; i++)
            sum += load<CA>(base + (size_t)((unsigned long long)i * step % lines) * 128 +
                            threadIdx.x % 8 * 4);
    keep(sink, sum);
}

enum mixture { STORE_LOAD, LOAD_STORE_LOAD, STORE_PART_LOAD_REST, STORE_STORE, LOAD_LOAD };
static const char *const mixture_names[] = {"store, load", "load, store, load",
                                            "store 4 of 32 bytes, load the sector", "store twice",
                                            "load twice"};

// A block's own words: stored and loaded one after the other, with a barrier between.
template <int MIXTURE> __global__ void count_mixture(char *base, unsigned *sink)
{
    char *mine = base + global_thread() * (MIXTURE == STORE_PART_LOAD_REST ? 32 : 4);
    unsigned sum = 0;
    if (MIXTURE == LOAD_STORE_LOAD || MIXTURE == LOAD_LOAD)
        sum = load<CA>(mine);
    __syncthreads();
    if (MIXTURE != LOAD_LOAD)
        *(volatile unsigned *)mine = sum + 1;
    __syncthreads();
    if (MIXTURE == STORE_STORE)
        *(volatile unsigned *)mine = sum + 2;
    else
        sum += load<CA>(mine + (MIXTURE == STORE_PART_LOAD_REST ? 16 : 0));
    keep(sink, sum);
}

// All warps of all blocks load the same line at once, `times` different ones after each other.
__global__ void count_same_line(const char *base, unsigned times, unsigned *sink)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < times; i++)
        sum += load<CA>(base + i * 128 + threadIdx.x % WARP * 4);
    keep(sink, sum);
}

enum atomic { RED_INTEGER, ATOM_INTEGER, RED_FLOAT, RED_LONG, ATOM_CAS, RED_DOUBLE };
static const char *const atomic_names[] = {"red.u32", "atom.u32", "red.f32",
                                           "red.u64", "atom.cas", "red.f64"};

template <int ATOMIC>
__global__ void count_atomic(char *base, unsigned addresses, unsigned apart, unsigned *sink)
{
    char *at = base + global_thread() % addresses * apart;
    if (ATOMIC == RED_INTEGER)
        asm volatile("red.global.add.u32 [%0], 1;" : : "l"(at) : "memory");
    else if (ATOMIC == ATOM_INTEGER)
        keep(sink, atomicAdd((unsigned *)at, 1u));
    else if (ATOMIC == RED_FLOAT)
        asm volatile("red.global.add.f32 [%0], 0f3F800000;" : : "l"(at) : "memory");
    else if (ATOMIC == RED_LONG)
        asm volatile("red.global.add.u64 [%0], 1;" : : "l"(at) : "memory");
    else if (ATOMIC == RED_DOUBLE)
        asm volatile("red.global.add.f64 [%0], 0d3FF0000000000000;" : : "l"(at) : "memory");
    else
        keep(sink, atomicCAS((unsigned *)at, 1u, 2u));
}

enum inside { LOAD_4, LOAD_8, LOAD_16, STORE_4, STORE_8, STORE_16, ATOMIC_4, CONSTANT };
static const char *const inside_names[] = {"shared load 4",  "shared load 8",  "shared load 16",
                                           "shared store 4", "shared store 8", "shared store 16",
                                           "shared atomic",  "constant load 4"};

// Shared memory, or constants, with `stride` elements from lane to lane; 32 warps, one instruction.
template <int INSIDE> __global__ void count_inside(unsigned stride, unsigned *sink)
{
    __shared__ __align__(16) unsigned words[SHARED_WORDS];
    unsigned lane = threadIdx.x % WARP, sum = 0;
    unsigned bytes = INSIDE == LOAD_8 || INSIDE == STORE_8     ? 8
                     : INSIDE == LOAD_16 || INSIDE == STORE_16 ? 16
                                                               : 4;
    unsigned place = lane * stride * bytes % (SHARED_WORDS * 4);
    unsigned at = measure_shared(words) + place;
    if (INSIDE == LOAD_4)
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(sum) : "r"(at) : "memory");
    else if (INSIDE == LOAD_8)
        asm volatile("{ .reg .u32 b; ld.shared.v2.u32 {%0, b}, [%1]; add.u32 %0, %0, b; }"
                     : "=r"(sum)
                     : "r"(at)
                     : "memory");
    else if (INSIDE == LOAD_16)
        asm volatile("{ .reg .u32 b, c, d; ld.shared.v4.u32 {%0, b, c, d}, [%1];\n"
                     "add.u32 %0, %0, b; add.u32 %0, %0, c; add.u32 %0, %0, d; }"
                     : "=r"(sum)
                     : "r"(at)
                     : "memory");
    else if (INSIDE == STORE_4)
        asm volatile("st.shared.u32 [%0], %1;" : : "r"(at), "r"(lane) : "memory");
    else if (INSIDE == STORE_8)
        asm volatile("st.shared.v2.u32 [%0], {%1, %1};" : : "r"(at), "r"(lane) : "memory");
    else if (INSIDE == STORE_16)
        asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" : : "r"(at), "r"(lane) : "memory");
    else if (INSIDE == ATOMIC_4)
        asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(at) : "memory");
    else
        sum = constants[lane * stride % CONSTANT_WORDS];
    keep(sink, sum);
}

// Local memory: `count` words of each thread stored and loaded, at places that no compiler knows.
__global__ void count_local(const unsigned *places, unsigned count, unsigned *sink)
{
    unsigned words[64], sum = 0;
    for (unsigned i = 0; i < count; i++)
        words[places[i]] = i;
    for (unsigned i = 0; i < count; i++)
        sum += words[places[count - 1 - i]];
    keep(sink, sum);
}

__global__ void count_texture(cudaTextureObject_t texture, unsigned stride, unsigned *sink)
{
    keep(sink, tex1Dfetch<unsigned>(texture, (int)(global_thread() * stride)));
}

__global__ void count_nothing(void)
{
}

enum { BUFFER_MIB, MEASURED_KIB, PART, OPTIONS };
static struct workload_option options[OPTIONS] = {
    {"buffer", "MiB that accesses may lie in", 512, 1, 1 << 14, NULL},
    {"threads", "K threads of loads and stores", 1024, 1, 1 << 16, NULL},
    {"part", "which of the launches", 0, 0, 0, "all loads lanes stores again mixed inside"},
};

struct bench {
    char *buffer;
    size_t bytes;
    unsigned *sink, threads;
    int sms, launches;
};

static void launched(struct bench *bench, const char *experiment, const char *variant,
                     double parameter, const char *unit)
{
    WORKLOAD_CHECK_LAUNCH();
    printf("%d,%s,\"%s\",%.10g,%s\n", bench->launches++, experiment, variant, parameter, unit);
}

// So many threads that their places fit the buffer.
static unsigned blocks_for(const struct bench *bench, size_t stride)
{
    size_t fit = stride ? bench->bytes / stride - 1 : bench->threads;
    return (unsigned)(std::min((size_t)bench->threads, fit) / BLOCK);
}

template <int OPERATION> static void load_strided(struct bench *bench, size_t stride, size_t first)
{
    char variant[64];
    snprintf(variant, sizeof variant, "%s from byte %zu", operation_names[OPERATION], first);
    count_load<OPERATION>
        <<<blocks_for(bench, stride), BLOCK>>>(bench->buffer + first, stride, bench->sink);
    launched(bench, "load", variant, (double)stride, "byte of stride");
}

static void loads(struct bench *bench)
{
    for (size_t stride : {4, 8, 16, 32, 64, 96, 128, 256, 512, 1024, 2048, 4096, 8192})
        load_strided<CA>(bench, stride, 0);
    for (size_t first : {4, 16, 32, 64, 96, 124})
        load_strided<CA>(bench, 4, first);
    load_strided<CG>(bench, 4, 4);
    for (size_t stride : {32, 128}) {
        load_strided<CG>(bench, stride, 0);
        load_strided<CS>(bench, stride, 0);
        load_strided<LU>(bench, stride, 0);
        load_strided<CV>(bench, stride, 0);
        load_strided<NC>(bench, stride, 0);
        load_strided<FETCH_64>(bench, stride, 0);
        load_strided<FETCH_128>(bench, stride, 0);
        load_strided<FETCH_256>(bench, stride, 0);
        load_strided<NO_ALLOCATE>(bench, stride, 0);
        load_strided<EVICT_FIRST>(bench, stride, 0);
    }
}

template <int BYTES> static void load_wide(struct bench *bench)
{
    count_load_wide<BYTES><<<blocks_for(bench, 16), BLOCK>>>(bench->buffer, bench->sink);
    launched(bench, "load", "wide", BYTES, "byte");
}

static void lanes(struct bench *bench)
{
    unsigned blocks = blocks_for(bench, 16);
    load_wide<1>(bench);
    load_wide<2>(bench);
    load_wide<8>(bench);
    load_wide<16>(bench);
    for (unsigned turn : {1u, 31u, 5u, 8u, 0u}) {
        count_load_turned<<<blocks, BLOCK>>>(bench->buffer, turn, turn, bench->sink);
        launched(bench, "load", "lanes turned", turn, "lane");
    }
    for (unsigned active : {1u, 8u, 16u}) {
        count_load_some<<<blocks, BLOCK>>>(bench->buffer, active, bench->sink);
        launched(bench, "load", "lanes active", active, "lane");
    }
}

template <typename WORD>
static void store_strided(struct bench *bench, const char *variant, size_t stride, size_t first,
                          WORD word)
{
    count_store<<<blocks_for(bench, stride), BLOCK>>>(bench->buffer + first, stride, word);
    launched(bench, "store", variant, (double)stride, "byte of stride");
}

static void stores(struct bench *bench)
{
    for (size_t stride : {4, 8, 16, 32, 64, 128, 256})
        store_strided(bench, "4 bytes", stride, 0, 7u);
    store_strided(bench, "4 bytes from byte 4", 4, 4, 7u);
    store_strided(bench, "4 bytes from byte 16", 4, 16, 7u);
    store_strided(bench, "1 byte", 1, 0, (unsigned char)7);
    store_strided(bench, "1 byte", 32, 0, (unsigned char)7);
    store_strided(bench, "8 bytes", 8, 0, make_uint2(1, 2));
    store_strided(bench, "16 bytes", 16, 0, make_uint4(1, 2, 3, 4));
    store_strided(bench, "16 bytes", 32, 0, make_uint4(1, 2, 3, 4));
    count_store_halves<<<blocks_for(bench, 32), BLOCK>>>(bench->buffer);
    launched(bench, "store", "16 and 16 bytes", 32, "byte of stride");
    for (size_t mib : {1, 2, 4, 8, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128}) {
        if (mib << 20 > bench->bytes)
            break;
        count_store_all<<<bench->sms * 2, WIDE_BLOCK>>>((uint2 *)bench->buffer, (mib << 20) / 8);
        launched(bench, "store", "all", (double)mib, "MiB");
    }
}

static void again(struct bench *bench)
{
    enum { PASSES = 4 };
    for (size_t mib : {4, 8, 16, 20, 24, 28, 32, 36, 40, 44, 48, 56, 64, 96}) {
        size_t own = (mib << 20) / bench->sms / 4096 * 4096;
        if (own == 0 || mib << 20 > bench->bytes)
            continue;
        count_again<CG>
            <<<bench->sms, WIDE_BLOCK>>>(bench->buffer, own, (unsigned)own, PASSES, bench->sink);
        launched(bench, "again", "L2, each block its own, 4 passes", (double)own * bench->sms,
                 "byte");
        count_again<CG>
            <<<bench->sms, WIDE_BLOCK>>>(bench->buffer, 0, (unsigned)(mib << 20), 2, bench->sink);
        launched(bench, "again", "L2, all blocks the same, 2 passes", (double)(mib << 20), "byte");
    }
    for (unsigned kib :
         {16, 32, 64, 96, 128, 160, 176, 192, 208, 216, 224, 232, 240, 256, 288, 384}) {
        count_again<CA>
            <<<bench->sms, WIDE_BLOCK>>>(bench->buffer, kib << 10, kib << 10, PASSES, bench->sink);
        launched(bench, "again", "L1, 4 passes", kib * 1024.0, "byte");
    }
    for (unsigned step : {1u, 769u})
        for (unsigned lines : {256, 512, 1024, 1536, 1664, 1792, 1920, 2048, 2304, 3072}) {
            count_lines_again<<<1, WARP>>>(bench->buffer, lines, step, PASSES, bench->sink);
            launched(bench, "again",
                     step == 1 ? "L1, a sector of each line, in turn, 4 passes"
                               : "L1, a sector of each line, scattered, 4 passes",
                     lines, "line");
        }
}

template <int MIXTURE> static void mixture(struct bench *bench)
{
    count_mixture<MIXTURE><<<blocks_for(bench, 32), BLOCK>>>(bench->buffer, bench->sink);
    launched(bench, "mixed", mixture_names[MIXTURE], (double)blocks_for(bench, 32) * BLOCK,
             "thread");
}

template <int ATOMIC> static void atomics(struct bench *bench)
{
    unsigned blocks = blocks_for(bench, 32);
    for (unsigned addresses : {1u, 32u, 1024u, blocks * BLOCK}) {
        count_atomic<ATOMIC><<<blocks, BLOCK>>>(bench->buffer, addresses, 8, bench->sink);
        launched(bench, "mixed", atomic_names[ATOMIC], addresses, "address");
    }
}

static void mixed(struct bench *bench)
{
    mixture<STORE_LOAD>(bench);
    mixture<LOAD_STORE_LOAD>(bench);
    mixture<STORE_PART_LOAD_REST>(bench);
    mixture<STORE_STORE>(bench);
    mixture<LOAD_LOAD>(bench);
    for (unsigned times : {1u, 64u}) {
        count_same_line<<<bench->sms, WIDE_BLOCK>>>(bench->buffer, times, bench->sink);
        launched(bench, "mixed", "the same line for all warps", times, "line");
    }
    WORKLOAD_CHECK(cudaMemset(bench->buffer, 0, std::min(bench->bytes, (size_t)64 << 20)));
    atomics<RED_INTEGER>(bench);
    atomics<ATOM_INTEGER>(bench);
    atomics<RED_FLOAT>(bench);
    atomics<RED_LONG>(bench);
    atomics<RED_DOUBLE>(bench);
    atomics<ATOM_CAS>(bench);
}

template <int INSIDE> static void inside_strides(struct bench *bench)
{
    for (unsigned stride : {0, 1, 2, 3, 4, 8, 16, 32, 33}) {
        count_inside<INSIDE><<<1, WIDE_BLOCK>>>(stride, bench->sink);
        launched(bench, "inside", inside_names[INSIDE], stride, "element");
    }
}

static void inside(struct bench *bench)
{
    inside_strides<LOAD_4>(bench);
    inside_strides<LOAD_8>(bench);
    inside_strides<LOAD_16>(bench);
    inside_strides<STORE_4>(bench);
    inside_strides<STORE_8>(bench);
    inside_strides<STORE_16>(bench);
    inside_strides<ATOMIC_4>(bench);
    inside_strides<CONSTANT>(bench);
    unsigned places[64], *device_places;
    for (unsigned i = 0; i < 64; i++)
        places[i] = i * 7 % 64;
    device_places = (unsigned *)workload_upload(places, sizeof places);
    for (unsigned count : {8u, 64u}) {
        count_local<<<bench->sms * 4, BLOCK>>>(device_places, count, bench->sink);
        launched(bench, "inside", "local words stored and loaded", count, "word");
    }
    struct cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = bench->buffer;
    resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
    resource.res.linear.sizeInBytes = std::min(bench->bytes, (size_t)64 << 20);
    struct cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    WORKLOAD_CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    for (unsigned stride : {1u, 8u}) {
        unsigned blocks = (unsigned)(resource.res.linear.sizeInBytes / 4 / stride / BLOCK);
        count_texture<<<std::min(blocks, bench->threads / BLOCK), BLOCK>>>(texture, stride,
                                                                           bench->sink);
        launched(bench, "inside", "texture load 4", stride, "element");
    }
    for (unsigned blocks : {1u, (unsigned)bench->sms, 64u * bench->sms}) {
        count_nothing<<<blocks, BLOCK>>>();
        launched(bench, "inside", "nothing", blocks, "block");
    }
    WORKLOAD_CHECK(cudaFree(device_places));
}

int main(int argc, char **argv)
{
    static void (*const parts[])(struct bench *) = {loads, lanes, stores, again, mixed, inside};
    workload_parse(argc, argv, "counted", "accesses whose requests are known", options, OPTIONS);
    struct bench bench = {};
    bench.sms = measure_sms();
    bench.bytes = (size_t)options[BUFFER_MIB].value << 20;
    bench.threads = (unsigned)options[MEASURED_KIB].value << 10;
    bench.buffer = (char *)measure_words(bench.bytes);
    bench.sink = (unsigned *)workload_upload("sink", 4);
    WORKLOAD_CHECK(
        cudaMemcpyToSymbol(constants, bench.buffer, sizeof constants, 0, cudaMemcpyDeviceToDevice));
    printf("launch,experiment,variant,parameter,unit\n");
    for (int part = 0; part < 6; part++)
        if (options[PART].value == 0 || options[PART].value == part + 1)
            parts[part](&bench);
    return measure_verdict("counted");
}
