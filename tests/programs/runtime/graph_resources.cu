// What graphs hold on to and work with: events, arrays, objects of the program, memory that their
// nodes allocate; and nodes of any kind by one call.
#include "graphs.h"

static void events(void)
{
    cudaGraph_t graph;
    cudaGraphNode_t record, wait, kernel;
    cudaEvent_t first, second, read;
    float milliseconds = -1;
    int two = 2;
    void *arguments[] = {&b, &two};
    GOOD(cudaEventCreate(&first));
    GOOD(cudaEventCreate(&second));
    GOOD(cudaGraphCreate(&graph, 0));
    GOOD(cudaGraphAddEventRecordNode(&record, graph, NULL, 0, first));
    cudaKernelNodeParams params = kernel_node((void *)scale, arguments);
    GOOD(cudaGraphAddKernelNode(&kernel, graph, &record, 1, &params));
    GOOD(cudaGraphAddEventRecordNode(&record, graph, &kernel, 1, first));
    GOOD(cudaGraphEventRecordNodeSetEvent(record, second));
    GOOD(cudaGraphEventRecordNodeGetEvent(record, &read));
    CHECK(read == second);
    GOOD(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, second));
    GOOD(cudaGraphEventWaitNodeSetEvent(wait, first));
    GOOD(cudaGraphEventWaitNodeGetEvent(wait, &read));
    CHECK(read == first);
    EXPECT(cudaGraphEventRecordNodeGetEvent(wait, &read), cudaErrorInvalidValue);
    EXPECT(cudaEventElapsedTime(&milliseconds, first, second), cudaErrorInvalidResourceHandle);
    cudaGraphExec_t exec;
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphExecEventRecordNodeSetEvent(exec, record, second));
    GOOD(cudaGraphExecEventWaitNodeSetEvent(exec, wait, second));
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaEventSynchronize(second));
    GOOD(cudaEventElapsedTime(&milliseconds, first, second));
    CHECK(milliseconds > 0);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaEventDestroy(first));
    GOOD(cudaEventDestroy(second));
    cudaGetLastError();
}

// The general form of adding and changing, with packed parameters.
static void generic(void)
{
    cudaGraph_t graph;
    cudaGraphNode_t fill, kernel;
    cudaGraphExec_t exec;
    cudaGraphNodeParams params = {cudaGraphNodeTypeMemset};
    GOOD(cudaGraphCreate(&graph, 0));
    params.memset.dst = b;
    params.memset.value = 6;
    params.memset.elementSize = 4;
    params.memset.width = COUNT;
    params.memset.height = 1;
    GOOD(cudaGraphAddNode(&fill, graph, NULL, NULL, 0, &params));
    struct { int *at; int by; } packed = {b, 7};
    size_t size = 12;
    void *extra[] = {(void *)1, &packed, (void *)2, &size, 0};
    std::memset((void *)&params, 0, sizeof params);
    params.type = cudaGraphNodeTypeKernel;
    params.kernel.func = (void *)scale;
    params.kernel.gridDim = dim3(COUNT / 64);
    params.kernel.blockDim = dim3(64);
    params.kernel.extra = extra;
    GOOD(cudaGraphAddNode(&kernel, graph, &fill, NULL, 1, &params));
    run(graph);
    GOOD(cudaMemcpy(host_out, b, BYTES, cudaMemcpyDeviceToHost));
    CHECK(host_out[0] == 42 && host_out[COUNT - 1] == 42);
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    packed.by = 8;
    GOOD(cudaGraphExecNodeSetParams(exec, kernel, &params));
    EXPECT(cudaGraphExecNodeSetParams(exec, fill, &params), cudaErrorInvalidValue);
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaMemcpy(host_out, b, BYTES, cudaMemcpyDeviceToHost));
    CHECK(host_out[5] == 48);
    packed.by = 9;
    GOOD(cudaGraphNodeSetParams(kernel, &params));
    run(graph);
    GOOD(cudaMemcpy(host_out, b, BYTES, cudaMemcpyDeviceToHost));
    CHECK(host_out[5] == 54);
    cudaKernelNodeAttrValue value, read;
    std::memset(&value, 0, sizeof value);
    value.priority = -2;
    GOOD(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributePriority, &value));
    GOOD(cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributePriority, &read));
    CHECK(read.priority == -2);
    cudaGraphNode_t other;
    GOOD(cudaGraphAddNode(&other, graph, NULL, NULL, 0, &params));
    GOOD(cudaGraphKernelNodeCopyAttributes(other, kernel));
    GOOD(cudaGraphKernelNodeGetAttribute(other, cudaLaunchAttributePriority, &read));
    CHECK(read.priority == -2);
    GOOD(cudaGraphKernelNodeSetParams(other, (cudaKernelNodeParams *)&params.kernel));
    GOOD(cudaGraphKernelNodeGetAttribute(other, cudaLaunchAttributePriority, &read));
    CHECK(read.priority == -2); // new parameters keep the attributes
    EXPECT(cudaGraphKernelNodeGetAttribute(fill, cudaLaunchAttributePriority, &read),
           cudaErrorInvalidValue);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(graph));
    cudaGetLastError();
}

