// Operations of streams on words of memory: waiting for values, writing them, several at once, and
// as nodes of graphs.
#include "batch_types.h"
#include "graph_api.h"

#include <pthread.h>
#include <unistd.h>

#ifndef TOOLKIT
typedef struct {
    CUcontext ctx;
    unsigned count;
    CUstreamBatchMemOpParams *paramArray;
    unsigned flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS;
CUresult cuStreamWaitValue32_v2(CUstream, CUdeviceptr, cuuint32_t, unsigned);
CUresult cuStreamWaitValue64_v2(CUstream, CUdeviceptr, cuuint64_t, unsigned);
CUresult cuStreamWriteValue32_v2(CUstream, CUdeviceptr, cuuint32_t, unsigned);
CUresult cuStreamWriteValue64_v2(CUstream, CUdeviceptr, cuuint64_t, unsigned);
CUresult cuStreamBatchMemOp_v2(CUstream, unsigned, CUstreamBatchMemOpParams *, unsigned);
CUresult cuGraphAddBatchMemOpNode(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS *);
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode, CUDA_BATCH_MEM_OP_NODE_PARAMS *);
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS *);
CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec, CUgraphNode,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS *);
#define cuStreamWaitValue32 cuStreamWaitValue32_v2
#define cuStreamWaitValue64 cuStreamWaitValue64_v2
#define cuStreamWriteValue32 cuStreamWriteValue32_v2
#define cuStreamWriteValue64 cuStreamWriteValue64_v2
#define cuStreamBatchMemOp cuStreamBatchMemOp_v2
#endif

enum {
    AT_LEAST = 0,
    EQUAL = 1,
    ANY_BIT = 2,
    ANY_CLEAR = 3,
    FLUSH = 1 << 30,
    WAIT_32 = 1,
    WRITE_32 = 2,
    FLUSH_WRITES = 3,
    WAIT_64 = 4,
    WRITE_64 = 5,
    BARRIER = 6,
    OPERATIONS_NODE = 12,
    NOT_SUPPORTED = 801
};

static CUstream stream;
static CUdeviceptr words; // eight of 32 bits
static uint32_t seen[8];

static CUstreamBatchMemOpParams word(int operation, CUdeviceptr at, cuuint64_t value,
                                     unsigned flags)
{
    CUstreamBatchMemOpParams made = {.pad = {0}};
    made.waitValue.operation = (CUresult)operation;
    made.waitValue.address = at;
    made.waitValue.value64 = value;
    made.waitValue.flags = flags;
    return made;
}

static void look(void)
{
    GOOD(cuMemcpyDtoHAsync(seen, words, sizeof seen, stream));
    GOOD(cuStreamSynchronize(stream));
}

// Each wait holds by what the writes before it left, or the program would stand still.
static void check_words(void)
{
    GOOD(cuMemsetD32(words, 0, 8));
    GOOD(cuStreamWriteValue32(stream, words, 0x80000001u, 0));
    GOOD(cuStreamWriteValue64(stream, words + 8, 0x123456789abcdefull, 1));
    GOOD(cuStreamWaitValue32(stream, words, 0x80000001u, EQUAL));
    GOOD(cuStreamWaitValue32(stream, words, 0x7fffffffu, AT_LEAST)); // two further on, past a wrap
    GOOD(cuStreamWaitValue32(stream, words, 0x80000000u, ANY_BIT));
    GOOD(cuStreamWaitValue32(stream, words, 0xfffffffdu, ANY_CLEAR));
    GOOD(cuStreamWaitValue64(stream, words + 8, 0x123456789abcdefull, EQUAL));
    GOOD(cuStreamWaitValue64(stream, words + 8, 0x123456700000000ull, AT_LEAST));
    GOOD(cuStreamWaitValue64(stream, words + 8, 1ull << 56, ANY_BIT));
    GOOD(cuStreamWaitValue64(stream, words + 8, ~(1ull << 63), ANY_CLEAR));
    look();
    CHECK(seen[0] == 0x80000001u && seen[1] == 0 && seen[2] == 0x89abcdefu &&
          seen[3] == 0x1234567u);
    EXPECT(cuStreamWriteValue32(stream, words + 2, 1, 0), INVALID_VALUE);  // not aligned
    EXPECT(cuStreamWriteValue64(stream, words + 4, 1, 0), INVALID_VALUE);  // for 8 bytes
    EXPECT(cuStreamWriteValue32(stream, words + 32, 1, 0), INVALID_VALUE); // beyond
    EXPECT(cuStreamWriteValue32(stream, words, 1, 2), INVALID_VALUE);
    EXPECT(cuStreamWaitValue32(stream, words, 1, 4), INVALID_VALUE);
    EXPECT(cuStreamWaitValue32(stream, words, 1, EQUAL | FLUSH), NOT_SUPPORTED);
    EXPECT(cuStreamWaitValue32((CUstream)&seen, words, 1, EQUAL), INVALID_HANDLE);
}

