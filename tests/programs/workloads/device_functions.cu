// What <cuda_runtime.h> offers to kernels besides mathematics: each function's result in a kernel
// against the same thing written out on the host. Compiles with any CUDA compiler.
//
// Says "device_functions: PASS", or one line a wrong result; exit status 0 or 1.
#include <cstdio>
#include <cstring>
#include <vector>

#define LANES 32
static int failures, checks;

static void expect(const char *what, int lane, unsigned long long got, unsigned long long want)
{
    checks++;
    if (got != want && failures++ < 20)
        printf("%s, lane %d: %llx, not %llx\n", what, lane, got, want);
}

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        printf("device_functions: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

// Numbers that reach every bit and every special case.
static unsigned int word(int lane)
{
    static const unsigned int special[] = {0,           1,           0x80000000u, 0xffffffffu,
                                           0x7fffffffu, 0x00010000u, 0xaaaaaaaau, 0x12345678u};
    return lane < 8 ? special[lane] : (unsigned int)lane * 2654435761u;
}

enum {
    POPC,
    POPCLL,
    CLZ,
    CLZLL,
    FFS,
    FFSLL,
    BREV,
    BREVLL,
    MUL24,
    UMUL24,
    MULHI,
    UMULHI,
    UMUL64HI,
    HADD,
    UHADD,
    SAD,
    USAD,
    BYTE_PERM,
    FUNNEL_L,
    FUNNEL_R,
    MIN_INT,
    MAX_UINT,
    ABS,
    BIT_COUNT
};

__global__ void bits(const unsigned int *in, unsigned long long *out)
{
    int lane = threadIdx.x;
    unsigned int x = in[lane], y = in[(lane + 5) % LANES];
    unsigned long long w = (unsigned long long)x << 32 | y;
    unsigned long long *o = out + lane * BIT_COUNT;
    o[POPC] = __popc(x);
    o[POPCLL] = __popcll(w);
    o[CLZ] = __clz((int)x);
    o[CLZLL] = __clzll((long long)w);
    o[FFS] = __ffs((int)x);
    o[FFSLL] = __ffsll((long long)w);
    o[BREV] = __brev(x);
    o[BREVLL] = __brevll(w);
    o[MUL24] = (unsigned int)__mul24((int)x, (int)y);
    o[UMUL24] = __umul24(x, y);
    o[MULHI] = (unsigned int)__mulhi((int)x, (int)y);
    o[UMULHI] = __umulhi(x, y);
    o[UMUL64HI] = __umul64hi(w, w + y);
    o[HADD] = (unsigned int)__hadd((int)x, (int)y);
    o[UHADD] = __uhadd(x, y);
    o[SAD] = __sad((int)x, (int)y, 7u);
    o[USAD] = __usad(x, y, 7u);
    o[BYTE_PERM] = __byte_perm(x, y, 0x5241u);
    o[FUNNEL_L] = __funnelshift_l(x, y, (unsigned int)lane);
    o[FUNNEL_R] = __funnelshift_r(x, y, (unsigned int)lane);
    o[MIN_INT] = (unsigned int)min((int)x, (int)y);
    o[MAX_UINT] = max(x, y);
    o[ABS] = (unsigned int)abs((int)x);
}

static unsigned long long reversed(unsigned long long x, int width)
{
    unsigned long long result = 0;
    for (int i = 0; i < width; i++)
        result |= (x >> i & 1) << (width - 1 - i);
    return result;
}

static int leading_zeros(unsigned long long x, int width)
{
    int count = 0;
    while (count < width && !(x >> (width - 1 - count) & 1))
        count++;
    return count;
}

static int ones(unsigned long long x)
{
    int count = 0;
    for (; x; x &= x - 1)
        count++;
    return count;
}

static int first_one(unsigned long long x, int width)
{
    for (int i = 0; i < width; i++)
        if (x >> i & 1)
            return i + 1;
    return 0;
}

static long long signed24(unsigned int x)
{
    return (long long)(x & 0xffffff) - (x & 0x800000 ? 0x1000000 : 0);
}

static void check_bits(const unsigned int *in, const unsigned long long *out)
{
    for (int lane = 0; lane < LANES; lane++) {
        unsigned int x = in[lane], y = in[(lane + 5) % LANES];
        unsigned long long w = (unsigned long long)x << 32 | y;
        const unsigned long long *o = out + lane * BIT_COUNT;
        long long sx = (int)x, sy = (int)y;
        expect("__popc", lane, o[POPC], (unsigned)ones(x));
        expect("__popcll", lane, o[POPCLL], (unsigned)ones(w));
        expect("__clz", lane, o[CLZ], (unsigned)leading_zeros(x, 32));
        expect("__clzll", lane, o[CLZLL], (unsigned)leading_zeros(w, 64));
        expect("__ffs", lane, o[FFS], (unsigned)first_one(x, 32));
        expect("__ffsll", lane, o[FFSLL], (unsigned)first_one(w, 64));
        expect("__brev", lane, o[BREV], reversed(x, 32));
        expect("__brevll", lane, o[BREVLL], reversed(w, 64));
        expect("__mul24", lane, o[MUL24], (unsigned int)(signed24(x) * signed24(y)));
        expect("__umul24", lane, o[UMUL24], (x & 0xffffffu) * (y & 0xffffffu));
        expect("__mulhi", lane, o[MULHI], (unsigned int)(sx * sy >> 32));
        expect("__umulhi", lane, o[UMULHI], (unsigned long long)x * y >> 32);
        expect("__umul64hi", lane, o[UMUL64HI],
               (unsigned long long)((unsigned __int128)w * (w + y) >> 64));
        expect("__hadd", lane, o[HADD], (unsigned int)((sx + sy) >> 1));
        expect("__uhadd", lane, o[UHADD], ((unsigned long long)x + y) >> 1);
        expect("__sad", lane, o[SAD], (unsigned int)((sx > sy ? sx - sy : sy - sx) + 7));
        expect("__usad", lane, o[USAD], (x > y ? x - y : y - x) + 7u);
        // Selectors from the lowest: byte 1 of x, byte 0 of y, byte 2 of x, byte 1 of y.
        expect("__byte_perm", lane, o[BYTE_PERM],
               (x >> 8 & 0xff) | (y & 0xff) << 8 | (x >> 16 & 0xff) << 16 | (y >> 8 & 0xff) << 24);
        unsigned long long both = (unsigned long long)y << 32 | x;
        expect("__funnelshift_l", lane, o[FUNNEL_L], (unsigned int)(both << lane >> 32));
        expect("__funnelshift_r", lane, o[FUNNEL_R], (unsigned int)(both >> lane));
        expect("min", lane, o[MIN_INT], (unsigned int)(sx < sy ? sx : sy));
        expect("max", lane, o[MAX_UINT], x > y ? x : y);
        expect("abs", lane, o[ABS], (unsigned int)(sx < 0 ? -sx : sx));
    }
}

enum {
    IDX,
    UP,
    DOWN,
    XOR,
    IDX8,
    UP8,
    DOWN8,
    LONG,
    DOUBLE,
    FLOAT,
    ALL,
    ANY,
    BALLOT,
    MATCH,
    COUNT_,
    AND_,
    OR_,
    ACTIVE,
    WARP_COUNT
};

__global__ void warps(const unsigned int *in, unsigned long long *out)
{
    int lane = threadIdx.x;
    const unsigned int full = 0xffffffffu;
    unsigned int x = in[lane];
    unsigned long long w = (unsigned long long)x << 32 | ~x;
    unsigned long long *o = out + lane * WARP_COUNT;
    o[IDX] = __shfl_sync(full, x, lane + 3);
    o[UP] = __shfl_up_sync(full, x, 5u);
    o[DOWN] = __shfl_down_sync(full, x, 7u);
    o[XOR] = __shfl_xor_sync(full, x, 9);
    o[IDX8] = (unsigned int)__shfl_sync(full, (int)x, 5, 8);
    o[UP8] = __shfl_up_sync(full, x, 3u, 8);
    o[DOWN8] = __shfl_down_sync(full, x, 3u, 8);
    o[LONG] = __shfl_xor_sync(full, w, 1);
    o[DOUBLE] =
        (unsigned long long)__double_as_longlong(__shfl_sync(full, (double)lane, 31 - lane));
    o[FLOAT] = (unsigned int)__float_as_int(__shfl_down_sync(full, (float)lane, 1u));
    o[ALL] = __all_sync(full, lane < 32) + 2 * __all_sync(full, lane < 31);
    o[ANY] = __any_sync(full, lane == 31) + 2 * __any_sync(full, lane > 31);
    o[BALLOT] = __ballot_sync(full, x & 1);
    o[MATCH] = __match_any_sync(full, (unsigned int)(lane % 5));
    o[COUNT_] = __syncthreads_count(lane % 3 == 0);
    o[AND_] = __syncthreads_and(lane < 32) + 2 * __syncthreads_and(lane != 4);
    o[OR_] = __syncthreads_or(lane == 4) + 2 * __syncthreads_or(lane > 40);
    // A branch: the votes of the lanes in it alone.
    if (lane % 4 == 1) {
        o[ACTIVE] = __ballot_sync(0x22222222u, lane > 16);
        __syncwarp(0x22222222u);
    } else {
        o[ACTIVE] = 0;
    }
}

static void check_warps(const unsigned int *in, const unsigned long long *out)
{
    unsigned int odd = 0, high = 0;
    for (int lane = 0; lane < LANES; lane++) {
        odd |= (in[lane] & 1) << lane;
        high |= (unsigned)(lane % 4 == 1 && lane > 16) << lane;
    }
    for (int lane = 0; lane < LANES; lane++) {
        const unsigned long long *o = out + lane * WARP_COUNT;
        unsigned int match = 0;
        for (int other = 0; other < LANES; other++)
            match |= (unsigned)(other % 5 == lane % 5) << other;
        int group = lane & ~7, pair = lane ^ 1;
        double mirrored = 31 - lane;
        float next = (float)(lane < 31 ? lane + 1 : lane);
        unsigned long long double_bits, float_bits = 0;
        memcpy(&double_bits, &mirrored, 8);
        memcpy(&float_bits, &next, 4);
        expect("__shfl_sync", lane, o[IDX], in[(lane + 3) % 32]);
        expect("__shfl_up_sync", lane, o[UP], in[lane >= 5 ? lane - 5 : lane]);
        expect("__shfl_down_sync", lane, o[DOWN], in[lane + 7 < 32 ? lane + 7 : lane]);
        expect("__shfl_xor_sync", lane, o[XOR], in[lane ^ 9]);
        expect("__shfl_sync of 8", lane, o[IDX8], in[group + 5]);
        expect("__shfl_up_sync of 8", lane, o[UP8], in[lane % 8 >= 3 ? lane - 3 : lane]);
        expect("__shfl_down_sync of 8", lane, o[DOWN8], in[lane % 8 + 3 < 8 ? lane + 3 : lane]);
        expect("shuffle of 64 bits", lane, o[LONG],
               (unsigned long long)in[pair] << 32 | (unsigned int)~in[pair]);
        expect("shuffle of a double", lane, o[DOUBLE], double_bits);
        expect("shuffle of a float", lane, o[FLOAT], float_bits);
        expect("__all_sync", lane, o[ALL], 1);
        expect("__any_sync", lane, o[ANY], 1);
        expect("__ballot_sync", lane, o[BALLOT], odd);
        expect("__match_any_sync", lane, o[MATCH], match);
        expect("__syncthreads_count", lane, o[COUNT_], 11);
        expect("__syncthreads_and", lane, o[AND_], 1);
        expect("__syncthreads_or", lane, o[OR_], 1);
        expect("__ballot_sync of some", lane, o[ACTIVE], lane % 4 == 1 ? high : 0);
    }
}

struct cells {
    int add, sub, exchange, least, most, cas, conjunction, disjunction, difference;
    unsigned int uadd, usub, uleast, umost, increment, decrement, uconjunction;
    unsigned long long ladd, lmost, lcas, lexchange, lleast;
    long long signed_least;
    float fadd, fexchange;
    double dadd;
};

// At the scope of the device, of a block and of the system.
#define ATOMICS(suffix)                                                                            \
__global__ void atomics##suffix(struct cells *c)                                                   \
{                                                                                                  \
    int t = threadIdx.x;                                                                           \
    unsigned int u = threadIdx.x;                                                                  \
    atomicAdd##suffix(&c->add, t - 40);                                                            \
    atomicSub##suffix(&c->sub, t);                                                                 \
    atomicExch##suffix(&c->exchange, 77);                                                          \
    atomicMin##suffix(&c->least, 10 - t);                                                          \
    atomicMax##suffix(&c->most, t - 100);                                                          \
    atomicCAS##suffix(&c->cas, t, t + 1); /* only in order: see the host */                        \
    atomicAnd##suffix(&c->conjunction, ~(1 << t % 31));                                            \
    atomicOr##suffix(&c->disjunction, 1 << t % 7);                                                 \
    atomicXor##suffix(&c->difference, t);                                                          \
    atomicAdd##suffix(&c->uadd, u * 0x10000001u);                                                  \
    atomicSub##suffix(&c->usub, u);                                                                \
    atomicMin##suffix(&c->uleast, 0x80000005u - u);                                                \
    atomicMax##suffix(&c->umost, 0x7fffffffu + u);                                                 \
    atomicInc##suffix(&c->increment, 9u);                                                          \
    atomicDec##suffix(&c->decrement, 9u);                                                          \
    atomicAnd##suffix(&c->uconjunction, 0xffff0fffu | u << 12);                                    \
    atomicAdd##suffix(&c->ladd, 1ull << 40);                                                       \
    atomicMax##suffix(&c->lmost, (unsigned long long)u << 33);                                     \
    atomicCAS##suffix(&c->lcas, 5ull << 40, 6ull << 40);                                           \
    atomicExch##suffix(&c->lexchange, 99ull << 40);                                                \
    atomicMin##suffix(&c->lleast, (1ull << 50) - u);                                               \
    atomicMin##suffix(&c->signed_least, -(long long)t << 33);                                      \
    atomicAdd##suffix(&c->fadd, 0.5f);                                                             \
    atomicExch##suffix(&c->fexchange, 2.5f);                                                       \
    atomicAdd##suffix(&c->dadd, 0.25);                                                             \
}
ATOMICS()
ATOMICS(_block)
ATOMICS(_system)

static void check_atomics(void (*kernel)(struct cells *))
{
    const int threads = 64;
    struct cells start = {}, end;
    start.conjunction = -1;
    start.uconjunction = start.uleast = 0xffffffffu;
    start.lcas = 5ull << 40;
    start.lleast = ~0ull;
    struct cells *device;
    check(cudaMalloc((void **)&device, sizeof start));
    check(cudaMemcpy(device, &start, sizeof start, cudaMemcpyHostToDevice));
    kernel<<<1, threads>>>(device);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(&end, device, sizeof end, cudaMemcpyDeviceToHost));
    check(cudaFree(device));
    unsigned int wide = 0;
    int difference = 0;
    for (int t = 0; t < threads; t++) {
        wide += (unsigned)t * 0x10000001u;
        difference ^= t;
    }
    expect("atomicAdd int", 0, (unsigned)end.add, (unsigned)(2016 - 64 * 40));
    expect("atomicSub int", 0, (unsigned)end.sub, (unsigned)-2016);
    expect("atomicExch int", 0, (unsigned)end.exchange, 77);
    expect("atomicMin int", 0, (unsigned)end.least, (unsigned)(10 - 63));
    expect("atomicMax int", 0, (unsigned)end.most, 0); // all are negative
    // Whatever the order, the cell goes up by one as long as threads find their number in it.
    expect("atomicCAS int", 0, end.cas >= 1 && end.cas <= threads, 1);
    expect("atomicAnd int", 0, (unsigned)end.conjunction, 0x80000000u);
    expect("atomicOr int", 0, (unsigned)end.disjunction, 127);
    expect("atomicXor int", 0, (unsigned)end.difference, (unsigned)difference);
    expect("atomicAdd unsigned", 0, end.uadd, wide);
    expect("atomicSub unsigned", 0, end.usub, (unsigned)-2016);
    expect("atomicMin unsigned", 0, end.uleast, 0x80000005u - 63);
    expect("atomicMax unsigned", 0, end.umost, 0x7fffffffu + 63);
    expect("atomicInc", 0, end.increment, threads % 10);
    expect("atomicDec", 0, end.decrement, (10 - threads % 10) % 10);
    expect("atomicAnd unsigned", 0, end.uconjunction, 0xffff0fffu);
    expect("atomicAdd 64", 0, end.ladd, (unsigned long long)threads << 40);
    expect("atomicMax 64", 0, end.lmost, 63ull << 33);
    expect("atomicCAS 64", 0, end.lcas, 6ull << 40);
    expect("atomicExch 64", 0, end.lexchange, 99ull << 40);
    expect("atomicMin 64", 0, end.lleast, (1ull << 50) - 63);
    expect("atomicMin signed 64", 0, (unsigned long long)end.signed_least,
           (unsigned long long)(-63ll * (1ll << 33)));
    expect("atomicAdd float", 0, end.fadd == 32.0f, 1);
    expect("atomicExch float", 0, end.fexchange == 2.5f, 1);
    expect("atomicAdd double", 0, end.dadd == 16.0, 1);
}