// Objects that graphs hold on to go with the last graph.
static void destroy(void *argument)
{
    (*(int *)argument)++;
}

static void objects(void)
{
    cudaGraph_t graph, clone;
    cudaUserObject_t object, other;
    int destroyed = 0, released = 0;
    GOOD(cudaGraphCreate(&graph, 0));
    EXPECT(cudaUserObjectCreate(&object, &destroyed, destroy, 1, 0), cudaErrorInvalidValue);
    GOOD(cudaUserObjectCreate(&object, &destroyed, destroy, 1, cudaUserObjectNoDestructorSync));
    GOOD(cudaUserObjectCreate(&other, &released, destroy, 2, cudaUserObjectNoDestructorSync));
    GOOD(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    GOOD(cudaGraphRetainUserObject(graph, other, 2, 0));
    GOOD(cudaUserObjectRetain(other, 1));
    GOOD(cudaUserObjectRelease(other, 3));
    EXPECT(cudaGraphReleaseUserObject(graph, other, 3), cudaErrorInvalidValue);
    GOOD(cudaGraphReleaseUserObject(graph, other, 1));
    GOOD(cudaDeviceSynchronize());
    CHECK(destroyed == 0 && released == 0);
    GOOD(cudaGraphReleaseUserObject(graph, other, 1));
    GOOD(cudaDeviceSynchronize());
    CHECK(released == 1);
    GOOD(cudaGraphClone(&clone, graph));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaDeviceSynchronize());
    CHECK(destroyed == 0);
    GOOD(cudaGraphDestroy(clone));
    GOOD(cudaDeviceSynchronize());
    CHECK(destroyed == 1);
    EXPECT(cudaUserObjectRelease(object, 1), cudaErrorInvalidValue);
    cudaGetLastError();
}

static unsigned long long attribute(enum cudaGraphMemAttributeType which)
{
    unsigned long long value = 99;
    GOOD(cudaDeviceGetGraphMemAttribute(0, which, &value));
    return value;
}