static void *write_late(void *argument)
{
    usleep(20 * 1000);
    __atomic_store_n((uint32_t *)argument, 5, __ATOMIC_RELEASE);
    return NULL;
}

// The host ends a wait; what is issued behind it has not run before.
static void check_host(void)
{
    uint32_t *flag;
    CUdeviceptr at;
    pthread_t thread;
    GOOD(cuMemHostAlloc((void **)&flag, 64, 2));
    GOOD(cuMemHostGetDevicePointer(&at, flag, 0));
    *flag = 0;
    GOOD(cuStreamWaitValue32(stream, at, 5, EQUAL));
    GOOD(cuStreamWriteValue32(stream, at + 4, 6, 0));
    EXPECT(cuStreamQuery(stream), NOT_READY);
    CHECK(pthread_create(&thread, NULL, write_late, flag) == 0);
    GOOD(cuStreamSynchronize(stream));
    CHECK(flag[1] == 6);
    CHECK(pthread_join(thread, NULL) == 0);
    GOOD(cuMemFreeHost(flag));
}

static void check_batch(void)
{
    CUstreamBatchMemOpParams all[5] = {
        word(WRITE_32, words, 3, 0), word(BARRIER, 0, 0, 0), word(WAIT_32, words, 3, EQUAL),
        word(WRITE_64, words + 16, 4, 0), word(WAIT_64, words + 16, 3, AT_LEAST)};
    GOOD(cuMemsetD32(words, 0, 8));
    GOOD(cuStreamBatchMemOp(stream, 5, all, 0));
    look();
    CHECK(seen[0] == 3 && seen[4] == 4 && seen[5] == 0);
    EXPECT(cuStreamBatchMemOp(stream, 5, all, 1), INVALID_VALUE);
    EXPECT(cuStreamBatchMemOp(stream, 257, all, 0), INVALID_VALUE);
    EXPECT(cuStreamBatchMemOp(stream, 1, NULL, 0), INVALID_VALUE);
    // A wrong one keeps the others from being done.
    all[0] = word(WRITE_32, words, 9, 0);
    all[4] = word(7, words, 0, 0);
    EXPECT(cuStreamBatchMemOp(stream, 5, all, 0), INVALID_VALUE);
    all[4] = word(FLUSH_WRITES, 0, 0, 0);
    EXPECT(cuStreamBatchMemOp(stream, 5, all, 0), NOT_SUPPORTED);
    look();
    CHECK(seen[0] == 3);
}

static void run(CUgraphExec exec)
{
    GOOD(cuGraphLaunch(exec, stream));
    look();
}

