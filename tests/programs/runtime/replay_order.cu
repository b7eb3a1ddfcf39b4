// What several streams do, in kernels that execute the same whatever runs beside them: a recording of
// it, replayed, is to have the counts of a run. The first argument is the case.
#include "check.h"

#include <cstdlib>
#include <cstring>

enum { VALUES = 1 << 14, STREAMS = 4 };

// Blocks of some kernels take longer than those of others.
__global__ void stride(const float *from, float *to, int count, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int turn = 0; turn < turns; turn++)
        sum += from[(i * 33 + turn * 1021) & (count - 1)];
    to[i & (count - 1)] = sum;
}

__global__ void shared_sum(const float *from, float *to, int count)
{
    extern __shared__ float values[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = from[i & (count - 1)];
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        to[blockIdx.x & (count - 1)] = values[0];
}

// Has local memory, which lies behind that of launches under way.
__global__ void scatter(const int *places, float *to, int count)
{
    float mine[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 32; k++)
        mine[(k + places[i & (count - 1)]) & 31] = (float)k;
    to[i & (count - 1)] = mine[places[(i + 1) & (count - 1)] & 31];
}

// Launched so that its blocks might wait for each other, which would take as many turns as it takes.
__global__ void together(float *values, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[i & (count - 1)] += 1;
}

static float *data[STREAMS + 1], *results[STREAMS + 1];
static int *places;
static float host[VALUES];
static cudaStream_t streams[STREAMS];

static void make_memory(void)
{
    for (int i = 0; i <= STREAMS; i++) {
        GOOD(cudaMalloc((void **)&data[i], VALUES * sizeof(float)));
        GOOD(cudaMalloc((void **)&results[i], VALUES * sizeof(float)));
        GOOD(cudaMemset(data[i], 0, VALUES * sizeof(float)));
    }
    GOOD(cudaMalloc((void **)&places, VALUES * sizeof(int)));
    GOOD(cudaMemset(places, 0, VALUES * sizeof(int)));
    // Before the first stream.
    stride<<<4, 64>>>(data[0], results[0], VALUES, 3);
}

static void make_streams(unsigned flags)
{
    for (int i = 0; i < STREAMS; i++)
        GOOD(cudaStreamCreateWithPriority(&streams[i], flags, i == 2 ? -1 : 0));
}

static void launch(int stream, int blocks, int turns)
{
    stride<<<blocks, 128, 0, streams[stream]>>>(data[stream], results[stream], VALUES, turns);
}

// Chains, a join by events, and the host's waits for one stream at a time.
static void chains(void)
{
    cudaEvent_t made;
    GOOD(cudaEventCreate(&made));
    make_streams(cudaStreamNonBlocking);
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < STREAMS; i++)
            launch(i, 2 + 3 * i, 4 + 9 * (STREAMS - i));
        GOOD(cudaEventRecord(made, streams[3]));
        GOOD(cudaStreamWaitEvent(streams[0], made, 0));
        shared_sum<<<6, 256, 1024, streams[0]>>>(data[0], results[0], VALUES);
        GOOD(cudaStreamSynchronize(streams[1]));
        launch(1, 3, 20);
        GOOD(cudaMemcpyAsync(host, results[2], sizeof host, cudaMemcpyDeviceToHost, streams[2]));
        scatter<<<3, 64, 0, streams[2]>>>(places, results[2], VALUES);
        scatter<<<3, 64, 0, streams[3]>>>(places, results[3], VALUES);
    }
    GOOD(cudaDeviceSynchronize());
    launch(2, 9, 9);
    launch(1, 9, 9);
}

// The legacy default stream and blocking streams, one of which is destroyed with work to do; copies
// of boxes.
static void defaults(void)
{
    make_streams(cudaStreamDefault);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < STREAMS; i++)
            launch(i, 4, 5 + 8 * i);
        shared_sum<<<2, 128, 512>>>(data[1], results[1], VALUES);
        for (int i = 0; i < STREAMS; i++)
            launch(i, 4, 5 + 8 * i);
        GOOD(cudaMemcpy2DAsync(data[1], 256, results[2], 512, 128, 8, cudaMemcpyDeviceToDevice,
                               streams[1]));
        GOOD(cudaMemsetAsync(results[0], 1, 4096, streams[3]));
        launch(3, 2, 30);
    }
    GOOD(cudaStreamDestroy(streams[3]));
    stride<<<2, 64>>>(data[0], results[0], VALUES, 3);
    GOOD(cudaMemcpy(host, results[1], sizeof host, cudaMemcpyDeviceToHost));
    launch(0, 2, 10);
    launch(1, 2, 10);
    GOOD(cudaStreamSynchronize(0));
}

