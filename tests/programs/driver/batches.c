// Batches of copies and of ranges, what is known of managed memory, attributes of streams, and what
// is said about other processes and devices.
#include "batch_types.h"

#ifndef TOOLKIT
typedef int CUmem_advise, CUmem_range_attribute, CUstreamAttrID, CUdevice_P2PAttribute;
typedef struct {
    char reserved[64];
} CUipcMemHandle, CUipcEventHandle;
typedef union {
    char pad[64];
    int syncPolicy, priority;
} CUstreamAttrValue;
typedef struct CUgreenCtx_st *CUgreenCtx;
CUresult cuIpcGetMemHandle(CUipcMemHandle *, CUdeviceptr), cuIpcCloseMemHandle(CUdeviceptr);
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *, CUipcMemHandle, unsigned);
CUresult cuIpcGetEventHandle(CUipcEventHandle *, CUevent);
CUresult cuIpcOpenEventHandle(CUevent *, CUipcEventHandle);
CUresult cuDeviceGetP2PAttribute(int *, CUdevice_P2PAttribute, CUdevice, CUdevice);
CUresult cuDeviceGetP2PAtomicCapabilities(unsigned *, const int *, unsigned, CUdevice, CUdevice);
CUresult cuMemRangeGetAttribute(void *, size_t, CUmem_range_attribute, CUdeviceptr, size_t);
CUresult cuMemRangeGetAttributes(void **, size_t *, CUmem_range_attribute *, size_t, CUdeviceptr,
                                 size_t);
CUresult cuMemAdvise_v2(CUdeviceptr, size_t, CUmem_advise, CUmemLocation);
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *,
                               size_t *, size_t, CUstream);
CUresult cuMemcpy3DBatchAsync_v2(size_t, CUDA_MEMCPY3D_BATCH_OP *, unsigned long long, CUstream);
CUresult cuMemPrefetchBatchAsync(CUdeviceptr *, size_t *, size_t, CUmemLocation *, size_t *, size_t,
                                 unsigned long long, CUstream);
CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *, size_t *, size_t, CUmemLocation *,
                                           size_t *, size_t, unsigned long long, CUstream);
CUresult cuMemDiscardBatchAsync(CUdeviceptr *, size_t *, size_t, unsigned long long, CUstream);
CUresult cuStreamGetAttribute(CUstream, CUstreamAttrID, CUstreamAttrValue *);
CUresult cuStreamSetAttribute(CUstream, CUstreamAttrID, const CUstreamAttrValue *);
CUresult cuStreamCopyAttributes(CUstream, CUstream);
CUresult cuStreamGetCtx_v2(CUstream, CUcontext *, CUgreenCtx *);
#define cuIpcOpenMemHandle cuIpcOpenMemHandle_v2
#define cuMemcpyBatchAsync cuMemcpyBatchAsync_v2
#define cuMemcpy3DBatchAsync cuMemcpy3DBatchAsync_v2
#define cuMemAdvise cuMemAdvise_v2
#endif

enum { BYTES = 256, READ_MOSTLY = 1, SYNC_POLICY = 3, PRIORITY = 8 };
static CUstream stream;

typedef CUresult copies_of_12(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *,
                              size_t *, size_t, size_t *, CUstream);
typedef CUresult boxes_of_12(size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *, unsigned long long,
                             CUstream);

static CUdeviceptr address(void *pointer)
{
    return (CUdeviceptr)(uintptr_t)pointer;
}

