// Graphs built node by node: every kind of node does what the call on a stream does, in an order
// that keeps what was asked, before and after changes to the executable graph.
#include "graphs.h"

static void note(void *argument)
{
    for (int i = 0; i < COUNT; i++)
        *(int *)argument += host_out[i];
}

// host -> a, b = a + 5, b *= 3, -> host, a host function that sums; and the same changed twice.
static void pipeline(void)
{
    cudaGraph_t graph, clone;
    cudaGraphNode_t in, added, scaled, out, summed, found;
    cudaGraphExec_t exec;
    int five = 5, three = 3, sum = 0, other = 0, seven = 7;
    void *add_arguments[] = {&b, &a, &five}, *scale_arguments[] = {&b, &three};
    GOOD(cudaGraphCreate(&graph, 0));
    GOOD(cudaGraphAddMemcpyNode1D(&in, graph, NULL, 0, a, host_in, BYTES, cudaMemcpyHostToDevice));
    cudaKernelNodeParams params = kernel_node((void *)add, add_arguments);
    GOOD(cudaGraphAddKernelNode(&added, graph, &in, 1, &params));
    five = 1000; // the node has taken its copy
    params = kernel_node((void *)scale, scale_arguments);
    GOOD(cudaGraphAddKernelNode(&scaled, graph, &added, 1, &params));
    GOOD(cudaGraphAddMemcpyNode1D(&out, graph, &scaled, 1, host_out, b, BYTES,
                                  cudaMemcpyDeviceToHost));
    cudaHostNodeParams host = {note, &sum};
    GOOD(cudaGraphAddHostNode(&summed, graph, &out, 1, &host));
    run(graph);
    int wanted = 0;
    for (int i = 0; i < COUNT; i++) {
        CHECK(host_out[i] == (host_in[i] + 5) * 3);
        wanted += host_out[i];
    }
    CHECK(sum == wanted);
    // Changing the graph does not touch what is instantiated.
    GOOD(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    GOOD(cudaGraphClone(&clone, graph));
    GOOD(cudaGraphNodeFindInClone(&found, added, clone));
    CHECK(found != added);
    cudaKernelNodeParams read;
    GOOD(cudaGraphKernelNodeGetParams(added, &read));
    CHECK(read.func == (void *)add && read.gridDim.x == COUNT / 64 && read.blockDim.x == 64 &&
          *(int *)read.kernelParams[2] == 5 && *(int **)read.kernelParams[0] == b);
    add_arguments[2] = &seven;
    params = kernel_node((void *)add, add_arguments);
    GOOD(cudaGraphKernelNodeSetParams(added, &params));
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(host_out[9] == (host_in[9] + 5) * 3);
    // ... until it is told.
    cudaGraphExecUpdateResultInfo info;
    GOOD(cudaGraphExecUpdate(exec, graph, &info));
    CHECK(info.result == cudaGraphExecUpdateSuccess);
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(host_out[9] == (host_in[9] + 7) * 3);
    params = kernel_node((void *)scale, scale_arguments);
    three = 10;
    GOOD(cudaGraphExecKernelNodeSetParams(exec, scaled, &params));
    host.userData = &other;
    GOOD(cudaGraphExecHostNodeSetParams(exec, summed, &host));
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(host_out[9] == (host_in[9] + 7) * 10 && other != 0);
    // The graph's own node has the first place still, until it is given another.
    cudaHostNodeParams got = {};
    GOOD(cudaGraphHostNodeGetParams(summed, &got));
    CHECK(got.fn == note && got.userData == &sum);
    GOOD(cudaGraphHostNodeSetParams(summed, &host));
    GOOD(cudaGraphHostNodeGetParams(summed, &got));
    CHECK(got.userData == &other);
    EXPECT(cudaGraphHostNodeGetParams(added, &got), cudaErrorInvalidValue);
    EXPECT(cudaGraphHostNodeSetParams(added, &host), cudaErrorInvalidValue);
    // A node that is passed over, and one that cannot be.
    unsigned enabled = 9;
    GOOD(cudaGraphNodeSetEnabled(exec, scaled, 0));
    GOOD(cudaGraphNodeGetEnabled(exec, scaled, &enabled));
    CHECK(enabled == 0);
    EXPECT(cudaGraphNodeSetEnabled(exec, summed, 0), cudaErrorInvalidValue);
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(host_out[9] == host_in[9] + 7);
    run(clone); // as the graph was
    CHECK(host_out[9] == (host_in[9] + 5) * 3);
    unsigned long long flags = 7;
    GOOD(cudaGraphExecGetFlags(exec, &flags));
    CHECK(flags == 0);
    GOOD(cudaGraphUpload(exec, stream));
    GOOD(cudaGraphExecDestroy(exec));
    EXPECT(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
    GOOD(cudaGraphDestroy(graph));
    EXPECT(cudaGraphDestroy(graph), cudaErrorInvalidValue);
    EXPECT(cudaGraphDestroyNode(added), cudaErrorInvalidValue);
    GOOD(cudaGraphDestroy(clone));
    cudaGetLastError();
}

static cudaGraphNode_t appending(cudaGraph_t graph, int *list, int *length, int value)
{
    cudaGraphNode_t node;
    void *arguments[] = {&list, &length, &value};
    cudaKernelNodeParams params = kernel_node((void *)append, arguments, 1, 1);
    GOOD(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params));
    return node;
}

// Edges decide the order, and a child graph runs where its node is.
static void order(void)
{
    enum { NODES = 6 };
    int *list, *length, host[16];
    cudaGraph_t graph, child, inside;
    cudaGraphNode_t nodes[NODES], below, empty, roots[8], from[16], to[16];
    GOOD(cudaMalloc((void **)&list, sizeof host));
    GOOD(cudaMalloc((void **)&length, sizeof(int)));
    GOOD(cudaMemset(length, 0, sizeof(int)));
    GOOD(cudaGraphCreate(&graph, 0));
    GOOD(cudaGraphCreate(&child, 0));
    for (int i = 0; i < NODES; i++)
        nodes[i] = appending(graph, list, length, i);
    cudaGraphNode_t first = appending(child, list, length, 100);
    cudaGraphNode_t second = appending(child, list, length, 101);
    GOOD(cudaGraphAddDependencies(child, &second, &first, NULL, 1));
    // 5 -> 4 -> ... -> 0, with the child between 3 and 2
    for (int i = NODES; i-- > 1;)
        GOOD(cudaGraphAddDependencies(graph, &nodes[i], &nodes[i - 1], NULL, 1));
    EXPECT(cudaGraphAddDependencies(graph, &nodes[1], &nodes[0], NULL, 1), cudaErrorInvalidValue);
    GOOD(cudaGraphRemoveDependencies(graph, &nodes[3], &nodes[2], NULL, 1));
    EXPECT(cudaGraphRemoveDependencies(graph, &nodes[3], &nodes[2], NULL, 1),
           cudaErrorInvalidValue);
    GOOD(cudaGraphAddChildGraphNode(&below, graph, &nodes[3], 1, child));
    GOOD(cudaGraphAddEmptyNode(&empty, graph, &below, 1));
    GOOD(cudaGraphAddDependencies(graph, &empty, &nodes[2], NULL, 1));
    GOOD(cudaGraphChildGraphNodeGetGraph(below, &inside));
    CHECK(inside != child);
    EXPECT(cudaGraphDestroy(inside), cudaErrorInvalidValue);
    size_t count = 8;
    GOOD(cudaGraphGetRootNodes(graph, roots, &count));
    CHECK(count == 1 && roots[0] == nodes[5] && roots[1] == NULL);
    GOOD(cudaGraphGetNodes(graph, NULL, &count));
    CHECK(count == NODES + 2);
    GOOD(cudaGraphGetEdges(graph, NULL, NULL, NULL, &count));
    CHECK(count == 7);
    count = 16;
    GOOD(cudaGraphGetEdges(graph, from, to, NULL, &count));
    CHECK(count == 7 && from[0] == nodes[1] && to[0] == nodes[0] && from[7] == NULL);
    count = 8;
    GOOD(cudaGraphNodeGetDependencies(below, roots, NULL, &count));
    CHECK(count == 1 && roots[0] == nodes[3]);
    count = 8;
    GOOD(cudaGraphNodeGetDependentNodes(below, roots, NULL, &count));
    CHECK(count == 1 && roots[0] == empty);
    enum cudaGraphNodeType type;
    GOOD(cudaGraphNodeGetType(below, &type));
    CHECK(type == cudaGraphNodeTypeGraph);
    run(graph);
    GOOD(cudaMemcpy(host, list, sizeof host, cudaMemcpyDeviceToHost));
    const int wanted[] = {5, 4, 3, 101, 100, 2, 1, 0};
    CHECK(std::memcmp(host, wanted, sizeof wanted) == 0);
    // What closes a circle is found, and named.
    cudaGraphExec_t exec;
    cudaGraphInstantiateParams params;
    std::memset(&params, 0, sizeof params);
    GOOD(cudaGraphAddDependencies(graph, &nodes[0], &nodes[5], NULL, 1));
    EXPECT(cudaGraphInstantiateWithParams(&exec, graph, &params), cudaErrorInvalidValue);
    CHECK(params.result_out == cudaGraphInstantiateInvalidStructure && params.errNode_out != NULL);
    GOOD(cudaGraphDestroyNode(nodes[0]));
    GOOD(cudaGraphGetNodes(graph, NULL, &count));
    CHECK(count == NODES + 1);
    // A child that is replaced must have the same shape.
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    cudaGraph_t changed;
    GOOD(cudaGraphCreate(&changed, 0));
    cudaGraphNode_t c1 = appending(changed, list, length, 200);
    EXPECT(cudaGraphExecChildGraphNodeSetParams(exec, below, changed), 910);
    cudaGraphNode_t c2 = appending(changed, list, length, 201);
    GOOD(cudaGraphAddDependencies(changed, &c2, &c1, NULL, 1));
    GOOD(cudaGraphExecChildGraphNodeSetParams(exec, below, changed));
    GOOD(cudaMemset(length, 0, sizeof(int)));
    GOOD(cudaGraphLaunch(exec, 0));
    GOOD(cudaMemcpy(host, list, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[3] == 201 && host[4] == 200 && host[5] == 2);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(changed));
    GOOD(cudaGraphDestroy(child));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaFree(list));
    GOOD(cudaFree(length));
    cudaGetLastError();
}

