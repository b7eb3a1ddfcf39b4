// Stream capture of the driver API, and the forms of functions of graphs and capture that came with
// earlier versions.
#include "graph_api.h"

#undef cuGraphGetEdges
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
#undef cuGraphAddDependencies
#undef cuGraphRemoveDependencies
#undef cuGraphInstantiate
#undef cuGraphExecUpdate
#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphAddNode
#undef cuStreamBeginCapture
#undef cuStreamGetCaptureInfo
#undef cuStreamUpdateCaptureDependencies
typedef struct {
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams, **extra;
} old_kernel;
CUresult cuGraphGetEdges(CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
CUresult cuGraphNodeGetDependencies(CUgraphNode, CUgraphNode *, size_t *);
CUresult cuGraphNodeGetDependentNodes(CUgraphNode, CUgraphNode *, size_t *);
CUresult cuGraphAddDependencies(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
CUresult cuGraphRemoveDependencies(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
CUresult cuGraphInstantiate(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);
CUresult cuGraphInstantiate_v2(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t);
CUresult cuGraphExecUpdate(CUgraphExec, CUgraph, CUgraphNode *, CUgraphExecUpdateResult *);
CUresult cuGraphAddKernelNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                              const old_kernel *);
CUresult cuGraphKernelNodeGetParams(CUgraphNode, old_kernel *);
CUresult cuGraphKernelNodeSetParams(CUgraphNode, const old_kernel *);
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec, CUgraphNode, const old_kernel *);
CUresult cuGraphAddNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraphNodeParams *);
CUresult cuStreamBeginCapture(CUstream);
CUresult cuStreamGetCaptureInfo(CUstream, CUstreamCaptureStatus *, cuuint64_t *);
CUresult cuStreamGetCaptureInfo_v2(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *,
                                   const CUgraphNode **, size_t *);
CUresult cuStreamUpdateCaptureDependencies(CUstream, CUgraphNode *, size_t, unsigned);

enum { CAPTURE_UNSUPPORTED = 900, CAPTURE_INVALIDATED = 901, CAPTURE_UNJOINED = 904 };

static CUstream stream, second;
static CUfunction add;
static CUdeviceptr data;
static unsigned in[WORDS], out[WORDS], n = WORDS, five = 5;

static void run(CUgraph graph)
{
    CUgraphExec exec;
    GOOD(cuGraphInstantiateWithFlags(&exec, graph, 0));
    GOOD(cuGraphLaunch(exec, stream));
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuGraphExecDestroy(exec));
}

static void launch(CUstream where)
{
    void *parameters[] = {&data, &five, &n};
    GOOD(cuLaunchKernel(add, WORDS / 64, 1, 1, 64, 1, 1, 0, where, parameters, NULL));
}

// Two streams, joined by events; nothing runs before the graph is launched.
static void check_capture(void)
{
    CUgraph graph, seen;
    CUevent fork, join;
    CUstreamCaptureStatus status = 7;
    cuuint64_t id = 0;
    const CUgraphNode *nodes;
    const CUgraphEdgeData *edges;
    size_t number = 9;
    GOOD(cuEventCreate(&fork, 2));
    GOOD(cuEventCreate(&join, 2));
    memset(out, 0, sizeof out);
    GOOD(cuStreamBeginCapture_v2(stream, 1));
    GOOD(cuMemcpyHtoDAsync(data, in, GRAPH_BYTES, stream));
    GOOD(cuEventRecord(fork, stream));
    GOOD(cuStreamWaitEvent(second, fork, 0));
    launch(second);
    GOOD(cuStreamIsCapturing(second, &status));
    CHECK(status == 1);
    GOOD(cuEventRecord(join, second));
    GOOD(cuStreamWaitEvent(stream, join, 0));
    GOOD(cuStreamGetCaptureInfo_v3(stream, &status, &id, &seen, &nodes, &edges, &number));
    CHECK(status == 1 && id != 0 && number == 2);
    GOOD(cuMemcpyDtoHAsync(out, data, GRAPH_BYTES, stream));
    GOOD(cuStreamEndCapture(stream, &graph));
    CHECK(graph == seen && out[3] == 0);
    run(graph);
    for (int i = 0; i < WORDS; i++)
        CHECK(out[i] == in[i] + 5);
    GOOD(cuGraphDestroy(graph));
    // What waits for nobody is left over; what cannot be captured spoils it all.
    GOOD(cuStreamBeginCapture_v2(stream, 1));
    GOOD(cuEventRecord(fork, stream));
    GOOD(cuStreamWaitEvent(second, fork, 0));
    launch(second);
    EXPECT(cuStreamEndCapture(stream, &graph), CAPTURE_UNJOINED);
    GOOD(cuStreamBeginCapture_v2(stream, 1));
    EXPECT(cuStreamSynchronize(stream), CAPTURE_UNSUPPORTED);
    EXPECT(cuStreamEndCapture(stream, &graph), CAPTURE_INVALIDATED);
    GOOD(cuEventDestroy(fork));
    GOOD(cuEventDestroy(join));
}