static void check_copies(void)
{
    static unsigned char from[2][BYTES], got[BYTES];
    CUdeviceptr data;
    copies_of_12 *old_copies = NULL;
    boxes_of_12 *old_boxes = NULL;
    GOOD(cuGetProcAddress("cuMemcpyBatchAsync", (void **)&old_copies, 12080, 0, NULL));
    GOOD(cuGetProcAddress("cuMemcpy3DBatchAsync", (void **)&old_boxes, 12080, 0, NULL));
    memset(from[0], 7, BYTES);
    memset(from[1], 9, BYTES);
    GOOD(cuMemAlloc(&data, BYTES));
    CUdeviceptr to[] = {data, data + 100}, sources[] = {address(from[0]), address(from[1])};
    size_t sizes[] = {BYTES, 50}, first[] = {0}, failed = 0;
    CUmemcpyAttributes attributes = {.srcAccessOrder = 1};
    GOOD(cuMemcpyBatchAsync(to, sources, sizes, 2, &attributes, first, 1, stream));
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuMemcpyDtoH(got, data, BYTES));
    for (int i = 0; i < BYTES; i++)
        CHECK(got[i] == (i >= 100 && i < 150 ? 9 : 7));
    to[1] = data + 1000;
    EXPECT(old_copies(to, sources, sizes, 2, &attributes, first, 1, &failed, stream),
           INVALID_VALUE);
    CHECK(failed == 1);
    // The same as boxes: the second's bytes, to the beginning.
    CUDA_MEMCPY3D_BATCH_OP box = {.src = {.type = 1, .op.ptr = {.ptr = address(from[1])}},
                                  .dst = {.type = 1, .op.ptr = {.ptr = data}},
                                  .extent = {16, 2, 1},
                                  .srcAccessOrder = 1};
    GOOD(cuMemcpy3DBatchAsync(1, &box, 0, stream));
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuMemcpyDtoH(got, data, BYTES));
    CHECK(got[0] == 9 && got[31] == 9 && got[32] == 7);
    box.dst.op.ptr.ptr = data + 1000;
    EXPECT(old_boxes(1, &box, &failed, 0, stream), INVALID_VALUE);
    CHECK(failed == 0);
    GOOD(cuMemFree(data));
}

static void check_ranges(void)
{
    CUdeviceptr managed[2], other;
    size_t sizes[] = {4096, 4096}, first[] = {0};
    CUmemLocation device = {.type = 1, .id = 0};
    int mostly = 0, place = 5;
    CUmem_range_attribute asked[] = {1, 2};
    void *values[] = {&mostly, &place};
    size_t value_sizes[] = {sizeof mostly, sizeof place};
    GOOD(cuMemAllocManaged(&managed[0], 4096, 1));
    GOOD(cuMemAllocManaged(&managed[1], 4096, 1));
    GOOD(cuMemAlloc(&other, 4096));
    GOOD(cuMemPrefetchBatchAsync(managed, sizes, 2, &device, first, 1, 0, stream));
    GOOD(cuMemDiscardBatchAsync(managed, sizes, 2, 0, stream));
    GOOD(cuMemDiscardAndPrefetchBatchAsync(managed, sizes, 2, &device, first, 1, 0, stream));
    GOOD(cuMemAdvise(managed[0], 4096, 1, device)); // to be read mostly
    GOOD(cuMemRangeGetAttribute(&mostly, sizeof mostly, READ_MOSTLY, managed[0], 4096));
    CHECK(mostly == 1);
    mostly = 5;
    GOOD(cuMemRangeGetAttributes(values, value_sizes, asked, 2, managed[1], 4096));
    CHECK(mostly == 0 && place != 5);
    EXPECT(cuMemRangeGetAttribute(&mostly, 3, READ_MOSTLY, managed[0], 4096), INVALID_VALUE);
    EXPECT(cuMemRangeGetAttribute(&mostly, sizeof mostly, READ_MOSTLY, other, 4096), INVALID_VALUE);
    CUdeviceptr wrong[] = {other};
    EXPECT(cuMemPrefetchBatchAsync(wrong, sizes, 1, &device, first, 1, 0, stream), INVALID_VALUE);
    EXPECT(cuMemDiscardBatchAsync(wrong, sizes, 1, 0, stream), INVALID_VALUE);
    EXPECT(cuMemDiscardAndPrefetchBatchAsync(wrong, sizes, 1, &device, first, 1, 0, stream),
           INVALID_VALUE);
    GOOD(cuMemFree(managed[0]));
    GOOD(cuMemFree(managed[1]));
    GOOD(cuMemFree(other));
}

