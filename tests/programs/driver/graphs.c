// Graphs of the driver API: nodes of all kinds, what is asked and changed of them, executable
// graphs, conditions, objects; with results that are checked.
#include "graph_api.h"

static CUcontext context;
static CUstream stream;
static CUfunction add;
static CUdeviceptr data;
static unsigned in[WORDS], out[WORDS], n = WORDS;

static void count(void *argument)
{
    (*(int *)argument)++;
}

static void run(CUgraphExec exec)
{
    GOOD(cuGraphLaunch(exec, stream));
    GOOD(cuStreamSynchronize(stream));
}

// in -> data, + 5, data -> out, a host function; changed in the graph, and in what is instantiated.
static void check_pipeline(void)
{
    CUgraph graph;
    CUgraphNode copy_in, added, copy_out, counted, nodes[4], found;
    CUgraphExec exec;
    CUgraph clone;
    unsigned five = 5, seven = 7, enabled = 9;
    int calls = 0, others = 0;
    size_t number = 4;
    CUgraphNodeType type;
    void *parameters[] = {&data, &five, &n};
    CUDA_MEMCPY3D in_copy = line(data, in, GRAPH_BYTES, 1),
                  out_copy = line(data, out, GRAPH_BYTES, 0);
    CUDA_KERNEL_NODE_PARAMS kernel = kernel_node(add, parameters);
    CUDA_HOST_NODE_PARAMS host = {count, &calls};
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddMemcpyNode(&copy_in, graph, NULL, 0, &in_copy, context));
    GOOD(cuGraphAddKernelNode(&added, graph, &copy_in, 1, &kernel));
    GOOD(cuGraphAddMemcpyNode(&copy_out, graph, &added, 1, &out_copy, NULL));
    GOOD(cuGraphAddHostNode(&counted, graph, &copy_out, 1, &host));
    five = 1000; // the node has taken its copy
    GOOD(cuGraphGetNodes(graph, nodes, &number));
    CHECK(number == 4 && nodes[1] == added);
    number = 4;
    GOOD(cuGraphGetRootNodes(graph, nodes, &number));
    CHECK(number == 1 && nodes[0] == copy_in);
    GOOD(cuGraphNodeGetType(copy_out, &type));
    CHECK(type == COPY_NODE);
    GOOD(cuGraphInstantiateWithFlags(&exec, graph, 0));
    GOOD(cuGraphUpload(exec, stream));
    run(exec);
    for (int i = 0; i < WORDS; i++)
        CHECK(out[i] == in[i] + 5);
    CHECK(calls == 1);
    // What is asked.
    CUDA_KERNEL_NODE_PARAMS read;
    CUDA_MEMCPY3D box;
    CUDA_HOST_NODE_PARAMS function;
    GOOD(cuGraphKernelNodeGetParams(added, &read));
    CHECK(read.func == add && read.gridDimX == WORDS / 64 && read.blockDimX == 64 &&
          *(unsigned *)read.kernelParams[1] == 5 && read.ctx == context);
    GOOD(cuGraphMemcpyNodeGetParams(copy_in, &box));
    CHECK(box.srcMemoryType == CU_MEMORYTYPE_HOST && box.srcHost == in && box.dstDevice == data &&
          box.WidthInBytes == GRAPH_BYTES && box.Height == 1 && box.Depth == 1);
    GOOD(cuGraphHostNodeGetParams(counted, &function));
    CHECK(function.fn == count && function.userData == &calls);
    EXPECT(cuGraphKernelNodeGetParams(counted, &read), INVALID_VALUE);
    EXPECT(cuGraphMemcpyNodeGetParams(added, &box), INVALID_VALUE);
    // Changing the graph does not touch what is instantiated, until it is told.
    GOOD(cuGraphClone(&clone, graph));
    GOOD(cuGraphNodeFindInClone(&found, added, clone));
    CHECK(found != added);
    parameters[1] = &seven;
    GOOD(cuGraphKernelNodeSetParams(added, &kernel));
    run(exec);
    CHECK(out[9] == in[9] + 5);
    CUgraphExecUpdateResultInfo info;
    GOOD(cuGraphExecUpdate(exec, graph, &info));
    CHECK(info.result == 0);
    run(exec);
    CHECK(out[9] == in[9] + 7);
    five = 11;
    parameters[1] = &five;
    GOOD(cuGraphExecKernelNodeSetParams(exec, added, &kernel));
    host.userData = &others;
    GOOD(cuGraphExecHostNodeSetParams(exec, counted, &host));
    GOOD(cuGraphHostNodeSetParams(counted, &host));
    run(exec);
    CHECK(out[9] == in[9] + 11 && others == 1);
    // Half of the line only.
    memset(out, 0, sizeof out);
    out_copy.WidthInBytes /= 2;
    GOOD(cuGraphExecMemcpyNodeSetParams(exec, copy_out, &out_copy, context));
    GOOD(cuGraphMemcpyNodeSetParams(copy_out, &out_copy));
    run(exec);
    CHECK(out[9] == in[9] + 11 && out[WORDS / 2] == 0);
    GOOD(cuGraphNodeSetEnabled(exec, added, 0));
    GOOD(cuGraphNodeGetEnabled(exec, added, &enabled));
    CHECK(enabled == 0);
    run(exec);
    CHECK(out[9] == in[9]);
    EXPECT(cuGraphNodeSetEnabled(exec, counted, 0), INVALID_VALUE);
    cuuint64_t flags = 7;
    GOOD(cuGraphExecGetFlags(exec, &flags));
    CHECK(flags == 0);
    GOOD(cuGraphExecDestroy(exec));
    EXPECT(cuGraphLaunch(exec, stream), INVALID_VALUE);
    // The clone is as the graph was.
    CUDA_GRAPH_INSTANTIATE_PARAMS wanted = {.flags = 0};
    GOOD(cuGraphInstantiateWithParams(&exec, clone, &wanted));
    CHECK(wanted.result_out == 0);
    run(exec);
    CHECK(out[9] == in[9] + 5 && out[WORDS - 1] == in[WORDS - 1] + 5);
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(clone));
    GOOD(cuGraphDestroy(graph));
    EXPECT(cuGraphDestroy(graph), INVALID_VALUE);
}

