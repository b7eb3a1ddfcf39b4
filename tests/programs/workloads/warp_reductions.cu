// __reduce_add_sync and its like, of compute capability 8.0 and later: each function's result in a
// kernel against the same written out on the host, for a whole warp, for its halves at once, and for
// lanes of a branch. Compiles with any CUDA compiler for sm_80.
//
// Says "warp_reductions: PASS", or one line a wrong result; exit status 0 or 1.
#include <cstdio>
#include <cstdlib>

#define LANES 32
enum { ADD, ADD_SIGNED, MIN, MIN_SIGNED, MAX, MAX_SIGNED, AND, OR, XOR, OPERATIONS };
static const char *const names[OPERATIONS] = {"add", "add of int", "min", "min of int", "max",
                                              "max of int", "and", "or", "xor"};
enum { WHOLE, HALVES, BRANCH, GROUPS };
static int failures;

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        printf("warp_reductions: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

// The lanes that reduce together with that one; in a branch, every fourth from the first on.
__host__ __device__ static unsigned int mask_of(int group, unsigned int lane)
{
    if (group == HALVES)
        return lane < 16 ? 0xffffu : 0xffff0000u;
    return group == WHOLE ? 0xffffffffu : 0x22222222u;
}

__device__ static void reduce(unsigned int mask, unsigned int value, unsigned int *out)
{
    out[ADD] = __reduce_add_sync(mask, value);
    out[ADD_SIGNED] = (unsigned int)__reduce_add_sync(mask, (int)value);
    out[MIN] = __reduce_min_sync(mask, value);
    out[MIN_SIGNED] = (unsigned int)__reduce_min_sync(mask, (int)value);
    out[MAX] = __reduce_max_sync(mask, value);
    out[MAX_SIGNED] = (unsigned int)__reduce_max_sync(mask, (int)value);
    out[AND] = __reduce_and_sync(mask, value);
    out[OR] = __reduce_or_sync(mask, value);
    out[XOR] = __reduce_xor_sync(mask, value);
}

__global__ void reductions(const unsigned int *in, unsigned int *out)
{
    unsigned int lane = threadIdx.x;
    for (int group = WHOLE; group < GROUPS; group++)
        if (mask_of(group, lane) >> lane & 1)
            reduce(mask_of(group, lane), in[lane], out + (group * LANES + lane) * OPERATIONS);
}

static unsigned int larger(unsigned int a, unsigned int b, bool is_signed)
{
    return (is_signed ? (int)a > (int)b : a > b) ? a : b;
}

static unsigned int combined(int operation, unsigned int a, unsigned int b)
{
    bool is_signed = operation == MIN_SIGNED || operation == MAX_SIGNED;
    switch (operation) {
    case ADD:
    case ADD_SIGNED: return a + b;
    case MIN:
    case MIN_SIGNED: return larger(a, b, is_signed) == a ? b : a;
    case MAX:
    case MAX_SIGNED: return larger(a, b, is_signed);
    case AND: return a & b;
    case OR: return a | b;
    default: return a ^ b;
    }
}

static void check_lane(const unsigned int *in, const unsigned int *out, int group, unsigned int lane)
{
    unsigned int mask = mask_of(group, lane);
    for (int operation = 0; operation < OPERATIONS; operation++) {
        unsigned int want = in[lane], got = out[(group * LANES + lane) * OPERATIONS + operation];
        for (unsigned int other = 0; other < LANES; other++)
            if (other != lane && mask >> other & 1)
                want = combined(operation, want, in[other]);
        if (!(mask >> lane & 1)) // it does not reduce, and nothing is written for it
            want = 0;
        if (got != want && failures++ < 20)
            printf("%s of %08x, lane %u: %x, not %x\n", names[operation], mask, lane, got, want);
    }
}

int main()
{
    // Sums that wrap, both signs, and bits that all lanes and that some have.
    unsigned int in[LANES], *device_in, *device_out;
    static unsigned int out[GROUPS * LANES * OPERATIONS];
    for (unsigned int lane = 0; lane < LANES; lane++)
        in[lane] = (lane * 2654435761u & ~0x10u) | 0x100u;
    check(cudaMalloc((void **)&device_in, sizeof in));
    check(cudaMalloc((void **)&device_out, sizeof out));
    check(cudaMemset(device_out, 0, sizeof out));
    check(cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice));
    reductions<<<1, LANES>>>(device_in, device_out);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int group = WHOLE; group < GROUPS; group++)
        for (unsigned int lane = 0; lane < LANES; lane++)
            check_lane(in, out, group, lane);
    printf("warp_reductions: %s\n", failures ? "FAIL" : "PASS");
    return failures ? 1 : 0;
}