__constant__ int table[4];
__device__ int counter;

// Vector types, dim3, symbols, cache operators and dynamic shared memory.
__global__ void rest(const float4 *in, int *out, dim3 shape)
{
    extern __shared__ int dynamic[];
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    float4 v = __ldg(&in[t]);
    dynamic[t] = (int)(v.x + v.y + v.z + v.w);
    __syncthreads();
    int neighbour = dynamic[(t + 1) % (int)(blockDim.x * blockDim.y)];
    dim3 mine = threadIdx;
    uint3 block = blockIdx;
    int2 pair = make_int2((int)shape.y, (int)block.x);
    out[t] = neighbour + table[t % 4] + (int)mine.x * 1000 + pair.x + pair.y + __ldcg(&out[t]) +
             __ldcs(&out[t]);
    __stcg(&out[t + 64], t);
    __threadfence();
    if (t == 0)
        counter = warpSize;
}

static void check_rest(void)
{
    std::vector<float4> in;
    std::vector<int> out(128, 3);
    int four[4] = {10, 20, 30, 40}, read = 0;
    for (int i = 0; i < 64; i++)
        in.push_back(make_float4((float)i, 1.0f, 2.0f, 3.0f));
    float4 *device_in;
    int *device_out;
    check(cudaMalloc((void **)&device_in, 64 * sizeof(float4)));
    check(cudaMalloc((void **)&device_out, 128 * sizeof(int)));
    check(cudaMemcpy(device_in, in.data(), 64 * sizeof(float4), cudaMemcpyHostToDevice));
    check(cudaMemcpy(device_out, out.data(), 128 * sizeof(int), cudaMemcpyHostToDevice));
    check(cudaMemcpyToSymbol(table, four, sizeof four));
    rest<<<1, dim3(8, 8), 64 * sizeof(int)>>>(device_in, device_out, dim3(2, 5));
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(out.data(), device_out, 128 * sizeof(int), cudaMemcpyDeviceToHost));
    check(cudaMemcpyFromSymbol(&read, counter, sizeof read));
    check(cudaFree(device_in));
    check(cudaFree(device_out));
    for (int t = 0; t < 64; t++) {
        int want = (t + 1) % 64 + 6 + four[t % 4] + t % 8 * 1000 + 5 + 0 + 3 + 3;
        expect("vectors and symbols", t, (unsigned)out[(size_t)t], (unsigned)want);
        expect("__stcg", t, (unsigned)out[(size_t)t + 64], (unsigned)t);
    }
    expect("warpSize", 0, (unsigned)read, 32);
}