// Into a graph that is there, behind its nodes; and what the next node waits for.
static void check_dependencies(void)
{
    CUgraph graph, ended;
    CUgraphNode first, other;
    CUstreamCaptureMode mode = 2; // relaxed: this thread may do what a capture forbids
    CUgraphNode from[4], to[4];
    CUgraphEdgeData edges[4];
    size_t number = 4;
    CUDA_MEMSET_NODE_PARAMS fill = {data, 0, 30, 4, WORDS, 1};
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddMemsetNode(&first, graph, NULL, 0, &fill, NULL));
    GOOD(cuGraphAddEmptyNode(&other, graph, NULL, 0));
    GOOD(cuStreamBeginCaptureToGraph(stream, graph, &first, NULL, 1, 0));
    GOOD(cuStreamUpdateCaptureDependencies_v2(stream, &other, NULL, 1, 0)); // and this one
    launch(stream);
    GOOD(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == 0);
    CUdeviceptr more;
    GOOD(cuMemAlloc(&more, 16));
    GOOD(cuMemFree(more));
    GOOD(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == 2);
    EXPECT(cuThreadExchangeStreamCaptureMode(NULL), INVALID_VALUE);
    GOOD(cuStreamEndCapture(stream, &ended));
    CHECK(ended == graph);
    GOOD(cuGraphGetEdges_v2(graph, from, to, edges, &number));
    CHECK(number == 2 && from[0] == first && from[1] == other && to[0] == to[1]);
    run(graph);
    GOOD(cuMemcpyDtoH(out, data, GRAPH_BYTES));
    CHECK(out[0] == 35 && out[WORDS - 1] == 35);
    GOOD(cuGraphDestroy(graph));
}

// Without modes, contexts, and data on edges.
static void check_old_capture(void)
{
    CUgraph graph, seen;
    CUgraphNode empty;
    CUstreamCaptureStatus status = 7;
    cuuint64_t id = 0, same = 1;
    const CUgraphNode *nodes;
    size_t number = 9;
    CUgraphNodeParams any = {.type = EMPTY_NODE};
    GOOD(cuStreamBeginCapture(stream));
    GOOD(cuStreamGetCaptureInfo(stream, &status, &id));
    GOOD(cuStreamGetCaptureInfo_v2(stream, &status, &same, &seen, &nodes, &number));
    CHECK(status == 1 && id == same && number == 0);
    GOOD(cuGraphAddNode(&empty, seen, NULL, 0, &any));
    GOOD(cuStreamUpdateCaptureDependencies(stream, &empty, 1, 1));
    GOOD(cuStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, &nodes, &number));
    CHECK(number == 1 && nodes[0] == empty);
    GOOD(cuStreamEndCapture(stream, &graph));
    CHECK(graph == seen);
    GOOD(cuGraphDestroy(graph));
}

static void check_old_graph(void)
{
    CUgraph graph;
    CUgraphNode filled, added, wrong, from[2], to[2];
    CUgraphExec exec;
    CUgraphExecUpdateResult result = 7;
    unsigned six = 6;
    char log[64] = "x";
    size_t number = 2;
    void *parameters[] = {&data, &five, &n};
    old_kernel kernel = {add, WORDS / 64, 1, 1, 64, 1, 1, 0, parameters, NULL}, read;
    CUDA_MEMSET_NODE_PARAMS fill = {data, 0, 30, 4, WORDS, 1};
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddMemsetNode(&filled, graph, NULL, 0, &fill, NULL));
    GOOD(cuGraphAddKernelNode(&added, graph, NULL, 0, &kernel));
    GOOD(cuGraphAddDependencies(graph, &filled, &added, 1));
    GOOD(cuGraphGetEdges(graph, from, to, &number));
    CHECK(number == 1 && from[0] == filled && to[0] == added);
    number = 2;
    GOOD(cuGraphNodeGetDependencies(added, from, &number));
    CHECK(number == 1 && from[0] == filled);
    number = 2;
    GOOD(cuGraphNodeGetDependentNodes(filled, to, &number));
    CHECK(number == 1 && to[0] == added);
    GOOD(cuGraphKernelNodeGetParams(added, &read));
    CHECK(read.func == add && read.gridDimX == WORDS / 64);
    wrong = added;
    GOOD(cuGraphInstantiate(&exec, graph, &wrong, log, sizeof log));
    CHECK(wrong == NULL && log[0] == '\0');
    parameters[1] = &six;
    GOOD(cuGraphExecKernelNodeSetParams(exec, added, &kernel));
    GOOD(cuGraphLaunch(exec, stream));
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuMemcpyDtoH(out, data, GRAPH_BYTES));
    CHECK(out[0] == 36);
    wrong = added;
    GOOD(cuGraphExecUpdate(exec, graph, &wrong, &result));
    CHECK(wrong == NULL && result == 0);
    GOOD(cuGraphKernelNodeSetParams(added, &kernel));
    EXPECT(cuGraphExecUpdate(exec, graph, NULL, &result), INVALID_VALUE);
    GOOD(cuGraphExecDestroy(exec));
    // A cycle cannot be ordered.
    GOOD(cuGraphRemoveDependencies(graph, &filled, &added, 1));
    CUgraphNode loop[2] = {filled, added}, back[2] = {added, filled};
    GOOD(cuGraphAddDependencies(graph, loop, back, 2));
    EXPECT(cuGraphInstantiate_v2(&exec, graph, &wrong, log, sizeof log), INVALID_VALUE);
    CHECK(wrong == filled || wrong == added);
    GOOD(cuGraphDestroy(graph));
}

int main(void)
{
    CUcontext context;
    CUmodule module;
    for (unsigned i = 0; i < WORDS; i++)
        in[i] = i * 7 + 2;
    GOOD(cuInit(0));
    GOOD(make_context(&context));
    GOOD(cuModuleLoadData(&module, graph_module));
    GOOD(cuModuleGetFunction(&add, module, "add"));
    GOOD(cuStreamCreate(&stream, 1));
    GOOD(cuStreamCreate(&second, 1));
    GOOD(cuMemAlloc(&data, GRAPH_BYTES));
    check_capture();
    check_dependencies();
    check_old_capture();
    check_old_graph();
    GOOD(cuMemFree(data));
    GOOD(cuStreamDestroy(second));
    GOOD(cuStreamDestroy(stream));
    GOOD(cuCtxDestroy(context));
    return verdict();
}