static void check_streams(CUcontext context)
{
    CUstreamAttrValue value = {.syncPolicy = 2}, got;
    CUstream other;
    CUcontext found = NULL;
    CUgreenCtx green = (CUgreenCtx)(uintptr_t)1;
    GOOD(cuStreamCreate(&other, 1));
    GOOD(cuStreamSetAttribute(stream, SYNC_POLICY, &value));
    GOOD(cuStreamGetAttribute(other, SYNC_POLICY, &got));
    CHECK(got.syncPolicy == 1);
    GOOD(cuStreamCopyAttributes(other, stream));
    GOOD(cuStreamGetAttribute(other, SYNC_POLICY, &got));
    CHECK(got.syncPolicy == 2);
    GOOD(cuStreamGetAttribute(other, PRIORITY, &got));
    CHECK(got.priority == 0);
    EXPECT(cuStreamSetAttribute(stream, 99, &value), INVALID_VALUE);
    EXPECT(cuStreamGetAttribute(stream, SYNC_POLICY, NULL), INVALID_VALUE);
    EXPECT(cuStreamCopyAttributes(other, (CUstream)(uintptr_t)&value), INVALID_HANDLE);
    GOOD(cuStreamGetCtx_v2(stream, &found, &green));
    CHECK(found == context && green == NULL);
    EXPECT(cuStreamGetCtx_v2(stream, NULL, &green), INVALID_VALUE);
    GOOD(cuStreamDestroy(other));
}

// A handle is made, and opened by no process: not by the one that made it either, as in CUDA.
static void check_sharing(void)
{
    CUdeviceptr data, opened;
    CUevent event, plain, other;
    CUipcMemHandle memory;
    CUipcEventHandle shared;
    int value;
    unsigned capabilities;
    GOOD(cuMemAlloc(&data, BYTES));
    GOOD(cuIpcGetMemHandle(&memory, data));
    EXPECT(cuIpcGetMemHandle(&memory, 4096), INVALID_VALUE);
    EXPECT(cuIpcOpenMemHandle(&opened, memory, 1), INVALID_CONTEXT);
    EXPECT(cuIpcOpenMemHandle(&opened, memory, 0), INVALID_VALUE);
    EXPECT(cuIpcCloseMemHandle(data), INVALID_VALUE);
    GOOD(cuEventCreate(&event, 4 | 2)); // for other processes, without times
    GOOD(cuEventCreate(&plain, 0));
    GOOD(cuIpcGetEventHandle(&shared, event));
    EXPECT(cuIpcGetEventHandle(&shared, plain), INVALID_HANDLE);
    EXPECT(cuIpcOpenEventHandle(&other, shared), INVALID_CONTEXT);
    GOOD(cuEventDestroy(event));
    GOOD(cuEventDestroy(plain));
    GOOD(cuMemFree(data));
    EXPECT(cuDeviceGetP2PAttribute(&value, 1, 0, 0), INVALID_DEVICE);
    EXPECT(cuDeviceGetP2PAttribute(NULL, 1, 0, 0), INVALID_VALUE);
    EXPECT(cuDeviceGetP2PAtomicCapabilities(&capabilities, NULL, 1, 0, 0), INVALID_VALUE);
}

int main(void)
{
    CUcontext context;
    int value;
    EXPECT(cuDeviceGetP2PAttribute(&value, 1, 0, 0), NOT_INITIALIZED);
    GOOD(cuInit(0));
    GOOD(make_context(&context));
    GOOD(cuStreamCreate(&stream, 1));
    check_copies();
    check_ranges();
    check_streams(context);
    check_sharing();
    GOOD(cuStreamDestroy(stream));
    GOOD(cuCtxDestroy(context));
    return verdict();
}