static std::vector<unsigned long long> launch(void (*kernel)(const unsigned int *,
                                                             unsigned long long *),
                                              const unsigned int *in, int count)
{
    std::vector<unsigned long long> out((size_t)(LANES * count));
    unsigned int *device_in;
    unsigned long long *device_out;
    check(cudaMalloc((void **)&device_in, LANES * 4));
    check(cudaMalloc((void **)&device_out, out.size() * 8));
    check(cudaMemcpy(device_in, in, LANES * 4, cudaMemcpyHostToDevice));
    kernel<<<1, LANES>>>(device_in, device_out);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(out.data(), device_out, out.size() * 8, cudaMemcpyDeviceToHost));
    check(cudaFree(device_in));
    check(cudaFree(device_out));
    return out;
}

int main()
{
    unsigned int in[LANES];
    for (int lane = 0; lane < LANES; lane++)
        in[lane] = word(lane);
    check_bits(in, launch(bits, in, BIT_COUNT).data());
    check_warps(in, launch(warps, in, WARP_COUNT).data());
    check_atomics(atomics);
    check_atomics(atomics_block);
    check_atomics(atomics_system);
    check_rest();
    printf("device_functions: %s (%d checks)\n", failures ? "FAIL" : "PASS", checks);
    return failures ? 1 : 0;
}