// Parameters as one block of bytes, a kernel's handle, and what is refused.
static void check_kernels(CUkernel handle)
{
    CUgraph graph;
    CUgraphNode first, second, third;
    CUgraphExec exec;
    struct {
        CUdeviceptr to;
        unsigned what, n;
    } block = {data, 3, WORDS};
    size_t bytes = 16;
    unsigned four = 4;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END},
         *parameters[] = {&data, &four, &n};
    CUDA_KERNEL_NODE_PARAMS kernel = kernel_node(add, NULL);
    CUkernelNodeAttrValue value = {.priority = -1}, got;
    kernel.extra = extra;
    GOOD(cuMemsetD32(data, 100, WORDS));
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddKernelNode(&first, graph, NULL, 0, &kernel));
    kernel = kernel_node(NULL, parameters);
    kernel.kern = handle;
    kernel.ctx = context;
    GOOD(cuGraphAddKernelNode(&second, graph, &first, 1, &kernel));
    GOOD(cuGraphKernelNodeSetAttribute(first, 8, &value));
    GOOD(cuGraphKernelNodeCopyAttributes(second, first));
    GOOD(cuGraphKernelNodeGetAttribute(second, 8, &got));
    CHECK(got.priority == -1);
    GOOD(cuGraphInstantiateWithFlags(&exec, graph, 0));
    run(exec);
    GOOD(cuMemcpyDtoH(out, data, GRAPH_BYTES));
    CHECK(out[0] == 107 && out[WORDS - 1] == 107);
    kernel.func = add; // and the handle
    EXPECT(cuGraphAddKernelNode(&third, graph, NULL, 0, &kernel), INVALID_VALUE);
    kernel = kernel_node((CUfunction)&n, parameters);
    EXPECT(cuGraphAddKernelNode(&third, graph, NULL, 0, &kernel), INVALID_HANDLE);
    kernel = kernel_node(add, parameters);
    kernel.ctx = (CUcontext)&n;
    EXPECT(cuGraphAddKernelNode(&third, graph, NULL, 0, &kernel), INVALID_CONTEXT);
    kernel = kernel_node(add, parameters);
    kernel.blockDimX = 2048;
    EXPECT(cuGraphAddKernelNode(&third, graph, NULL, 0, &kernel), INVALID_VALUE);
    EXPECT(cuGraphAddKernelNode(&third, graph, NULL, 0, NULL), INVALID_VALUE);
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(graph));
}