// A graph of branches, twice, beside a stream.
static void graphs(void)
{
    make_streams(cudaStreamNonBlocking);
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    GOOD(cudaEventCreate(&fork));
    GOOD(cudaEventCreate(&join));
    GOOD(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    launch(0, 2, 8);
    GOOD(cudaEventRecord(fork, streams[0]));
    GOOD(cudaStreamWaitEvent(streams[1], fork, 0));
    launch(0, 5, 30);
    launch(1, 3, 40);
    launch(1, 3, 5);
    GOOD(cudaEventRecord(join, streams[1]));
    GOOD(cudaStreamWaitEvent(streams[0], join, 0));
    launch(0, 2, 6);
    GOOD(cudaStreamEndCapture(streams[0], &graph));
    GOOD(cudaGraphInstantiate(&ready, graph, NULL, NULL, 0));
    GOOD(cudaGraphLaunch(ready, streams[2]));
    launch(3, 7, 60);
    GOOD(cudaGraphLaunch(ready, streams[2]));
    GOOD(cudaStreamSynchronize(streams[2]));
    launch(0, 3, 3);
    GOOD(cudaDeviceSynchronize());
}

static void count_one(void *count)
{
    ++*(int *)count;
}

// Questions until something has ended, host functions, and a cooperative launch, which runs alone.
static void hosts(void)
{
    int called = 0;
    cudaEvent_t over;
    GOOD(cudaEventCreate(&over));
    make_streams(cudaStreamNonBlocking);
    launch(0, 8, 50);
    launch(1, 2, 5);
    GOOD(cudaEventRecord(over, streams[1]));
    while (cudaEventQuery(over) == cudaErrorNotReady)
        ;
    launch(2, 4, 10);
    GOOD(cudaLaunchHostFunc(streams[2], count_one, &called));
    launch(3, 2, 10);
    int count = VALUES;
    void *arguments[] = {&data[1], &count};
    GOOD(cudaLaunchCooperativeKernel((void *)together, dim3(4), dim3(64), arguments, 0,
                                     streams[1]));
    launch(2, 4, 10);
    while (cudaStreamQuery(streams[2]) == cudaErrorNotReady)
        ;
    launch(1, 4, 10);
    launch(0, 2, 10);
    GOOD(cudaDeviceSynchronize());
    CHECK(called == 1);
}

// More than a device takes at once, of which some end early.
static void many(void)
{
    make_streams(cudaStreamNonBlocking);
    for (int i = 0; i < 700; i++) {
        launch(0, 1, 40);
        launch(1 + i % 3, 1, 2);
    }
    GOOD(cudaDeviceSynchronize());
}

// Little, with all that a recording has of order.
static void little(void)
{
    cudaEvent_t made;
    GOOD(cudaEventCreate(&made));
    make_streams(cudaStreamNonBlocking);
    for (int turn = 0; turn < 2; turn++) {
        launch(0, 1, 1);
        launch(1, 1, 1);
        GOOD(cudaEventRecord(made, streams[0]));
        GOOD(cudaMemcpyAsync(host, results[1], 64, cudaMemcpyDeviceToHost, streams[1]));
        GOOD(cudaStreamWaitEvent(streams[1], made, 0));
        launch(2, 1, 1);
        launch(1, 1, 2);
        GOOD(cudaMemsetAsync(results[2], 0, 64, streams[2]));
        GOOD(cudaMemsetAsync(results[4], 0, 64));
        GOOD(cudaStreamSynchronize(streams[2]));
        launch(3, 1, 1);
    }
    int count = VALUES;
    void *arguments[] = {&data[1], &count};
    GOOD(cudaLaunchCooperativeKernel((void *)together, dim3(1), dim3(32), arguments, 0, streams[2]));
    GOOD(cudaDeviceSynchronize());
    launch(0, 1, 1);
    launch(1, 1, 1);
}

// One stream that was made: nothing is beside anything.
static void one(void)
{
    make_streams(cudaStreamNonBlocking);
    for (int i = 0; i < 4; i++) {
        launch(0, 4, 10);
        GOOD(cudaMemcpyAsync(host, results[0], sizeof host, cudaMemcpyDeviceToHost, streams[0]));
        GOOD(cudaStreamSynchronize(streams[0]));
    }
}

int main(int count, char **words)
{
    const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"chains", chains}, {"defaults", defaults}, {"graphs", graphs},
                 {"hosts", hosts},   {"many", many},         {"one", one},
                 {"little", little}};
    bool known = false;
    make_memory();
    for (const auto &at : cases)
        if (count > 1 && strcmp(words[1], at.name) == 0) {
            known = true;
            at.run();
        }
    GOOD(cudaDeviceSynchronize());
    CHECK(known);
    return verdict();
}