// Memory that the graph's own nodes allocate and free.
static void memory(void)
{
    cudaGraph_t graph, clone, freeing;
    cudaGraphNode_t allocate, fill, out, release, node;
    cudaGraphExec_t exec, second, frees;
    cudaMemAllocNodeParams params, read;
    std::memset(&params, 0, sizeof params);
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = 4096;
    GOOD(cudaGraphCreate(&graph, 0));
    GOOD(cudaGraphAddMemAllocNode(&allocate, graph, NULL, 0, &params));
    int *at = (int *)params.dptr;
    CHECK(at != NULL);
    GOOD(cudaGraphMemAllocNodeGetParams(allocate, &read));
    CHECK(read.dptr == at && read.bytesize == 4096);
    cudaMemsetParams set = {at, 0, 77, 4, 1024, 1};
    GOOD(cudaGraphAddMemsetNode(&fill, graph, &allocate, 1, &set));
    GOOD(cudaGraphAddMemcpyNode1D(&out, graph, &fill, 1, host_out, at, BYTES,
                                  cudaMemcpyDeviceToHost));
    CHECK(attribute(cudaGraphMemAttrUsedMemCurrent) == 0);
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT(cudaGraphInstantiate(&second, graph, 0), cudaErrorNotSupported);
    EXPECT(cudaGraphClone(&clone, graph), cudaErrorNotSupported);
    EXPECT(cudaGraphDestroyNode(out), cudaErrorNotSupported);
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(host_out[0] == 77 && host_out[COUNT - 1] == 77);
    CHECK(attribute(cudaGraphMemAttrUsedMemCurrent) == 4096);
    EXPECT(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue); // not freed yet
    GOOD(cudaMemcpy(host_out, at + 1000, 4, cudaMemcpyDeviceToHost));
    GOOD(cudaFreeAsync(at, stream));
    EXPECT(cudaFree(at), cudaErrorInvalidValue);
    GOOD(cudaGraphLaunch(exec, stream));
    // A graph that frees what another allocated
    GOOD(cudaGraphCreate(&freeing, 0));
    GOOD(cudaGraphAddMemFreeNode(&node, freeing, NULL, 0, at));
    void *freed = NULL;
    GOOD(cudaGraphMemFreeNodeGetParams(node, &freed));
    CHECK(freed == at);
    GOOD(cudaGraphInstantiate(&frees, freeing, 0));
    GOOD(cudaGraphLaunch(frees, stream));
    EXPECT(cudaGraphLaunch(frees, stream), cudaErrorInvalidValue);
    CHECK(attribute(cudaGraphMemAttrUsedMemCurrent) == 0);
    CHECK(attribute(cudaGraphMemAttrReservedMemCurrent) == 4096);
    CHECK(attribute(cudaGraphMemAttrReservedMemHigh) == 4096);
    GOOD(cudaDeviceGraphMemTrim(0));
    CHECK(attribute(cudaGraphMemAttrReservedMemCurrent) == 0);
    CHECK(attribute(cudaGraphMemAttrUsedMemHigh) == 4096);
    unsigned long long zero = 0;
    GOOD(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    CHECK(attribute(cudaGraphMemAttrUsedMemHigh) == 0);
    EXPECT(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero),
           cudaErrorInvalidValue);
    EXPECT(cudaDeviceGraphMemTrim(1), cudaErrorInvalidDevice);
    // Freed at every launch, or in the graph itself
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaFree(at));
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphAddMemFreeNode(&release, graph, &out, 1, at));
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphExecDestroy(frees));
    GOOD(cudaGraphDestroy(freeing));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaDeviceSynchronize());
    EXPECT(cudaFree(at), cudaErrorInvalidValue);
    EXPECT(cudaGraphAddMemFreeNode(&node, graph, NULL, 0, at), cudaErrorInvalidValue);
    cudaGetLastError();
}