static void check_edges(const char *drawing)
{
    CUgraph graph;
    CUgraphNode a, b, c, from[4], to[4];
    CUgraphEdgeData edges[4];
    size_t number = 4;
    char text[4096] = "";
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddEmptyNode(&a, graph, NULL, 0));
    GOOD(cuGraphAddEmptyNode(&b, graph, &a, 1));
    GOOD(cuGraphAddEmptyNode(&c, graph, &b, 1));
    GOOD(cuGraphAddDependencies(graph, &a, &c, NULL, 1));
    EXPECT(cuGraphAddDependencies(graph, &a, &c, NULL, 1), INVALID_VALUE); // there already
    memset(edges, 0x5a, sizeof edges);
    GOOD(cuGraphGetEdges(graph, from, to, edges, &number));
    CHECK(number == 3 && edges[0].type == 0 && edges[2].from_port == 0);
    number = 4;
    GOOD(cuGraphNodeGetDependencies(c, from, edges, &number));
    CHECK(number == 2 && from[0] == b && from[1] == a);
    GOOD(cuGraphRemoveDependencies(graph, &b, &c, NULL, 1));
    number = 4;
    GOOD(cuGraphNodeGetDependentNodes(a, to, edges, &number));
    CHECK(number == 2 && to[0] == b && to[1] == c);
    GOOD(cuGraphDebugDotPrint(graph, drawing, 0));
    FILE *file = fopen(drawing, "r");
    CHECK(file && fread(text, 1, sizeof text - 1, file) > 0 && fclose(file) == 0);
    CHECK(strstr(text, "digraph") && strstr(text, "\"n0\" -> \"n2\""));
    GOOD(cuGraphDestroyNode(b));
    number = 4;
    GOOD(cuGraphGetNodes(graph, from, &number));
    CHECK(number == 2 && from[1] == c);
    EXPECT(cuGraphDestroyNode(b), INVALID_VALUE);
    GOOD(cuGraphDestroy(graph));
}

