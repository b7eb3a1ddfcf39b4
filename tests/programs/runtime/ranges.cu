// Does what its arguments say, in their order: a and b launch a kernel, w and r copy to the device and
// from it, [ and ] begin and end a profiler's range, g launches a graph of two launches of b.
#include "check.h"

#include <cuda_profiler_api.h>

enum { COUNT = 1 << 15 };

__global__ void add(int *values, int by)
{
    values[blockIdx.x * blockDim.x + threadIdx.x] += by;
}

__global__ void gather(const int *values, int *sums, int step)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    sums[thread] += values[(thread * step) % COUNT];
}

static int *values, *sums;
static cudaStream_t stream;

static void launch_graph(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t made;
    GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 2; i++)
        gather<<<COUNT / 256, 256, 0, stream>>>(values, sums, 33);
    GOOD(cudaStreamEndCapture(stream, &graph));
    GOOD(cudaGraphInstantiate(&made, graph, 0));
    GOOD(cudaGraphLaunch(made, stream));
    GOOD(cudaStreamSynchronize(stream));
    GOOD(cudaGraphExecDestroy(made));
    GOOD(cudaGraphDestroy(graph));
}

static void act(char what)
{
    static int host[COUNT];
    switch (what) {
    case 'a': add<<<COUNT / 128, 128>>>(values, 3); break;
    case 'b': gather<<<COUNT / 256, 256, 0, stream>>>(values, sums, 33); break;
    case 'g': launch_graph(); break;
    case 'w': GOOD(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice)); break;
    case 'r': GOOD(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost)); break;
    case '[': GOOD(cudaProfilerStart()); break;
    case ']': GOOD(cudaProfilerStop()); break;
    }
}

int main(int count, char **arguments)
{
    GOOD(cudaMalloc(&values, COUNT * sizeof *values));
    GOOD(cudaMalloc(&sums, COUNT * sizeof *sums));
    GOOD(cudaStreamCreate(&stream));
    for (const char *at = count > 1 ? arguments[1] : ""; *at; at++)
        act(*at);
    GOOD(cudaDeviceSynchronize());
    return verdict();
}
