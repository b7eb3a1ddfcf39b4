// Stream capture: what is asked of streams becomes a graph that does the same, and what cannot be
// captured says so with CUDA's codes.
#include "check.h"

#include <cstring>
#include <thread>

enum { COUNT = 128, BYTES = COUNT * sizeof(int) };

__global__ void add(int *at, int value)
{
    at[threadIdx.x] += value;
}

__global__ void sum(int *to, const int *a, const int *b)
{
    to[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

__device__ int table[COUNT];
static int *a, *b, *c, source[COUNT], result[COUNT], notes;
static cudaStream_t first, second;

static void note(void *argument)
{
    notes += *(int *)argument;
}

static int two = 2;

static void work(void)
{
    cudaEvent_t forked, joined;
    GOOD(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    GOOD(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    GOOD(cudaMemcpyAsync(a, source, BYTES, cudaMemcpyHostToDevice, first));
    add<<<1, COUNT, 0, first>>>(a, 10);
    GOOD(cudaEventRecord(forked, first));
    GOOD(cudaStreamWaitEvent(second, forked, 0));
    GOOD(cudaMemsetAsync(b, 1, BYTES, second));
    add<<<1, COUNT, 0, second>>>(b, 7);
    GOOD(cudaEventRecord(joined, second));
    GOOD(cudaMemcpyToSymbolAsync(table, source, BYTES, 0, cudaMemcpyHostToDevice, first));
    GOOD(cudaStreamWaitEvent(first, joined, 0));
    sum<<<1, COUNT, 0, first>>>(c, a, b);
    GOOD(cudaMemcpy2DAsync(result, 16, c, 16, 16, COUNT / 4, cudaMemcpyDeviceToHost, first));
    GOOD(cudaLaunchHostFunc(first, note, &two));
    GOOD(cudaGetLastError());
    GOOD(cudaEventDestroy(forked));
    GOOD(cudaEventDestroy(joined));
    cudaGetLastError();
}

static bool right(void)
{
    for (int i = 0; i < COUNT; i++)
        if (result[i] != source[i] + 10 + 0x01010101 + 7)
            return false;
    return true;
}

static enum cudaStreamCaptureStatus state(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    GOOD(cudaStreamIsCapturing(stream, &status));
    return status;
}

static void fork_and_join(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    work(); // on streams first
    GOOD(cudaStreamSynchronize(first));
    CHECK(right() && notes == 2);
    const enum cudaStreamCaptureMode modes[] = {
        cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed};
    for (enum cudaStreamCaptureMode mode : modes) {
        std::memset(result, 0, sizeof result);
        notes = 0;
        CHECK(state(first) == cudaStreamCaptureStatusNone);
        GOOD(cudaStreamBeginCapture(first, mode));
        EXPECT(cudaStreamBeginCapture(first, mode), cudaErrorIllegalState);
        cudaGetLastError();
        CHECK(state(first) == cudaStreamCaptureStatusActive);
        work();
        CHECK(state(second) == cudaStreamCaptureStatusActive);
        GOOD(cudaStreamEndCapture(first, &graph));
        CHECK(state(first) == cudaStreamCaptureStatusNone &&
              state(second) == cudaStreamCaptureStatusNone);
        GOOD(cudaDeviceSynchronize());
        CHECK(result[0] == 0 && notes == 0); // nothing has run
        size_t nodes = 0, edges = 0, roots = 0;
        GOOD(cudaGraphGetNodes(graph, NULL, &nodes));
        GOOD(cudaGraphGetEdges(graph, NULL, NULL, NULL, &edges));
        GOOD(cudaGraphGetRootNodes(graph, NULL, &roots));
        CHECK(nodes == 8 && edges == 8 && roots == 1);
        GOOD(cudaGraphInstantiate(&exec, graph, 0));
        for (int i = 0; i < 3; i++)
            GOOD(cudaGraphLaunch(exec, first));
        GOOD(cudaStreamSynchronize(first));
        CHECK(right() && notes == 6);
        // Captured again, with something else, the executable graph takes it.
        GOOD(cudaStreamBeginCapture(first, mode));
        two = 3;
        work();
        cudaGraph_t again;
        GOOD(cudaStreamEndCapture(first, &again));
        cudaGraphExecUpdateResultInfo info;
        GOOD(cudaGraphExecUpdate(exec, again, &info));
        GOOD(cudaGraphDestroy(again));
        GOOD(cudaGraphLaunch(exec, first));
        GOOD(cudaStreamSynchronize(first));
        CHECK(notes == 9);
        two = 2;
        GOOD(cudaGraphExecDestroy(exec));
        GOOD(cudaGraphDestroy(graph));
    }
}

// One thing more in a capture, and how it then ends.
static void spoil(int code, int end, cudaError_t (*what)(void))
{
    cudaGraph_t graph = NULL;
    GOOD(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    add<<<1, COUNT, 0, first>>>(a, 1);
    EXPECT(what(), code);
    if (end == cudaErrorStreamCaptureInvalidated) {
        CHECK(state(first) == cudaStreamCaptureStatusInvalidated);
        EXPECT(cudaMemsetAsync(a, 0, 4, first), cudaErrorStreamCaptureInvalidated);
    }
    EXPECT(cudaStreamEndCapture(first, &graph), end);
    CHECK((graph != NULL) == (end == 0));
    if (graph)
        GOOD(cudaGraphDestroy(graph));
    CHECK(state(first) == cudaStreamCaptureStatusNone);
    cudaGetLastError();
}

static cudaEvent_t event;

static cudaError_t wait_stream() { return cudaStreamSynchronize(first); }
static cudaError_t ask_stream() { return cudaStreamQuery(first); }
static cudaError_t wait_device() { return cudaDeviceSynchronize(); }
static cudaError_t allocate() { return cudaMalloc((void **)&c, 64); }
static cudaError_t release() { return cudaFree(c); }
static cudaError_t legacy() { return cudaMemset(b, 0, 4); }
static cudaError_t legacy_query() { return cudaStreamQuery(0); }
static cudaError_t legacy_state()
{
    enum cudaStreamCaptureStatus status;
    return cudaStreamIsCapturing(0, &status);
}
static cudaError_t isolated() { return cudaStreamWaitEvent(first, event, 0); }
static cudaError_t external() { return cudaStreamWaitEvent(first, event, cudaEventWaitExternal); }
static cudaError_t external_record()
{
    return cudaEventRecordWithFlags(event, first, cudaEventRecordExternal);
}
static void callback(cudaStream_t, cudaError_t, void *) {}
static cudaError_t add_callback() { return cudaStreamAddCallback(first, callback, NULL, 0); }
static cudaError_t captured_event()
{
    cudaError_t status = cudaEventRecord(event, first);
    return status == cudaSuccess ? cudaEventQuery(event) : cudaErrorUnknown;
}
static cudaError_t captured_wait() { return cudaEventSynchronize(event); }
static cudaError_t relaxed()
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    void *pointer;
    cudaError_t status = cudaThreadExchangeStreamCaptureMode(&mode);
    CHECK(status == cudaSuccess && mode == cudaStreamCaptureModeGlobal);
    status = cudaMalloc(&pointer, 64);
    CHECK(cudaFree(pointer) == cudaSuccess);
    GOOD(cudaThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == cudaStreamCaptureModeRelaxed);
    return status;
}
static cudaError_t unjoined()
{
    GOOD(cudaEventRecord(event, first));
    GOOD(cudaStreamWaitEvent(second, event, 0));
    add<<<1, COUNT, 0, second>>>(a, 1);
    return cudaGetLastError();
}
static cudaError_t joined_only()
{
    GOOD(cudaEventRecord(event, first));
    return cudaStreamWaitEvent(second, event, 0); // has no work of its own: nothing is lost
}
static cudaError_t ended_elsewhere()
{
    cudaGraph_t graph;
    joined_only();
    return cudaStreamEndCapture(second, &graph);
}
static cudaError_t merged()
{
    cudaEvent_t other;
    cudaGraph_t graph;
    GOOD(cudaEventCreate(&other));
    GOOD(cudaStreamBeginCapture(second, cudaStreamCaptureModeGlobal));
    GOOD(cudaEventRecord(other, second));
    cudaError_t status = cudaStreamWaitEvent(first, other, 0);
    EXPECT(cudaStreamEndCapture(second, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT(cudaStreamWaitEvent(second, other, 0), cudaErrorCapturedEvent);
    GOOD(cudaEventDestroy(other));
    return status;
}
static cudaError_t other_thread()
{
    cudaError_t status = cudaSuccess, memory = cudaSuccess;
    std::thread([&] {
        cudaGraph_t graph;
        status = cudaStreamEndCapture(first, &graph);
        enum cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
        cudaThreadExchangeStreamCaptureMode(&mode);
        void *pointer;
        memory = cudaMalloc(&pointer, 64); // not this thread's capture
        cudaFree(pointer);
    }).join();
    CHECK(memory == cudaSuccess);
    return status;
}
static cudaError_t thread_allocates()
{
    cudaError_t status = cudaSuccess;
    std::thread([&] {
        void *pointer;
        status = cudaMalloc(&pointer, 64);
    }).join();
    return status;
}

static void prohibited(void)
{
    int *kept = c;
    GOOD(cudaEventCreate(&event));
    GOOD(cudaEventRecord(event, first));
    const int unsupported = cudaErrorStreamCaptureUnsupported,
              invalid = cudaErrorStreamCaptureInvalidated,
              implicit = cudaErrorStreamCaptureImplicit;
    EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal), unsupported);
    EXPECT(cudaStreamBeginCapture(first, (enum cudaStreamCaptureMode)3), cudaErrorInvalidValue);
    cudaGraph_t none;
    EXPECT(cudaStreamEndCapture(first, &none), cudaErrorIllegalState);
    spoil(unsupported, invalid, wait_stream);
    spoil(unsupported, invalid, ask_stream);
    spoil(unsupported, invalid, wait_device);
    spoil(unsupported, invalid, allocate);
    spoil(unsupported, invalid, release);
    spoil(unsupported, invalid, add_callback);
    spoil(unsupported, invalid, thread_allocates);
    spoil(implicit, invalid, legacy);
    spoil(implicit, invalid, legacy_query);
    spoil(implicit, 0, legacy_state);
    spoil(cudaErrorStreamCaptureIsolation, invalid, isolated);
    spoil(0, 0, external);
    spoil(0, 0, external_record);
    spoil(0, 0, relaxed);
    spoil(0, 0, joined_only);
    spoil(0, cudaErrorStreamCaptureUnjoined, unjoined);
    spoil(cudaErrorStreamCaptureUnmatched, invalid, ended_elsewhere);
    spoil(cudaErrorStreamCaptureMerge, invalid, merged);
    spoil(cudaErrorStreamCaptureWrongThread, 0, other_thread);
    spoil(cudaErrorCapturedEvent, 0, captured_event);
    spoil(cudaErrorCapturedEvent, 0, captured_wait);
    GOOD(cudaEventRecord(event, first));
    GOOD(cudaEventSynchronize(event));
    // A non-blocking stream does not care about the legacy one.
    cudaStream_t apart;
    GOOD(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    GOOD(cudaStreamBeginCapture(apart, cudaStreamCaptureModeGlobal));
    GOOD(cudaMemset(b, 0, 4));
    GOOD(cudaStreamDestroy(apart)); // and its capture with it
    GOOD(cudaEventDestroy(event));
    c = kept;
}

// What of a capture can be read and changed, captures into a graph, graphs in captures, memory.
static void inside(void)
{
    cudaGraph_t graph, captured, outer;
    cudaGraphNode_t node, list[2];
    cudaGraphExec_t exec;
    const cudaGraphNode_t *waits;
    const cudaGraphEdgeData *edges;
    unsigned long long id = 0, other_id = 0;
    size_t count = 9;
    enum cudaStreamCaptureStatus status;
    GOOD(cudaMemset(a, 0, BYTES));
    GOOD(cudaStreamGetCaptureInfo(first, &status, &id, NULL, NULL, NULL, NULL));
    CHECK(status == cudaStreamCaptureStatusNone && id == 0);
    GOOD(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    add<<<1, COUNT, 0, first>>>(a, 1);
    GOOD(cudaStreamGetCaptureInfo(first, &status, &id, &captured, &waits, &edges, &count));
    CHECK(status == cudaStreamCaptureStatusActive && id != 0 && count == 1);
    EXPECT(cudaGraphDestroyNode(waits[0]), cudaErrorIllegalState);
    EXPECT(cudaGraphDestroy(captured), cudaErrorInvalidValue);
    cudaGraphNode_t before = waits[0];
    GOOD(cudaGraphAddEmptyNode(&node, captured, NULL, 0));
    GOOD(cudaStreamUpdateCaptureDependencies(first, &node, NULL, 1, cudaStreamAddCaptureDependencies));
    GOOD(cudaStreamGetCaptureInfo(first, &status, &other_id, &captured, &waits, &edges, &count));
    CHECK(other_id == id && count == 2 && waits[0] == before && waits[1] == node);
    GOOD(cudaStreamUpdateCaptureDependencies(first, &node, NULL, 1, cudaStreamSetCaptureDependencies));
    EXPECT(cudaStreamUpdateCaptureDependencies(second, &node, NULL, 1, 0), cudaErrorIllegalState);
    EXPECT(cudaStreamUpdateCaptureDependencies(first, &node, NULL, 1, 2), cudaErrorInvalidValue);
    add<<<1, COUNT, 0, first>>>(a, 1);
    GOOD(cudaStreamEndCapture(first, &graph));
    CHECK(graph == captured);
    count = 2;
    GOOD(cudaGraphGetRootNodes(graph, list, &count));
    CHECK(count == 2);
    // Into a graph that is there, behind one of its nodes
    GOOD(cudaStreamBeginCaptureToGraph(first, graph, &node, NULL, 1, cudaStreamCaptureModeRelaxed));
    EXPECT(cudaStreamBeginCaptureToGraph(second, graph, &node, NULL, 1, cudaStreamCaptureModeRelaxed),
           cudaErrorIllegalState);
    add<<<1, COUNT, 0, first>>>(a, 100);
    GOOD(cudaStreamEndCapture(first, &captured));
    CHECK(captured == graph);
    GOOD(cudaGraphNodeGetDependentNodes(node, NULL, NULL, &count));
    CHECK(count == 2);
    // Launched in a capture, it is a child.
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    GOOD(cudaGraphLaunch(exec, first));
    GOOD(cudaGraphLaunch(exec, first));
    int *own;
    GOOD(cudaMallocAsync((void **)&own, BYTES, first));
    GOOD(cudaMemsetAsync(own, 0, BYTES, first));
    sum<<<1, COUNT, 0, first>>>(b, a, own);
    GOOD(cudaFreeAsync(own, first));
    GOOD(cudaStreamEndCapture(first, &outer));
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphInstantiate(&exec, outer, 0));
    GOOD(cudaGraphLaunch(exec, first));
    GOOD(cudaGraphLaunch(exec, first));
    GOOD(cudaMemcpy(result, b, BYTES, cudaMemcpyDeviceToHost));
    CHECK(result[0] == 408 && result[COUNT - 1] == 408);
    size_t nodes = 0;
    enum cudaGraphNodeType type;
    cudaGraphNode_t all[8];
    nodes = 8;
    GOOD(cudaGraphGetNodes(outer, all, &nodes));
    GOOD(cudaGraphNodeGetType(all[0], &type));
    CHECK(nodes == 6 && type == cudaGraphNodeTypeGraph);
    GOOD(cudaGraphNodeGetType(all[2], &type));
    CHECK(type == cudaGraphNodeTypeMemAlloc);
    GOOD(cudaGraphNodeGetType(all[5], &type));
    CHECK(type == cudaGraphNodeTypeMemFree);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(outer));
    GOOD(cudaGraphDestroy(graph));
    cudaGetLastError();
}

// Events that a graph records and waits for, and rows and slices that are filled.
static void nodes(void)
{
    cudaGraph_t graph;
    cudaGraphNode_t all[8];
    enum cudaGraphNodeType type;
    size_t count = 8;
    cudaPitchedPtr box;
    unsigned char host[1024 * 6];
    GOOD(cudaMalloc3D(&box, make_cudaExtent(20, 3, 2)));
    GOOD(cudaMemset(box.ptr, 0, box.pitch * 6));
    GOOD(cudaEventCreate(&event));
    GOOD(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    GOOD(cudaEventRecordWithFlags(event, first, cudaEventRecordExternal));
    GOOD(cudaMemset3DAsync(box, 5, make_cudaExtent(20, 2, 2), first));
    GOOD(cudaMemset2DAsync(box.ptr, box.pitch, 6, 3, 2, first));
    cudaMemcpy3DParms params;
    std::memset(&params, 0, sizeof params);
    params.srcPtr = box;
    params.dstPtr = make_cudaPitchedPtr(host, 20, 20, 2);
    params.extent = make_cudaExtent(20, 2, 2);
    params.kind = cudaMemcpyDeviceToHost;
    GOOD(cudaMemcpy3DAsync(&params, first));
    GOOD(cudaStreamEndCapture(first, &graph));
    GOOD(cudaGraphGetNodes(graph, all, &count));
    CHECK(count == 5);
    GOOD(cudaGraphNodeGetType(all[0], &type));
    CHECK(type == cudaGraphNodeTypeEventRecord);
    cudaGraphExec_t exec;
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphLaunch(exec, first));
    GOOD(cudaEventSynchronize(event));
    GOOD(cudaStreamSynchronize(first));
    for (int i = 0; i < 80; i++)
        CHECK(host[i] == (i % 20 < 3 && i < 40 ? 6 : 5));
    GOOD(cudaMemcpy(host, box.ptr, box.pitch * 6, cudaMemcpyDeviceToHost));
    CHECK(host[20] == 0 && host[box.pitch * 2] == 0 && host[box.pitch * 4 + 19] == 5);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaFree(box.ptr));
    GOOD(cudaEventDestroy(event));
}

// A stream that the first one waits for again has done its part: it may go before the capture ends.
// One whose work nothing waits for takes that work out of reach.
static void destroyed(void)
{
    cudaStream_t side, inner;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    GOOD(cudaEventCreate(&fork));
    GOOD(cudaEventCreate(&join));
    for (int joins = 1; joins >= 0; joins--) {
        GOOD(cudaStreamCreate(&side));
        GOOD(cudaStreamCreate(&inner));
        GOOD(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
        GOOD(cudaMemsetAsync(a, 0, BYTES, first));
        GOOD(cudaEventRecord(fork, first));
        GOOD(cudaStreamWaitEvent(side, fork, 0));
        add<<<1, COUNT, 0, side>>>(a, 1);
        GOOD(cudaEventRecord(fork, side));
        GOOD(cudaStreamWaitEvent(inner, fork, 0));
        add<<<1, COUNT, 0, inner>>>(a, 2);
        // The inner one joins the side, and the side the first.
        GOOD(cudaEventRecord(join, inner));
        GOOD(cudaStreamWaitEvent(side, join, 0));
        GOOD(cudaStreamDestroy(inner));
        add<<<1, COUNT, 0, side>>>(a, 4);
        GOOD(cudaEventRecord(join, side));
        if (joins)
            GOOD(cudaStreamWaitEvent(first, join, 0));
        GOOD(cudaStreamDestroy(side));
        if (!joins) {
            EXPECT(cudaStreamEndCapture(first, &graph), cudaErrorStreamCaptureInvalidated);
            continue;
        }
        add<<<1, COUNT, 0, first>>>(a, 8);
        GOOD(cudaStreamEndCapture(first, &graph));
        GOOD(cudaGraphInstantiate(&exec, graph, 0));
        GOOD(cudaGraphLaunch(exec, first));
        GOOD(cudaMemcpyAsync(result, a, BYTES, cudaMemcpyDeviceToHost, first));
        GOOD(cudaStreamSynchronize(first));
        CHECK(result[0] == 15 && result[COUNT - 1] == 15);
        GOOD(cudaGraphExecDestroy(exec));
        GOOD(cudaGraphDestroy(graph));
    }
    GOOD(cudaEventDestroy(fork));
    GOOD(cudaEventDestroy(join));
    cudaGetLastError();
}

// Host threads that capture, launch and allocate at once do not disturb each other.
static void one_thread(int number, bool *good)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *at, host[COUNT];
    *good = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess;
    for (int round = 0; round < 5 && *good; round++) {
        *good &= cudaMallocAsync((void **)&at, BYTES, stream) == cudaSuccess;
        *good &= cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
        *good &= cudaMemsetAsync(at, 0, BYTES, stream) == cudaSuccess;
        for (int i = 0; i < number; i++)
            add<<<1, COUNT, 0, stream>>>(at, i + 1);
        *good &= cudaMemcpyAsync(host, at, BYTES, cudaMemcpyDeviceToHost, stream) == cudaSuccess;
        *good &= cudaStreamEndCapture(stream, &graph) == cudaSuccess;
        *good &= cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess;
        *good &= cudaGraphLaunch(exec, stream) == cudaSuccess;
        *good &= cudaStreamSynchronize(stream) == cudaSuccess;
        *good &= host[0] == number * (number + 1) / 2 && host[COUNT - 1] == host[0];
        *good &= cudaGraphExecDestroy(exec) == cudaSuccess && cudaGraphDestroy(graph) == cudaSuccess;
        *good &= cudaFreeAsync(at, stream) == cudaSuccess;
    }
    *good &= cudaStreamDestroy(stream) == cudaSuccess;
}

static void threads(void)
{
    enum { THREADS = 4 };
    std::thread hosts[THREADS];
    bool good[THREADS];
    for (int i = 0; i < THREADS; i++)
        hosts[i] = std::thread(one_thread, i + 1, &good[i]);
    for (int i = 0; i < THREADS; i++) {
        hosts[i].join();
        CHECK(good[i]);
    }
}

int main(int argc, char **argv)
{
    GOOD(cudaMalloc((void **)&a, BYTES));
    GOOD(cudaMalloc((void **)&b, BYTES));
    GOOD(cudaMalloc((void **)&c, BYTES));
    GOOD(cudaStreamCreate(&first));
    GOOD(cudaStreamCreate(&second));
    for (int i = 0; i < COUNT; i++)
        source[i] = i * i;
    fork_and_join();
    prohibited();
    inside();
    nodes();
    destroyed();
    if (argc > 1 && std::strcmp(argv[1], "threads") == 0)
        threads(); // whose order is nobody's
    GOOD(cudaDeviceSynchronize());
    return verdict();
}
