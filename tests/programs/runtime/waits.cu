// Kernels that wait for what they launched (cudaDeviceSynchronize in kernels, up to CUDA 11 and with
// CUDA_FORCE_CDP1_IF_SUPPORTED): with each argument another part, run_waits.py says which.
#include "check.h"

#include <cooperative_groups.h>
#include <cstring>

enum { COUNT = 600, ROUNDS = 3, STREAMS = 3 };

__device__ int flag, deepest;

__global__ void add(int *to, int value)
{
    atomicAdd(to, value);
}

// Each level sorts its halves in children, waits for both, and merges.
__global__ void sort(int *data, int *spare, int count)
{
    if (count < 2)
        return;
    int half = count / 2;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    sort<<<1, 1>>>(data, spare, half);
    sort<<<1, 1, 0, stream>>>(data + half, spare + half, count - half);
    cudaStreamDestroy(stream);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return;
    int a = 0, b = half;
    for (int i = 0; i < count; i++)
        spare[i] = b >= count || (a < half && data[a] <= data[b]) ? data[a++] : data[b++];
    for (int i = 0; i < count; i++)
        data[i] = spare[i];
}

// One thread of each block waits, again and again; all of the block see what the children did.
__global__ void full(int *sums, int *wrong)
{
    __shared__ int seen;
    for (int round = 1; round <= ROUNDS; round++) {
        if (threadIdx.x == 0) {
            add<<<2, 32>>>(sums + blockIdx.x, 1);
            if (cudaDeviceSynchronize() != cudaSuccess)
                atomicAdd(wrong, 1);
            seen = *(volatile int *)(sums + blockIdx.x);
        }
        __syncthreads();
        if (seen != 64 * round)
            atomicAdd(wrong, 1);
        __syncthreads();
    }
}

extern __shared__ int whole[];

// A child that needs as much of an SM as its parent has, of which each SM is full.
__global__ void large(int *to, int depth)
{
    whole[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0 && depth > 0)
        large<<<3, blockDim.x, 48 * 1024>>>(to, depth - 1);
    if (threadIdx.x == 0)
        cudaDeviceSynchronize();
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(to, whole[blockDim.x - 1]);
}

// The second block goes on only when the first has waited.
__global__ void handed(int *to)
{
    if (blockIdx.x == 0) {
        add<<<1, 1>>>(to, 5);
        cudaDeviceSynchronize();
        to[1] = to[0];
        __threadfence();
        *(volatile int *)&flag = 1;
    } else {
        while (*(volatile int *)&flag == 0)
            ;
        to[2] = *(volatile int *)(to + 1);
    }
}

// All blocks of a full machine wait for each other between their children.
__global__ void together(int *sum, int *wrong)
{
    cooperative_groups::grid_group all = cooperative_groups::this_grid();
    for (int round = 1; round <= ROUNDS; round++) {
        if (threadIdx.x == 0) {
            add<<<2, 64>>>(sum, 1);
            cudaDeviceSynchronize();
        }
        all.sync();
        if (threadIdx.x == 0 && *(volatile int *)sum != (int)gridDim.x * 128 * round)
            atomicAdd(wrong, 1);
        all.sync();
    }
}

// How deep launches go, and what the first that goes too deep is told.
__global__ void deep(int *to, int depth)
{
    deepest = depth;
    deep<<<1, 1>>>(to, depth + 1);
    int status = cudaGetLastError(), waited = cudaDeviceSynchronize();
    to[depth] = status * 1000 + waited;
}

// Lanes of one warp wait apart, while another warp launches and works.
__global__ void divergent(int *to)
{
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 32 && lane % 4 == 1) {
        add<<<1, 1>>>(to + lane, (int)lane);
        cudaDeviceSynchronize();
        to[32 + lane] = *(volatile int *)(to + lane);
    } else if (threadIdx.x < 32) {
        to[32 + lane] = -1;
    } else {
        add<<<1, 2>>>(to + lane, 1);
        for (int i = 0; i < 300; i++)
            atomicAdd(to + 64, 1);
    }
    __syncthreads();
    cudaDeviceSynchronize();
    if (threadIdx.x >= 32)
        to[96 + lane] = *(volatile int *)(to + lane);
}

// Copies, fills and events, and what a wait then sees of them.
__global__ void moves(int *data)
{
    cudaStream_t one, other;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    add<<<1, 32, 0, one>>>(data, 2);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(other, event, 0);
    cudaMemcpyAsync(data + 1, data, sizeof(int), cudaMemcpyDeviceToDevice, other);
    cudaMemsetAsync(data + 2, 1, 2 * sizeof(int), other);
    cudaMemcpyAsync(data + 4, data + 2, sizeof(int), cudaMemcpyDeviceToDevice, other);
    data[8] = cudaDeviceSynchronize();
    data[9] = data[1] + data[4];
    data[10] = cudaDeviceSynchronize(); // for nothing
}

__global__ void say(int number)
{
    printf("%d\n", number);
}

__global__ void says()
{
    printf("1\n");
    say<<<1, 1>>>(2);
    cudaDeviceSynchronize();
    printf("3\n");
    say<<<1, 1>>>(4);
}

__global__ void faults(int *data)
{
    add<<<1, 1>>>((int *)8, 1);
    data[0] = 1;
    cudaDeviceSynchronize();
    data[0] = 2;
}

static int *data;

