// Events: order, queries, and times that are positive and the same on every run.
#include "check.h"

#include <cmath>

__global__ void work(float *data, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = data[i];
    for (int r = 0; r < rounds; r++)
        x = x * 1.5f + 0.25f;
    data[i] = x;
}

static float measure(float *device, int rounds)
{
    cudaEvent_t start, end;
    float time = -1;
    GOOD(cudaEventCreate(&start));
    GOOD(cudaEventCreate(&end));
    GOOD(cudaEventRecord(start));
    work<<<64, 256>>>(device, rounds);
    GOOD(cudaEventRecord(end));
    GOOD(cudaEventSynchronize(end));
    GOOD(cudaEventQuery(start));
    GOOD(cudaEventElapsedTime(&time, start, end));
    CHECK(std::isfinite(time) && time > 0);
    float back;
    GOOD(cudaEventElapsedTime(&back, end, start));
    CHECK(back == -time);
    GOOD(cudaEventDestroy(start));
    GOOD(cudaEventDestroy(end));
    return time;
}

// What the driver takes to launch is a graph's once, and each kernel's in a stream (docs/cuda.md).
static void graph_is_launched_once(float *device)
{
    enum { KERNELS = 10 };
    cudaEvent_t times[3];
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    float one_by_one, together;
    for (cudaEvent_t &event : times)
        GOOD(cudaEventCreate(&event));
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < KERNELS; i++)
        work<<<1, 32, 0, stream>>>(device, 1);
    GOOD(cudaStreamEndCapture(stream, &graph));
    GOOD(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    GOOD(cudaEventRecord(times[0], stream));
    for (int i = 0; i < KERNELS; i++)
        work<<<1, 32, 0, stream>>>(device, 1);
    GOOD(cudaEventRecord(times[1], stream));
    GOOD(cudaGraphLaunch(executable, stream));
    GOOD(cudaEventRecord(times[2], stream));
    GOOD(cudaStreamSynchronize(stream));
    GOOD(cudaEventElapsedTime(&one_by_one, times[0], times[1]));
    GOOD(cudaEventElapsedTime(&together, times[1], times[2]));
    // The kernels take the same: what is left are nine launches of 5 us, in milliseconds.
    CHECK(std::fabs(one_by_one - together - (KERNELS - 1) * 0.005f) < 0.002f);
    CHECK(together > 0.005f);
    for (cudaEvent_t event : times)
        GOOD(cudaEventDestroy(event));
    GOOD(cudaGraphExecDestroy(executable));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaStreamDestroy(stream));
}

__global__ void wait_for(volatile int *flag)
{
    while (*flag == 0) {
    }
}

// An event, and a stream, are ready when the work before them is done: at once where there is none,
// whatever other streams are doing. Not ready is an answer and leaves no error behind.
static void ready(void)
{
    volatile int *flag;
    cudaStream_t busy, idle;
    cudaEvent_t early, late, never;
    float time;
    GOOD(cudaHostAlloc((void **)&flag, sizeof *flag, 0));
    *flag = 0;
    GOOD(cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking));
    GOOD(cudaStreamCreate(&idle));
    GOOD(cudaEventCreate(&early));
    GOOD(cudaEventCreate(&late));
    GOOD(cudaEventCreate(&never));
    wait_for<<<1, 1, 0, busy>>>(flag);
    GOOD(cudaEventRecord(late, busy));
    EXPECT(cudaEventQuery(late), cudaErrorNotReady);
    EXPECT(cudaStreamQuery(busy), cudaErrorNotReady);
    EXPECT(cudaEventElapsedTime(&time, late, late), cudaErrorNotReady);
    GOOD(cudaPeekAtLastError());
    GOOD(cudaGetLastError());
    GOOD(cudaEventQuery(never));
    const cudaStream_t streams[] = {idle, 0};
    for (cudaStream_t stream : streams) {
        GOOD(cudaEventRecord(early, stream));
        GOOD(cudaEventQuery(early));
        GOOD(cudaStreamQuery(stream));
        GOOD(cudaEventRecord(early, stream));
        GOOD(cudaEventQuery(early));
    }
    // One that waits for the busy stream is not idle.
    GOOD(cudaStreamWaitEvent(idle, late, 0));
    GOOD(cudaEventRecord(early, idle));
    EXPECT(cudaEventQuery(early), cudaErrorNotReady);
    EXPECT(cudaStreamQuery(idle), cudaErrorNotReady);
    *flag = 1;
    while (cudaEventQuery(early) == cudaErrorNotReady) {
    }
    GOOD(cudaEventQuery(late));
    GOOD(cudaEventElapsedTime(&time, late, early));
    CHECK(time >= 0);
    GOOD(cudaGetLastError());
    GOOD(cudaEventDestroy(early));
    GOOD(cudaEventDestroy(late));
    GOOD(cudaEventDestroy(never));
    GOOD(cudaStreamDestroy(busy));
    GOOD(cudaStreamDestroy(idle));
    GOOD(cudaFreeHost((void *)flag));
}

int main(int argc, char **)
{
    if (argc > 1) { // what it counts depends on when the host answers
        ready();
        return verdict();
    }
    float *device;
    GOOD(cudaMalloc((void **)&device, 64 * 256 * sizeof(float)));
    GOOD(cudaMemset(device, 0, 64 * 256 * sizeof(float)));
    float little = measure(device, 1), much = measure(device, 20000);
    std::printf("%a %a\n", little, much);
    CHECK(much > little);
    graph_is_launched_once(device);
    // An event that was never recorded is complete, but has no time.
    cudaEvent_t idle;
    float time;
    GOOD(cudaEventCreate(&idle));
    GOOD(cudaEventQuery(idle));
    GOOD(cudaEventSynchronize(idle));
    EXPECT(cudaEventElapsedTime(&time, idle, idle), cudaErrorInvalidResourceHandle);
    GOOD(cudaEventDestroy(idle));
    GOOD(cudaFree(device));
    cudaGetLastError();
    return verdict();
}
