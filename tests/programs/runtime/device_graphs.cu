// Graphs that kernels of graphs launch: beside their graph, for its tail, themselves; what they then
// run, in which order, and what is refused.
#include "check.h"

enum { WORDS = 256, LOOPS = 5 };

__device__ cudaGraphExec_t execs[8]; // a, b, c, again, and one that is not for kernels
__device__ int results[32];

// log[0] counts the values behind it.
__global__ void append(int *log, int value)
{
    log[1 + atomicAdd(log, 1)] = value;
}

__global__ void launch(int *log)
{
    append<<<1, 1>>>(log, 0); // so that no graph for kernels may hold this one
}

__global__ void start(int *log)
{
    log[1 + atomicAdd(log, 1)] = 1;
    results[0] = cudaGraphLaunch(execs[0], cudaStreamGraphTailLaunch);
    results[1] = cudaGraphLaunch(execs[1], cudaStreamGraphTailLaunch);
    results[2] = cudaGraphLaunch(execs[2], cudaStreamGraphFireAndForget);
    results[3] = cudaGraphLaunch(execs[2], cudaStreamGraphFireAndForget); // twice at a time
    results[4] = cudaGraphLaunch(execs[4], cudaStreamGraphFireAndForget); // not for kernels
    results[5] = cudaGraphLaunch(execs[0], cudaStreamPerThread);
    results[6] = cudaGraphLaunch((cudaGraphExec_t)log, cudaStreamGraphFireAndForget);
    results[7] = cudaGraphLaunch(execs[5], cudaStreamGraphFireAndForget); // was not uploaded
    results[8] = cudaGetCurrentGraphExec() == 0;
}

// Of a graph for the tail: one beside it, one beside what launched it, and one for its own tail.
__global__ void further(int *log, int value)
{
    log[1 + atomicAdd(log, 1)] = value;
    results[9] = cudaGetCurrentGraphExec() == execs[0];
    results[10] = cudaGraphLaunch(execs[2], cudaStreamGraphFireAndForgetAsSibling);
    results[11] = cudaGraphLaunch(execs[6], cudaStreamGraphTailLaunch);
}

// A loop: the graph launches itself until it has run often enough.
__global__ void again(int *log)
{
    int round = log[1 + atomicAdd(log, 1)] = 100 + log[200]++;
    cudaGraphExec_t self = cudaGetCurrentGraphExec();
    if (round < 100 + LOOPS - 1)
        results[12] = cudaGraphLaunch(self, cudaStreamGraphTailLaunch);
    if (round == 101) {
        results[13] = cudaGraphLaunch(self, cudaStreamGraphTailLaunch); // once is enough
        results[14] = cudaGraphLaunch(self, cudaStreamGraphFireAndForget);
    }
}

__global__ void outside()
{
    results[15] = cudaGraphLaunch(execs[0], cudaStreamGraphFireAndForget);
}

static cudaStream_t stream;
static int *words;

static cudaGraph_t begin()
{
    GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    return NULL;
}

static cudaGraphExec_t end(unsigned long long flags, int wanted = cudaSuccess)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec = NULL;
    GOOD(cudaStreamEndCapture(stream, &graph));
    EXPECT(cudaGraphInstantiate(&exec, graph, flags), wanted);
    GOOD(cudaGraphDestroy(graph));
    return exec;
}

static cudaGraphExec_t appends(int first, int second, bool upload = true)
{
    begin();
    append<<<1, 1, 0, stream>>>(words, first);
    GOOD(cudaMemsetAsync(words + 210, first, 4, stream));
    GOOD(cudaMemcpyAsync(words + 211, words + 210, 4, cudaMemcpyDefault, stream));
    append<<<1, 1, 0, stream>>>(words, second);
    cudaGraphExec_t exec = end(cudaGraphInstantiateFlagDeviceLaunch);
    if (upload)
        GOOD(cudaGraphUpload(exec, stream));
    return exec;
}

static void check_log(const int *wanted, int count)
{
    int seen[WORDS];
    GOOD(cudaMemcpy(seen, words, sizeof seen, cudaMemcpyDeviceToHost));
    CHECK(seen[0] == count);
    for (int i = 0; i < count; i++)
        CHECK(seen[1 + i] == wanted[i]);
}

static void refused()
{
    begin();
    launch<<<1, 1, 0, stream>>>(words);
    end(cudaGraphInstantiateFlagDeviceLaunch, cudaErrorNotSupported);
    begin();
    GOOD(cudaLaunchHostFunc(stream, [](void *) {}, NULL));
    end(cudaGraphInstantiateFlagDeviceLaunch, cudaErrorNotSupported);
    begin();
    append<<<1, 1, 0, stream>>>(words, 1);
    end(cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagAutoFreeOnLaunch,
        cudaErrorInvalidValue);
}

int main()
{
    GOOD(cudaMalloc(&words, WORDS * sizeof(int)));
    GOOD(cudaMemset(words, 0, WORDS * sizeof(int)));
    GOOD(cudaStreamCreate(&stream));
    cudaGraphExec_t all[8] = {};
    begin();
    further<<<1, 1, 0, stream>>>(words, 10);
    append<<<1, 1, 0, stream>>>(words, 11);
    all[0] = end(cudaGraphInstantiateFlagDeviceLaunch);
    GOOD(cudaGraphUpload(all[0], stream));
    all[1] = appends(20, 21);
    all[2] = appends(30, 31);
    begin();
    again<<<1, 1, 0, stream>>>(words);
    all[3] = end(cudaGraphInstantiateFlagDeviceLaunch);
    begin();
    append<<<1, 1, 0, stream>>>(words, 99);
    all[4] = end(0);
    all[5] = appends(98, 98, false);
    all[6] = appends(40, 41);
    GOOD(cudaMemcpyToSymbol(execs, all, sizeof all));
    begin();
    start<<<1, 1, 0, stream>>>(words);
    append<<<1, 1, 0, stream>>>(words, 2);
    cudaGraphExec_t first = end(0);
    static const int wanted[] = {1, 30, 31, 2, 10, 30, 31, 11, 40, 41, 20, 21, 7};
    for (int round = 0; round < 2; round++) {
        GOOD(cudaMemsetAsync(words, 0, WORDS * sizeof(int), stream));
        GOOD(cudaGraphLaunch(first, stream));
        append<<<1, 1, 0, stream>>>(words, 7); // behind the graph with all that it launches
        GOOD(cudaStreamSynchronize(stream));
        check_log(wanted, 13);
    }
    static const int loops[] = {100, 101, 102, 103, 104, 7};
    GOOD(cudaMemset(words, 0, WORDS * sizeof(int)));
    GOOD(cudaGraphLaunch(all[3], stream)); // which is an upload, too
    append<<<1, 1, 0, stream>>>(words, 7);
    GOOD(cudaStreamSynchronize(stream));
    check_log(loops, LOOPS + 1);
    outside<<<1, 1>>>();
    int seen[32];
    GOOD(cudaMemcpyFromSymbol(seen, results, sizeof seen));
    for (int good : {0, 1, 2, 10, 11, 12})
        CHECK(seen[good] == cudaSuccess);
    for (int bad : {3, 4, 5, 6, 7, 13, 14, 15})
        CHECK(seen[bad] == cudaErrorInvalidValue);
    CHECK(seen[8] == 1 && seen[9] == 1);
    refused();
    for (cudaGraphExec_t exec : all)
        if (exec)
            GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphExecDestroy(first));
    return verdict();
}