static void sorts()
{
    unsigned seed = 7;
    size_t limit;
    GOOD(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimeSyncDepth));
    CHECK(limit == 2);
    EXPECT(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 25), cudaErrorInvalidValue);
    GOOD(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 12));
    for (int i = 0; i < COUNT; i++)
        data[i] = (int)((seed = seed * 1664525u + 1013904223u) >> 8);
    sort<<<1, 1>>>(data, data + COUNT, COUNT);
    GOOD(cudaDeviceSynchronize());
    for (int i = 1; i < COUNT; i++)
        CHECK(data[i - 1] <= data[i]);
}

static void fills()
{
    int blocks, sms;
    GOOD(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, full, 512, 0));
    blocks = blocks * sms + 5; // some have to wait for a place, too
    full<<<blocks, 512>>>(data, data + blocks);
    GOOD(cudaDeviceSynchronize());
    for (int i = 0; i < blocks; i++)
        CHECK(data[i] == 64 * ROUNDS);
    CHECK(data[blocks] == 0);
}

static void togethers()
{
    int blocks, sms;
    int *wrong = data + 1;
    void *arguments[] = {&data, &wrong};
    GOOD(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, together, 512, 0));
    blocks *= sms;
    GOOD(cudaLaunchCooperativeKernel((void *)together, blocks, 512, arguments, 0, 0));
    GOOD(cudaDeviceSynchronize());
    CHECK(data[0] == blocks * 128 * ROUNDS && data[1] == 0);
}

static void larges()
{
    int sms;
    GOOD(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    GOOD(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 3));
    large<<<2 * sms, 256, 48 * 1024>>>(data, 2);
    GOOD(cudaDeviceSynchronize());
    CHECK(data[0] == 255 * 2 * sms * (1 + 3 + 9));
}

static void deeps()
{
    deep<<<1, 1>>>(data, 1);
    GOOD(cudaDeviceSynchronize());
    int seen;
    GOOD(cudaMemcpyFromSymbol(&seen, deepest, sizeof seen));
    CHECK(seen == 24);
    for (int i = 1; i <= 24; i++) // two levels may wait, and the last may not launch
        CHECK(data[i] == (i == 24) * 1000 * cudaErrorLaunchMaxDepthExceeded +
                             (i > 2) * cudaErrorSyncDepthExceeded);
}

static void parts()
{
    handed<<<2, 1>>>(data);
    GOOD(cudaDeviceSynchronize());
    CHECK(data[0] == 5 && data[1] == 5 && data[2] == 5);
    GOOD(cudaMemset(data, 0, 128 * sizeof(int)));
    divergent<<<1, 64>>>(data);
    GOOD(cudaDeviceSynchronize());
    for (int lane = 0; lane < 32; lane++) {
        int own = lane % 4 == 1 ? lane : 0;
        CHECK(lane % 4 == 1 ? data[32 + lane] >= own : data[32 + lane] == -1);
        CHECK(data[96 + lane] == own + 2);
    }
    CHECK(data[64] == 32 * 300);
    GOOD(cudaMemset(data, 0, 16 * sizeof(int)));
    moves<<<1, 1>>>(data);
    GOOD(cudaDeviceSynchronize());
    CHECK(data[0] == 64 && data[1] == 64 && data[4] == 0x01010101 && data[9] == 64 + 0x01010101);
    CHECK(data[8] == 0 && data[10] == 0);
    says<<<1, 1>>>();
    GOOD(cudaDeviceSynchronize());
}

// Beside other kernels of the host, with priorities.
static void streams()
{
    cudaStream_t stream[STREAMS];
    enum { BLOCKS = 40 };
    for (int i = 0; i < STREAMS; i++)
        GOOD(cudaStreamCreateWithPriority(&stream[i], cudaStreamNonBlocking, -i));
    for (int i = 0; i < STREAMS; i++) {
        full<<<BLOCKS, 256, 0, stream[i]>>>(data + 100 * i, data + 1000);
        add<<<2, 32, 0, stream[i]>>>(data + 100 * i, 1000);
    }
    GOOD(cudaDeviceSynchronize());
    for (int i = 0; i < STREAMS; i++) {
        CHECK(data[100 * i] == 64 * ROUNDS + 64000 && data[100 * i + 1] == 64 * ROUNDS);
        GOOD(cudaStreamDestroy(stream[i]));
    }
    CHECK(data[1000] == 0);
}

// Waits of an earlier part come first where one kernel of two streams has to run alone.
static void refused(int code)
{
    full<<<1, 32>>>(data, data + 1);
    EXPECT(cudaGetLastError(), code);
    GOOD(cudaDeviceSynchronize());
    CHECK(data[0] == 0);
    if (code == 811)
        EXPECT(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4), cudaErrorUnsupportedLimit);
}

int main(int count, char **arguments)
{
    const char *part = count > 1 ? arguments[1] : "";
    GOOD(cudaMallocManaged(&data, 8192 * sizeof(int)));
    GOOD(cudaMemset(data, 0, 8192 * sizeof(int)));
    static const struct {
        const char *name;
        void (*run)();
    } all[] = {{"sorts", sorts}, {"fills", fills}, {"togethers", togethers}, {"larges", larges},
               {"deeps", deeps}, {"parts", parts}, {"streams", streams}};
    for (const auto &one : all)
        if (std::strcmp(part, one.name) == 0)
            one.run();
    if (std::strcmp(part, "faults") == 0) {
        faults<<<1, 1>>>(data);
        EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
        CHECK(data[0] == 1);
    }
    if (std::strcmp(part, "refused") == 0)
        refused(std::atoi(arguments[2]));
    return verdict();
}