// Fills of elements of all sizes, rows, symbols, and changing them.
static void copies(void)
{
    cudaGraph_t graph;
    cudaGraphNode_t fill, wide, to_symbol, from_symbol, rows;
    unsigned char *device, host[512];
    int values[4] = {1, 2, 3, 4}, back[4];
    GOOD(cudaMalloc((void **)&device, 512));
    GOOD(cudaMemset(device, 0, 512));
    GOOD(cudaGraphCreate(&graph, 0));
    cudaMemsetParams params = {device, 128, 0x11223344, 4, 3, 2};
    GOOD(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &params));
    cudaMemsetParams words = {device + 256, 0, 0xbeef, 2, 5, 1};
    GOOD(cudaGraphAddMemsetNode(&wide, graph, &fill, 1, &words));
    params.elementSize = 3;
    EXPECT(cudaGraphMemsetNodeSetParams(fill, &params), cudaErrorInvalidValue);
    GOOD(cudaGraphMemsetNodeGetParams(fill, &params));
    CHECK(params.elementSize == 4 && params.width == 3 && params.dst == device);
    GOOD(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, graph, NULL, 0, table, values, 8, 8,
                                        cudaMemcpyHostToDevice));
    GOOD(cudaGraphAddMemcpyNodeFromSymbol(&from_symbol, graph, &to_symbol, 1, back, table, 16, 0,
                                          cudaMemcpyDeviceToHost));
    EXPECT(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, graph, NULL, 0, table, values, 8, 12,
                                          cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);
    cudaMemcpy3DParms box;
    std::memset(&box, 0, sizeof box);
    box.srcPtr = make_cudaPitchedPtr(device, 128, 128, 2);
    box.dstPtr = make_cudaPitchedPtr(host, 16, 16, 2);
    box.extent = make_cudaExtent(12, 2, 1);
    box.kind = cudaMemcpyDeviceToHost;
    GOOD(cudaGraphAddMemcpyNode(&rows, graph, &fill, 1, &box));
    std::memset(&box, 0, sizeof box);
    GOOD(cudaGraphMemcpyNodeGetParams(rows, &box));
    CHECK(box.extent.height == 2 && box.dstPtr.ptr == host);
    run(graph);
    const unsigned char wanted[] = {0x44, 0x33, 0x22, 0x11};
    for (int i = 0; i < 24; i++)
        CHECK(host[i % 12 + i / 12 * 16] == wanted[i % 4]);
    CHECK(back[2] == 1 && back[3] == 2 && back[0] == 0);
    GOOD(cudaMemcpy(host, device, 512, cudaMemcpyDeviceToHost));
    CHECK(host[11] == 0x11 && host[12] == 0 && host[128 + 11] == 0x11 && host[140] == 0);
    CHECK(host[256] == 0xef && host[265] == 0xbe && host[266] == 0);
    cudaGraphExec_t exec;
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, to_symbol, table, values + 2, 8, 0,
                                                  cudaMemcpyHostToDevice));
    GOOD(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, from_symbol, back, table, 8, 0,
                                                    cudaMemcpyDeviceToHost));
    words.value = 0x0102;
    words.width = 1;
    GOOD(cudaGraphExecMemsetNodeSetParams(exec, wide, &words));
    // Rows keep their shape; the ends of a copy stay in the same kind of memory.
    GOOD(cudaGraphMemsetNodeGetParams(fill, &params));
    params.height = 1;
    EXPECT(cudaGraphExecMemsetNodeSetParams(exec, fill, &params), cudaErrorInvalidValue);
    EXPECT(cudaGraphExecMemcpyNodeSetParams1D(exec, from_symbol, device, host, 8,
                                              cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);
    GOOD(cudaGraphExecMemcpyNodeSetParams(exec, rows, &box));
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(back[0] == 3 && back[1] == 4 && back[2] == 1);
    GOOD(cudaMemcpy(host, device, 512, cudaMemcpyDeviceToHost));
    CHECK(host[256] == 2 && host[257] == 1 && host[258] == 0xef);
    GOOD(cudaGraphMemcpyNodeSetParams1D(from_symbol, back, device, 4, cudaMemcpyDeviceToHost));
    GOOD(cudaGraphMemcpyNodeSetParams(rows, &box));
    GOOD(cudaGraphMemcpyNodeSetParamsToSymbol(to_symbol, table, values, 4, 0,
                                              cudaMemcpyHostToDevice));
    run(graph);
    CHECK(back[0] == 0x11223344);
    GOOD(cudaGraphMemcpyNodeSetParamsFromSymbol(from_symbol, back, table, 4, 0,
                                                cudaMemcpyDeviceToHost));
    run(graph);
    CHECK(back[0] == 1);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaFree(device));
    cudaGetLastError();
}