// Copies from and to arrays, as nodes and captured: the same as the calls in a stream do.
static void arrays(void)
{
    enum { WIDE = 16, HIGH = 8, SLICES = 2, TEXELS = WIDE * HIGH * SLICES };
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t first, second, other;
    cudaGraph_t graph, captured;
    cudaGraphNode_t in, across, out;
    cudaGraphExec_t exec;
    cudaMemcpy3DParms copy, read;
    int from[TEXELS], to[TEXELS];
    for (int i = 0; i < TEXELS; i++)
        from[i] = i * 5 + 1;
    GOOD(cudaMalloc3DArray(&first, &format, make_cudaExtent(WIDE, HIGH, SLICES)));
    GOOD(cudaMalloc3DArray(&second, &format, make_cudaExtent(WIDE, HIGH, SLICES)));
    GOOD(cudaMallocArray(&other, &format, WIDE, HIGH));
    GOOD(cudaGraphCreate(&graph, 0));
    std::memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_cudaPitchedPtr(from, WIDE * 4, WIDE, HIGH);
    copy.dstArray = first;
    copy.extent = make_cudaExtent(WIDE, HIGH, SLICES);
    copy.kind = cudaMemcpyHostToDevice;
    GOOD(cudaGraphAddMemcpyNode(&in, graph, NULL, 0, &copy));
    GOOD(cudaGraphMemcpyNodeGetParams(in, &read));
    CHECK(read.dstArray == first && read.srcPtr.ptr == from && read.extent.depth == SLICES);
    // A box out of the middle, one texel to the right and a row further down.
    std::memset(&copy, 0, sizeof copy);
    copy.srcArray = first;
    copy.srcPos = make_cudaPos(3, 2, 0);
    copy.dstArray = second;
    copy.dstPos = make_cudaPos(4, 3, 1);
    copy.extent = make_cudaExtent(6, 4, 1);
    copy.kind = cudaMemcpyDeviceToDevice;
    GOOD(cudaGraphAddMemcpyNode(&across, graph, &in, 1, &copy));
    copy.extent.width = WIDE;
    EXPECT(cudaGraphAddMemcpyNode(&out, graph, &in, 1, &copy), cudaErrorInvalidValue);
    std::memset(&copy, 0, sizeof copy);
    copy.srcArray = second;
    copy.dstPtr = make_cudaPitchedPtr(to, WIDE * 4, WIDE, HIGH);
    copy.extent = make_cudaExtent(WIDE, HIGH, SLICES);
    copy.kind = cudaMemcpyDeviceToHost;
    GOOD(cudaGraphAddMemcpyNode(&out, graph, &across, 1, &copy));
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaStreamSynchronize(stream));
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 6; x++)
            CHECK(to[(HIGH + y + 3) * WIDE + x + 4] == from[(y + 2) * WIDE + x + 3]);
    // Out of the first one; a shape or a side that is another does not do.
    copy.srcArray = first;
    GOOD(cudaGraphExecMemcpyNodeSetParams(exec, out, &copy));
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(std::memcmp(from, to, sizeof from) == 0);
    copy.extent.depth = 1;
    EXPECT(cudaGraphExecMemcpyNodeSetParams(exec, out, &copy), cudaErrorInvalidValue);
    EXPECT(cudaGraphExecMemcpyNodeSetParams1D(exec, out, to, a, 64, cudaMemcpyDeviceToHost),
           cudaErrorInvalidValue);
    GOOD(cudaGraphExecDestroy(exec));
    // Captured, in rows, lines and boxes.
    std::memset(to, 0, sizeof to);
    GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    GOOD(cudaMemcpy2DToArrayAsync(other, 0, 0, from, WIDE * 4, WIDE * 4, HIGH,
                                  cudaMemcpyHostToDevice, stream));
    GOOD(cudaMemcpy2DFromArrayAsync(to, WIDE * 4, other, 8, 1, 20, 3, cudaMemcpyDeviceToHost,
                                    stream));
    GOOD(cudaMemcpyFromArrayAsync(to + 64, other, 4, 2, 100, cudaMemcpyDeviceToHost, stream));
    copy.srcArray = other;
    copy.dstPtr = make_cudaPitchedPtr(to + 128, WIDE * 4, WIDE, HIGH);
    copy.extent = make_cudaExtent(WIDE, HIGH, 0);
    GOOD(cudaMemcpy3DAsync(&copy, stream)); // of no slice: nothing
    EXPECT(cudaMemcpy2DToArrayAsync(other, 0, 0, from, WIDE * 4, WIDE * 4, HIGH + 1,
                                    cudaMemcpyHostToDevice, stream),
           cudaErrorInvalidValue);
    GOOD(cudaStreamEndCapture(stream, &captured));
    CHECK(to[0] == 0);
    run(captured);
    for (int y = 0; y < 3; y++)
        CHECK(std::memcmp(to + y * WIDE, from + (y + 1) * WIDE + 2, 20) == 0);
    CHECK(std::memcmp(to + 64, from + 2 * WIDE + 1, 100) == 0);
    // What is freed meanwhile is found before anything runs.
    GOOD(cudaGraphInstantiate(&exec, captured, 0));
    GOOD(cudaFreeArray(other));
    EXPECT(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(captured));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaFreeArray(first));
    GOOD(cudaFreeArray(second));
    cudaGetLastError();
}

// Prefetching is no work that a graph could hold.
static void prefetching(void)
{
    int *managed;
    cudaGraph_t graph;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    GOOD(cudaMallocManaged((void **)&managed, 4096));
    GOOD(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT(cudaMemPrefetchAsync(managed, 4096, device, 0, stream),
           cudaErrorStreamCaptureUnsupported);
    EXPECT(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    GOOD(cudaMemPrefetchAsync(managed, 4096, device, 0, stream));
    GOOD(cudaStreamSynchronize(stream));
    GOOD(cudaFree(managed));
    cudaGetLastError();
}

int main()
{
    GOOD(cudaMalloc((void **)&a, BYTES));
    GOOD(cudaMalloc((void **)&b, BYTES));
    GOOD(cudaStreamCreate(&stream));
    for (int i = 0; i < COUNT; i++)
        host_in[i] = i * 3 + 1;
    events();
    generic();
    objects();
    memory();
    arrays();
    prefetching();
    GOOD(cudaDeviceSynchronize());
    return verdict();
}
