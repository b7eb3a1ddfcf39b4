// Conditional nodes: kernels say what of a graph runs, and how often.
#include "check.h"

#include <cstring>

__global__ void count_down(int *rounds, int *sum, cudaGraphConditionalHandle handle)
{
    *sum += *rounds;
    *rounds -= 1;
    cudaGraphSetConditional(handle, *rounds > 0);
}

__global__ void choose(cudaGraphConditionalHandle handle, unsigned int value)
{
    cudaGraphSetConditional(handle, value);
}

__global__ void put(int *at, int value)
{
    *at = *at * 10 + value;
}

static int *values; // managed
static cudaGraph_t graph;

static cudaGraphNode_t kernel(cudaGraph_t where, cudaGraphNode_t after, void *function,
                              void **arguments)
{
    cudaGraphNode_t node;
    cudaKernelNodeParams params;
    std::memset(&params, 0, sizeof params);
    params.func = function;
    params.gridDim = dim3(1);
    params.blockDim = dim3(1);
    params.kernelParams = arguments;
    GOOD(cudaGraphAddKernelNode(&node, where, after ? &after : NULL, after ? 1 : 0, &params));
    return node;
}

static cudaGraphNode_t putting(cudaGraph_t where, cudaGraphNode_t after, int *at, int value)
{
    void *arguments[] = {&at, &value};
    return kernel(where, after, (void *)put, arguments);
}

static cudaGraphNode_t condition(cudaGraph_t where, cudaGraphNode_t after,
                                 cudaGraphConditionalHandle handle,
                                 enum cudaGraphConditionalNodeType type, unsigned size,
                                 cudaGraph_t *bodies)
{
    cudaGraphNode_t node = NULL;
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    GOOD(cudaGraphAddNode(&node, where, after ? &after : NULL, NULL, after ? 1 : 0, &params));
    for (unsigned i = 0; i < size; i++)
        bodies[i] = params.conditional.phGraph_out[i];
    return node;
}

static void launch(int times)
{
    cudaGraphExec_t exec;
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < times; i++)
        GOOD(cudaGraphLaunch(exec, 0));
    GOOD(cudaGraphExecDestroy(exec)); // with the rounds still to come
    GOOD(cudaDeviceSynchronize());
}

static cudaGraphConditionalHandle handle_of(unsigned first, unsigned flags)
{
    cudaGraphConditionalHandle handle = 0;
    GOOD(cudaGraphConditionalHandleCreate(&handle, graph, first, flags));
    return handle;
}

// Ten rounds, in each of which an inner loop makes as many as the outer one has left.
static void loops(void)
{
    cudaGraph_t body, inner;
    GOOD(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle outside = handle_of(1, cudaGraphCondAssignDefault);
    cudaGraphNode_t node = condition(graph, NULL, outside, cudaGraphCondTypeWhile, 1, &body);
    cudaGraphNode_t after = putting(graph, node, &values[3], 7);
    (void)after;
    int *rounds = &values[0], *sum = &values[1], *inner_rounds = &values[2], *total = &values[4];
    void *arguments[] = {&rounds, &sum, &outside};
    cudaGraphNode_t copy;
    GOOD(cudaGraphAddMemcpyNode1D(&copy, body, NULL, 0, inner_rounds, rounds, sizeof(int),
                                  cudaMemcpyDefault));
    cudaGraphConditionalHandle inside = 0;
    GOOD(cudaGraphConditionalHandleCreate(&inside, body, 1, cudaGraphCondAssignDefault));
    cudaGraphNode_t loop = condition(body, copy, inside, cudaGraphCondTypeWhile, 1, &inner);
    kernel(body, loop, (void *)count_down, arguments);
    void *inner_arguments[] = {&inner_rounds, &total, &inside};
    kernel(inner, NULL, (void *)count_down, inner_arguments);
    std::memset(values, 0, 64);
    values[0] = 10;
    launch(1);
    CHECK(values[0] == 0 && values[1] == 55 && values[2] == 0 && values[3] == 7);
    CHECK(values[4] == 220); // 1 + (1 + 2) + ... + (1 + ... + 10)
    // What a body may not hold, and handles of other graphs
    cudaGraphNode_t bad;
    cudaHostNodeParams host = {(cudaHostFn_t)std::abort, NULL};
    EXPECT(cudaGraphAddHostNode(&bad, body, NULL, 0, &host), cudaErrorNotSupported);
    EXPECT(cudaGraphAddHostNode(&bad, inner, NULL, 0, &host), cudaErrorNotSupported);
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = inside;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    EXPECT(cudaGraphAddNode(&bad, graph, NULL, NULL, 0, &params), cudaErrorInvalidValue);
    params.conditional.handle = outside;
    params.conditional.size = 2;
    EXPECT(cudaGraphAddNode(&bad, graph, NULL, NULL, 0, &params), cudaErrorInvalidValue);
    EXPECT(cudaGraphDestroy(body), cudaErrorInvalidValue);
    EXPECT(cudaGraphConditionalHandleCreate(&inside, graph, 0, 2), cudaErrorInvalidValue);
    GOOD(cudaGraphDestroy(graph));
    cudaGetLastError();
}

static int choice(enum cudaGraphConditionalNodeType type, unsigned size, unsigned value)
{
    cudaGraph_t bodies[4];
    GOOD(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle = handle_of(0, 0);
    void *arguments[] = {&handle, &value};
    cudaGraphNode_t first = kernel(graph, NULL, (void *)choose, arguments);
    cudaGraphNode_t node = condition(graph, first, handle, type, size, bodies);
    for (unsigned i = 0; i < size; i++)
        putting(bodies[i], NULL, values, (int)i + 1);
    putting(graph, node, values, 9);
    std::memset(values, 0, 64);
    launch(2);
    GOOD(cudaGraphDestroy(graph));
    return values[0];
}

int main()
{
    GOOD(cudaMallocManaged((void **)&values, 64));
    loops();
    CHECK(choice(cudaGraphCondTypeIf, 1, 1) == 1919);
    CHECK(choice(cudaGraphCondTypeIf, 1, 0) == 99);
    CHECK(choice(cudaGraphCondTypeIf, 2, 0) == 2929);
    CHECK(choice(cudaGraphCondTypeIf, 2, 5) == 1919);
    CHECK(choice(cudaGraphCondTypeSwitch, 4, 2) == 3939);
    CHECK(choice(cudaGraphCondTypeSwitch, 4, 4) == 99);
    // A handle that is none is a fault of the kernel.
    cudaGraphConditionalHandle none = 123456;
    choose<<<1, 1>>>(none, 1);
    EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    return verdict();
}