static void refused(void)
{
    cudaGraph_t graph, other;
    cudaGraphNode_t node, elsewhere, empty;
    cudaGraphExec_t exec;
    int two = 2;
    void *arguments[] = {&b, &two}, *missing[] = {&b, NULL};
    GOOD(cudaGraphCreate(&graph, 0));
    GOOD(cudaGraphCreate(&other, 0));
    EXPECT(cudaGraphCreate(&graph, 1), cudaErrorInvalidValue);
    GOOD(cudaGraphAddEmptyNode(&elsewhere, other, NULL, 0));
    EXPECT(cudaGraphAddEmptyNode(&node, graph, &elsewhere, 1), cudaErrorInvalidValue);
    cudaGraphNode_t twice[2];
    GOOD(cudaGraphAddEmptyNode(&twice[0], graph, NULL, 0));
    twice[1] = twice[0];
    EXPECT(cudaGraphAddEmptyNode(&node, graph, twice, 2), cudaErrorInvalidValue);
    cudaKernelNodeParams params = kernel_node((void *)scale, missing);
    EXPECT(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), cudaErrorInvalidValue);
    params = kernel_node((void *)scale, arguments, 2000);
    EXPECT(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), cudaErrorInvalidConfiguration);
    params = kernel_node((void *)&two, arguments);
    EXPECT(cudaGraphAddKernelNode(&node, graph, NULL, 0, &params), cudaErrorInvalidDeviceFunction);
    EXPECT(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, a, host_in, BYTES + 1,
                                    cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);
    EXPECT(cudaGraphAddHostNode(&node, graph, NULL, 0, NULL), cudaErrorInvalidValue);
    EXPECT(cudaGraphAddEventRecordNode(&node, graph, NULL, 0, (cudaEvent_t)&two),
           cudaErrorInvalidResourceHandle);
    EXPECT(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, graph), cudaErrorInvalidValue);
    EXPECT(cudaGraphInstantiate(&exec, (cudaGraph_t)&two, 0), cudaErrorInvalidValue);
    EXPECT(cudaGraphInstantiate(&exec, graph, 16), cudaErrorInvalidValue);
    EXPECT(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch),
           cudaErrorNotSupported);
    // Of graphs that differ it is said how.
    cudaGraphExecUpdateResultInfo info;
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphExecUpdate(exec, other, &info));
    GOOD(cudaGraphDestroyNode(elsewhere));
    params = kernel_node((void *)scale, arguments);
    GOOD(cudaGraphAddKernelNode(&elsewhere, other, NULL, 0, &params));
    EXPECT(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorNodeTypeChanged && info.errorNode == elsewhere);
    GOOD(cudaGraphDestroyNode(elsewhere));
    GOOD(cudaGraphAddEmptyNode(&elsewhere, other, NULL, 0));
    GOOD(cudaGraphAddEmptyNode(&empty, other, &elsewhere, 1));
    EXPECT(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged && info.errorNode == empty);
    GOOD(cudaGraphExecDestroy(exec));
    GOOD(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
    CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged && info.errorNode == empty &&
          info.errorFromNode == elsewhere);
    GOOD(cudaGraphExecDestroy(exec));
    // Edge data that a query would lose
    cudaGraphEdgeData edge = {0, 0, 0, {0}};
    edge.type = cudaGraphDependencyTypeProgrammatic;
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    EXPECT(cudaGraphAddDependencies(graph, &twice[0], &node, &edge, 1), cudaErrorInvalidValue);
    cudaGraphNode_t kernels[2], from[1], to[1];
    GOOD(cudaGraphAddKernelNode(&kernels[0], graph, NULL, 0, &params));
    GOOD(cudaGraphAddKernelNode(&kernels[1], graph, NULL, 0, &params));
    GOOD(cudaGraphAddDependencies(graph, &kernels[0], &kernels[1], &edge, 1));
    size_t count = 1;
    EXPECT(cudaGraphGetEdges(graph, from, to, NULL, &count), cudaErrorLossyQuery);
    cudaGraphEdgeData read[1];
    GOOD(cudaGraphGetEdges(graph, from, to, read, &count));
    CHECK(read[0].type == 1 && read[0].from_port == 1);
    GOOD(cudaGraphDestroy(graph));
    GOOD(cudaGraphDestroy(other));
    cudaGetLastError();
}

int main(int argc, char **argv)
{
    GOOD(cudaMalloc((void **)&a, BYTES));
    GOOD(cudaMalloc((void **)&b, BYTES));
    GOOD(cudaStreamCreate(&stream));
    for (int i = 0; i < COUNT; i++)
        host_in[i] = i * 3 + 1;
    pipeline();
    order();
    copies();
    refused();
    if (argc > 1) {
        cudaGraph_t graph, child;
        cudaGraphNode_t first, second;
        GOOD(cudaGraphCreate(&graph, 0));
        GOOD(cudaGraphCreate(&child, 0));
        GOOD(cudaGraphAddEmptyNode(&first, child, NULL, 0));
        first = appending(graph, a, b, 1);
        GOOD(cudaGraphAddChildGraphNode(&second, graph, &first, 1, child));
        GOOD(cudaGraphDebugDotPrint(graph, argv[1], cudaGraphDebugDotFlagsKernelNodeParams));
        EXPECT(cudaGraphDebugDotPrint(graph, "/no/such/folder/x", 0), cudaErrorOperatingSystem);
        GOOD(cudaGraphDestroy(graph));
        GOOD(cudaGraphDestroy(child));
    }
    GOOD(cudaDeviceSynchronize());
    return verdict();
}