static void check_nodes(CUcontext context)
{
    CUgraph graph, captured;
    CUgraphNode first, second, third;
    CUgraphExec exec;
    CUgraphNodeType type;
    CUstreamBatchMemOpParams writes[2] = {word(WRITE_32, words, 11, 0),
                                          word(WRITE_32, words + 4, 12, 0)},
                             wait = word(WAIT_32, words + 4, 12, EQUAL);
    CUDA_BATCH_MEM_OP_NODE_PARAMS given = {context, 2, writes, 0}, read;
    CUgraphNodeParams any = {.type = OPERATIONS_NODE};
    GOOD(cuMemsetD32(words, 0, 8));
    GOOD(cuGraphCreate(&graph, 0));
    GOOD(cuGraphAddBatchMemOpNode(&first, graph, NULL, 0, &given));
    given = (CUDA_BATCH_MEM_OP_NODE_PARAMS){context, 1, &wait, 0};
    memcpy(any.reserved1, &given, sizeof given);
    GOOD(cuGraphAddNode(&second, graph, &first, NULL, 1, &any));
    GOOD(cuGraphNodeGetType(second, &type));
    CHECK(type == OPERATIONS_NODE);
    GOOD(cuGraphBatchMemOpNodeGetParams(first, &read));
    CHECK(read.count == 2 && read.ctx == context && read.paramArray != writes &&
          read.paramArray[1].writeValue.value == 12);
    EXPECT(cuGraphBatchMemOpNodeGetParams(first, NULL), INVALID_VALUE);
    writes[1].writeValue.value = 99; // the node has taken its copy
    GOOD(cuGraphInstantiateWithFlags(&exec, graph, 0));
    run(exec);
    CHECK(seen[0] == 11 && seen[1] == 12);
    writes[0].writeValue.value = 21;
    writes[1].writeValue.value = 12;
    given = (CUDA_BATCH_MEM_OP_NODE_PARAMS){context, 2, writes, 0};
    GOOD(cuGraphExecBatchMemOpNodeSetParams(exec, first, &given));
    run(exec);
    CHECK(seen[0] == 21);
    writes[0].writeValue.value = 31;
    GOOD(cuGraphBatchMemOpNodeSetParams(first, &given));
    CUgraphExecUpdateResultInfo info;
    GOOD(cuGraphExecUpdate(exec, graph, &info));
    run(exec);
    CHECK(seen[0] == 31);
    given.count = 1; // another number of them
    EXPECT(cuGraphExecBatchMemOpNodeSetParams(exec, first, &given), INVALID_VALUE);
    EXPECT(cuGraphExecBatchMemOpNodeSetParams(NULL, first, &given), INVALID_VALUE);
    given.ctx = (CUcontext)&given;
    EXPECT(cuGraphAddBatchMemOpNode(&third, graph, NULL, 0, &given), INVALID_CONTEXT);
    EXPECT(cuGraphAddBatchMemOpNode(&third, graph, NULL, 0, NULL), INVALID_VALUE);
    GOOD(cuGraphExecDestroy(exec));
    // Captured.
    GOOD(cuStreamBeginCapture(stream, 0));
    GOOD(cuStreamWriteValue32(stream, words + 8, 41, 0));
    GOOD(cuStreamWaitValue32(stream, words + 8, 41, EQUAL));
    GOOD(cuStreamEndCapture(stream, &captured));
    look();
    CHECK(seen[2] == 0);
    GOOD(cuGraphInstantiateWithFlags(&exec, captured, 0));
    run(exec);
    CHECK(seen[2] == 41);
    GOOD(cuGraphExecDestroy(exec));
    GOOD(cuGraphDestroy(captured));
    GOOD(cuGraphDestroy(graph));
}

int main(void)
{
    CUcontext context;
    int can = 0;
    GOOD(cuInit(0));
    GOOD(cuDeviceGetAttribute(&can, 122, 0)); // words of 64 bits
    CHECK(can == 1);
    GOOD(make_context(&context));
    GOOD(cuStreamCreate(&stream, 1));
    GOOD(cuMemAlloc(&words, 32));
    check_words();
    check_host();
    check_batch();
    check_nodes(context);
    GOOD(cuMemFree(words));
    GOOD(cuStreamDestroy(stream));
    GOOD(cuCtxDestroy(context));
    return verdict();
}
