// Memory pools of the driver API: what they keep, what is theirs, and what graphs allocate.
#include "graph_api.h"

enum {
    THRESHOLD = 4, // CUmemPool_attribute
    RESERVED = 5,
    USED = 7,
    USED_HIGH = 8,
    GRAPH_USED = 0, // CUgraphMem_attribute
    GRAPH_RESERVED_HIGH = 3,
    NOT_SUPPORTED = 801,
    READ_WRITE = 3,
    BYTES = 1 << 16
};

static CUstream stream;

static void check_pool(void)
{
    CUmemPoolProps properties = {.allocType = 1, .location = {.type = 1}};
    CUmemoryPool pool;
    CUdeviceptr first, second;
    cuuint64_t value = 1;
    CUmemAccess_flags flags = 0;
    CUmemAccessDesc access = {.location = {.type = 1}, .flags = READ_WRITE};
    CUmemPoolPtrExportData data;
    unsigned words[4];
    int handle;
    GOOD(cuMemPoolCreate(&pool, &properties));
    GOOD(cuMemPoolGetAttribute(pool, THRESHOLD, &value));
    CHECK(value == 0);
    value = 2 * BYTES;
    GOOD(cuMemPoolSetAttribute(pool, THRESHOLD, &value));
    GOOD(cuMemAllocFromPoolAsync(&first, BYTES, pool, stream));
    GOOD(cuMemAllocFromPoolAsync(&second, BYTES, pool, stream));
    CHECK(first != second);
    GOOD(cuMemPoolGetAttribute(pool, USED, &value));
    CHECK(value == 2 * BYTES);
    GOOD(cuMemsetD32Async(second, 77, 4, stream));
    GOOD(cuMemcpyDtoHAsync(words, second, sizeof words, stream));
    GOOD(cuMemFreeAsync(first, stream));
    GOOD(cuMemFreeAsync(second, stream));
    GOOD(cuStreamSynchronize(stream));
    CHECK(words[0] == 77 && words[3] == 77);
    // As much stays as the threshold says, until it is trimmed.
    GOOD(cuMemPoolGetAttribute(pool, RESERVED, &value));
    CHECK(value == 2 * BYTES);
    GOOD(cuMemPoolTrimTo(pool, BYTES));
    GOOD(cuMemPoolGetAttribute(pool, RESERVED, &value));
    CHECK(value == BYTES);
    value = 0;
    GOOD(cuMemPoolSetAttribute(pool, USED_HIGH, &value));
    GOOD(cuMemPoolGetAttribute(pool, USED_HIGH, &value));
    CHECK(value == 0);
    EXPECT(cuMemPoolSetAttribute(pool, USED, &value), INVALID_VALUE);
    GOOD(cuMemPoolSetAccess(pool, &access, 1));
    GOOD(cuMemPoolGetAccess(&flags, pool, &access.location));
    CHECK(flags == READ_WRITE);
    access.location.id = 5;
    EXPECT(cuMemPoolSetAccess(pool, &access, 1), INVALID_DEVICE);
    // It was not made for other processes.
    EXPECT(cuMemPoolExportToShareableHandle(&handle, pool, 1, 0), INVALID_VALUE);
    EXPECT(cuMemPoolExportToShareableHandle(&handle, pool, 1, 1), INVALID_VALUE);
    EXPECT(cuMemPoolImportFromShareableHandle(&pool, &handle, 1, 1), INVALID_VALUE);
    EXPECT(cuMemPoolImportFromShareableHandle(&pool, &handle, 1, 0), INVALID_VALUE);
    EXPECT(cuMemPoolExportPointer(&data, first), INVALID_VALUE);
    EXPECT(cuMemPoolImportPointer(&first, pool, &data), INVALID_VALUE);
    properties.location.id = 1;
    EXPECT(cuMemPoolCreate(&pool, &properties), INVALID_DEVICE);
    GOOD(cuMemPoolDestroy(pool));
    EXPECT(cuMemPoolDestroy(pool), INVALID_VALUE);
}

static void check_current(void)
{
    CUmemPoolProps properties = {.allocType = 1, .location = {.type = 1}};
    CUmemLocation device = {1, 0}, other = {1, 1};
    CUmemoryPool usual, mine, current;
    CUdeviceptr data;
    cuuint64_t value;
    GOOD(cuDeviceGetDefaultMemPool(&usual, 0));
    GOOD(cuDeviceGetMemPool(&current, 0));
    CHECK(current == usual);
    EXPECT(cuDeviceGetMemPool(&current, 1), INVALID_DEVICE);
    GOOD(cuMemPoolCreate(&mine, &properties));
    GOOD(cuDeviceSetMemPool(0, mine));
    GOOD(cuMemGetMemPool(&current, &device, 1));
    CHECK(current == mine);
    GOOD(cuMemAllocAsync(&data, BYTES, stream));
    GOOD(cuMemPoolGetAttribute(mine, USED, &value));
    CHECK(value == BYTES);
    GOOD(cuMemFreeAsync(data, stream));
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuMemSetMemPool(&device, 1, usual));
    GOOD(cuDeviceGetMemPool(&current, 0));
    CHECK(current == usual);
    GOOD(cuMemGetDefaultMemPool(&current, &device, 1));
    CHECK(current == usual);
    EXPECT(cuMemGetDefaultMemPool(&current, &other, 1), INVALID_DEVICE);
    EXPECT(cuMemSetMemPool(&device, 0, usual), INVALID_VALUE);
    EXPECT(cuMemPoolDestroy(usual), INVALID_VALUE);
    GOOD(cuMemPoolDestroy(mine));
}

static void check_graphs(void)
{
    CUDA_MEM_ALLOC_NODE_PARAMS memory = {.poolProps = {.allocType = 1, .location = {.type = 1}},
                                         .bytesize = BYTES};
    CUgraph graph;
    CUgraphNode node;
    CUgraphExec exec;
    cuuint64_t used = 1, high = 0;
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddMemAllocNode(&node, graph, NULL, 0, &memory));
    GOOD(cuGraphInstantiateWithFlags(&exec, graph, 0));
    GOOD(cuGraphLaunch(exec, stream));
    GOOD(cuDeviceGetGraphMemAttribute(0, GRAPH_USED, &used));
    CHECK(used == BYTES);
    GOOD(cuMemFreeAsync(memory.dptr, stream));
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuDeviceGetGraphMemAttribute(0, GRAPH_USED, &used));
    CHECK(used == 0);
    GOOD(cuDeviceGraphMemTrim(0));
    GOOD(cuDeviceGetGraphMemAttribute(0, GRAPH_RESERVED_HIGH, &high));
    CHECK(high >= BYTES);
    high = 0;
    GOOD(cuDeviceSetGraphMemAttribute(0, GRAPH_RESERVED_HIGH, &high));
    EXPECT(cuDeviceSetGraphMemAttribute(0, GRAPH_USED, &high), INVALID_VALUE);
    EXPECT(cuDeviceGraphMemTrim(1), INVALID_DEVICE);
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(graph));
}

int main(void)
{
    CUcontext context;
    GOOD(cuInit(0));
    GOOD(make_context(&context));
    GOOD(cuStreamCreate(&stream, 1));
    check_pool();
    check_current();
    check_graphs();
    GOOD(cuStreamDestroy(stream));
    GOOD(cuCtxDestroy(context));
    return verdict();
}