// Fills, children, events, and what nodes allocate.
static void check_kinds(void)
{
    CUgraph graph, child, inside;
    CUgraphNode filled, held, recorded, waited, allocated, used, copied, freed;
    CUgraphExec exec;
    CUevent event, other, got;
    CUdeviceptr address = 0;
    CUDA_MEMSET_NODE_PARAMS fill = {data, 0, 9, 4, WORDS, 1}, read;
    CUDA_MEM_ALLOC_NODE_PARAMS memory = {.poolProps = {.allocType = 1, .location = {.type = 1}},
                                         .bytesize = GRAPH_BYTES},
                               asked;
    GOOD(cuEventCreate(&event, 0));
    GOOD(cuEventCreate(&other, 0));
    GOOD(cuGraphCreate(&child, 0));
    GOOD(cuGraphAddMemsetNode(&filled, child, NULL, 0, &fill, context));
    GOOD(cuGraphMemsetNodeGetParams(filled, &read));
    CHECK(read.dst == data && read.value == 9 && read.elementSize == 4 && read.width == WORDS);
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddChildGraphNode(&held, graph, NULL, 0, child));
    GOOD(cuGraphChildGraphNodeGetGraph(held, &inside));
    CHECK(inside != child);
    GOOD(cuGraphAddEventRecordNode(&recorded, graph, &held, 1, event));
    GOOD(cuGraphAddEventWaitNode(&waited, graph, &recorded, 1, event));
    GOOD(cuGraphEventRecordNodeGetEvent(recorded, &got));
    CHECK(got == event);
    GOOD(cuGraphEventWaitNodeSetEvent(waited, other));
    GOOD(cuGraphEventWaitNodeGetEvent(waited, &got));
    CHECK(got == other);
    GOOD(cuGraphEventRecordNodeSetEvent(recorded, event));
    GOOD(cuGraphAddMemAllocNode(&allocated, graph, &waited, 1, &memory));
    CHECK(memory.dptr != 0);
    GOOD(cuGraphMemAllocNodeGetParams(allocated, &asked));
    CHECK(asked.dptr == memory.dptr && asked.bytesize == GRAPH_BYTES);
    fill.dst = memory.dptr;
    fill.value = 21;
    GOOD(cuGraphAddMemsetNode(&used, graph, &allocated, 1, &fill, NULL));
    CUDA_MEMCPY3D box = line(memory.dptr, out, GRAPH_BYTES, 0);
    GOOD(cuGraphAddMemcpyNode(&copied, graph, &used, 1, &box, context));
    GOOD(cuGraphAddMemFreeNode(&freed, graph, &copied, 1, memory.dptr));
    GOOD(cuGraphMemFreeNodeGetParams(freed, &address));
    CHECK(address == memory.dptr);
    EXPECT(cuGraphAddMemFreeNode(&freed, graph, NULL, 0, data), INVALID_VALUE);
    GOOD(cuGraphInstantiateWithFlags(&exec, graph, 0));
    run(exec);
    CHECK(out[0] == 21 && out[WORDS - 1] == 21);
    GOOD(cuEventQuery(event));
    GOOD(cuMemcpyDtoH(out, data, GRAPH_BYTES));
    CHECK(out[0] == 9 && out[WORDS - 1] == 9);
    // Changed where it is instantiated.
    fill.value = 22;
    GOOD(cuGraphExecMemsetNodeSetParams(exec, used, &fill, context));
    GOOD(cuGraphMemsetNodeSetParams(used, &fill));
    GOOD(cuGraphExecEventRecordNodeSetEvent(exec, recorded, other));
    GOOD(cuGraphExecEventWaitNodeSetEvent(exec, waited, event));
    CUDA_MEMSET_NODE_PARAMS eight = {data, 0, 8, 4, WORDS, 1};
    GOOD(cuGraphMemsetNodeSetParams(filled, &eight));
    GOOD(cuGraphExecChildGraphNodeSetParams(exec, held, child));
    run(exec);
    CHECK(out[0] == 22);
    GOOD(cuEventQuery(other));
    GOOD(cuMemcpyDtoH(out, data, GRAPH_BYTES));
    CHECK(out[0] == 8 && out[WORDS - 1] == 8);
    fill.elementSize = 3;
    EXPECT(cuGraphAddMemsetNode(&used, graph, NULL, 0, &fill, NULL), INVALID_VALUE);
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(graph));
    GOOD(cuGraphDestroy(child));
    GOOD(cuEventDestroy(event));
    GOOD(cuEventDestroy(other));
}

// Nodes of any kind, and a condition that is decided by its first value.
static void check_any(void)
{
    CUgraph graph;
    CUgraphNode filled, condition, inside, copied;
    CUgraphExec exec;
    CUgraphConditionalHandle handle;
    unsigned six = 6;
    void *arguments[] = {&data, &six, &n};
    CUgraphNodeParams any = {.type = FILL_NODE};
    GOOD(cuGraphCreate(&graph, 0));
    any.memset.dst = data;
    any.memset.value = 50;
    any.memset.elementSize = 4;
    any.memset.width = WORDS;
    any.memset.height = 1;
    any.memset.ctx = context;
    GOOD(cuGraphAddNode(&filled, graph, NULL, NULL, 0, &any));
    GOOD(cuGraphConditionalHandleCreate(&handle, graph, context, 1, 1));
    any = (CUgraphNodeParams){.type = CONDITION_NODE};
    any.conditional.handle = handle;
    any.conditional.size = 1;
    any.conditional.ctx = context;
    GOOD(cuGraphAddNode(&condition, graph, &filled, NULL, 1, &any));
    CHECK(any.conditional.phGraph_out && any.conditional.phGraph_out[0]);
    CUgraph body = any.conditional.phGraph_out[0];
    any = (CUgraphNodeParams){.type = KERNEL_NODE};
    CUDA_KERNEL_NODE_PARAMS kernel = kernel_node(add, arguments);
    memcpy(&any.kernel, &kernel, sizeof kernel);
    GOOD(cuGraphAddNode(&inside, body, NULL, NULL, 0, &any));
    any = (CUgraphNodeParams){.type = COPY_NODE};
    any.memcpy.copyParams = line(data, out, GRAPH_BYTES, 0);
    any.memcpy.copyCtx = context;
    GOOD(cuGraphAddNode(&copied, graph, &condition, NULL, 1, &any));
    any.memcpy.copyCtx = (CUcontext)&n;
    EXPECT(cuGraphAddNode(&copied, graph, &condition, NULL, 1, &any), INVALID_CONTEXT);
    GOOD(cuGraphInstantiateWithFlags(&exec, graph, 0));
    run(exec);
    CHECK(out[0] == 56 && out[WORDS - 1] == 56);
    any = (CUgraphNodeParams){.type = FILL_NODE};
    any.memset.dst = data;
    any.memset.value = 60;
    any.memset.elementSize = 4;
    any.memset.width = WORDS;
    any.memset.height = 1;
    GOOD(cuGraphExecNodeSetParams(exec, filled, &any));
    run(exec);
    CHECK(out[0] == 66);
    GOOD(cuGraphNodeSetParams(filled, &any));
    EXPECT(cuGraphNodeSetParams(copied, &any), INVALID_VALUE); // another kind
    EXPECT(cuGraphExecNodeSetParams(NULL, filled, &any), INVALID_VALUE);
    EXPECT(cuGraphAddNode(&filled, graph, NULL, NULL, 0, NULL), INVALID_VALUE);
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(graph));
}

static void check_objects(void)
{
    CUuserObject object;
    CUgraph graph;
    int gone = 0;
    GOOD(cuUserObjectCreate(&object, &gone, count, 1, 1));
    EXPECT(cuUserObjectCreate(&object, &gone, count, 1, 0), INVALID_VALUE);
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuUserObjectRetain(object, 2));
    GOOD(cuGraphRetainUserObject(graph, object, 2, 0));
    GOOD(cuUserObjectRelease(object, 3));
    GOOD(cuGraphReleaseUserObject(graph, object, 1));
    GOOD(cuCtxSynchronize());
    CHECK(gone == 0);
    GOOD(cuGraphDestroy(graph));
    GOOD(cuCtxSynchronize());
    CHECK(gone == 1);
    EXPECT(cuUserObjectRelease(object, 1), INVALID_VALUE);
}

int main(int arguments, char **argument)
{
    CUlibrary library;
    CUkernel handle;
    char drawing[4096];
    snprintf(drawing, sizeof drawing, "%s/graph.dot", arguments > 1 ? argument[1] : ".");
    for (unsigned i = 0; i < WORDS; i++)
        in[i] = i * 3 + 1;
    GOOD(cuInit(0));
    GOOD(make_context(&context));
    GOOD(cuLibraryLoadData(&library, graph_module, NULL, NULL, 0, NULL, NULL, 0));
    GOOD(cuLibraryGetKernel(&handle, library, "add"));
    GOOD(cuKernelGetFunction(&add, handle));
    GOOD(cuStreamCreate(&stream, 1));
    GOOD(cuMemAlloc(&data, GRAPH_BYTES));
    check_pipeline();
    check_kernels(handle);
    check_edges(drawing);
    check_kinds();
    check_any();
    check_objects();
    GOOD(cuMemFree(data));
    GOOD(cuStreamDestroy(stream));
    GOOD(cuCtxDestroy(context));
    return verdict();
}
