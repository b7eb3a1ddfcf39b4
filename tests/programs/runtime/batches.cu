// Copies in batches, copies between devices, and batches of ranges of managed memory.
#include "check.h"

#include <cstring>

#ifndef __NVCC__ // NVIDIA's headers have these
enum cudaMemcpySrcAccessOrder {
    cudaMemcpySrcAccessOrderStream = 1,
    cudaMemcpySrcAccessOrderDuringApiCall = 2,
    cudaMemcpySrcAccessOrderAny = 3,
};
struct cudaMemcpyAttributes {
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    struct cudaMemLocation srcLocHint, dstLocHint;
    unsigned flags;
};
enum cudaMemcpy3DOperandType { cudaMemcpyOperandTypePointer = 1, cudaMemcpyOperandTypeArray = 2 };
struct cudaMemcpy3DOperand {
    enum cudaMemcpy3DOperandType type;
    struct {
        struct {
            void *ptr;
            size_t rowLength, layerHeight;
            struct cudaMemLocation locHint;
        } ptr;
    } op;
};
struct cudaMemcpy3DBatchOp {
    struct cudaMemcpy3DOperand src, dst;
    struct cudaExtent extent;
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    unsigned flags;
};
struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    int dstDevice;
    struct cudaExtent extent;
};
extern "C" {
cudaError_t cudaMemcpyBatchAsync(void *const *, const void *const *, const size_t *, size_t,
                                 struct cudaMemcpyAttributes *, size_t *, size_t, cudaStream_t);
cudaError_t cudaMemcpy3DBatchAsync(size_t, struct cudaMemcpy3DBatchOp *, unsigned long long,
                                   cudaStream_t);
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *);
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *, cudaStream_t);
cudaError_t cudaMemPrefetchBatchAsync(void **, size_t *, size_t, struct cudaMemLocation *, size_t *,
                                      size_t, unsigned long long, cudaStream_t);
cudaError_t cudaMemDiscardBatchAsync(void **, size_t *, size_t, unsigned long long, cudaStream_t);
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **, size_t *, size_t, struct cudaMemLocation *,
                                                size_t *, size_t, unsigned long long, cudaStream_t);
}
#endif

static cudaStream_t stream;
static char *device;

static void lines(void)
{
    char a[16], b[16], c[16];
    void *to[3] = {device, device + 16, c};
    const void *from[3] = {a, b, device};
    size_t bytes[3] = {16, 16, 16}, first[2] = {0, 2};
    struct cudaMemcpyAttributes attributes[2];
    std::memset(attributes, 0, sizeof attributes);
    attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    std::memset(a, 1, 16);
    std::memset(b, 2, 16);
    GOOD(cudaMemcpyBatchAsync(to, from, bytes, 3, attributes, first, 2, stream));
    std::memset(a, 9, 16); // has been read
    std::memset(b, 9, 16);
    GOOD(cudaStreamSynchronize(stream));
    CHECK(c[0] == 1 && c[15] == 1);
    char all[32];
    GOOD(cudaMemcpy(all, device, 32, cudaMemcpyDeviceToHost));
    CHECK(all[15] == 1 && all[16] == 2 && all[31] == 2);
    // One that is wrong keeps the others from being issued.
    bytes[1] = 4096;
    EXPECT(cudaMemcpyBatchAsync(to, from, bytes, 3, attributes, first, 2, stream),
           cudaErrorInvalidValue);
    GOOD(cudaMemcpy(all, device, 32, cudaMemcpyDeviceToHost));
    CHECK(all[0] == 1);
    bytes[1] = 16;
    EXPECT(cudaMemcpyBatchAsync(to, from, bytes, 3, attributes, first, 2, 0), cudaErrorInvalidValue);
    first[1] = 3;
    EXPECT(cudaMemcpyBatchAsync(to, from, bytes, 3, attributes, first, 2, stream),
           cudaErrorInvalidValue);
    EXPECT(cudaMemcpyBatchAsync(to, from, bytes, 0, attributes, first, 1, stream),
           cudaErrorInvalidValue);
    cudaGetLastError();
}

static void boxes(void)
{
    char host[24], back[64];
    struct cudaMemcpy3DBatchOp copies[2];
    std::memset(copies, 0, sizeof copies);
    for (int i = 0; i < 24; i++)
        host[i] = (char)i;
    GOOD(cudaMemset(device, 0, 64));
    // 2 slices of 3 rows of 4 bytes, into rows of 8
    copies[0].src.type = copies[0].dst.type = cudaMemcpyOperandTypePointer;
    copies[0].src.op.ptr.ptr = host;
    copies[0].dst.op.ptr.ptr = device;
    copies[0].dst.op.ptr.rowLength = 8;
    copies[0].dst.op.ptr.layerHeight = 4;
    copies[0].extent = make_cudaExtent(4, 3, 2);
    copies[0].srcAccessOrder = cudaMemcpySrcAccessOrderAny;
    copies[1] = copies[0];
    copies[1].src.op.ptr.ptr = device;
    copies[1].src.op.ptr.rowLength = copies[1].src.op.ptr.layerHeight = 0;
    copies[1].dst.op.ptr.ptr = back;
    copies[1].dst.op.ptr.rowLength = copies[1].dst.op.ptr.layerHeight = 0;
    copies[1].extent = make_cudaExtent(64, 1, 1);
    GOOD(cudaMemcpy3DBatchAsync(2, copies, 0, stream));
    GOOD(cudaStreamSynchronize(stream));
    for (int i = 0; i < 24; i++)
        CHECK(back[i / 12 * 32 + i / 4 % 3 * 8 + i % 4] == i);
    CHECK(back[4] == 0 && back[24] == 0);
    copies[1].src.type = cudaMemcpyOperandTypeArray;
    EXPECT(cudaMemcpy3DBatchAsync(2, copies, 0, stream), cudaErrorNotSupported);
    copies[1] = copies[0];
    copies[1].dst.op.ptr.rowLength = 3;
    EXPECT(cudaMemcpy3DBatchAsync(2, copies, 0, stream), cudaErrorInvalidPitchValue);
    EXPECT(cudaMemcpy3DBatchAsync(2, copies, 1, stream), cudaErrorInvalidValue);
    cudaGetLastError();
}

static void peers(void)
{
    char host[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, back[12] = {0};
    struct cudaMemcpy3DPeerParms copy;
    std::memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_cudaPitchedPtr(host, 4, 4, 3);
    copy.dstPtr = make_cudaPitchedPtr(device, 8, 8, 3);
    copy.extent = make_cudaExtent(4, 3, 1);
    GOOD(cudaMemcpy3DPeer(&copy));
    copy.srcPtr = copy.dstPtr;
    copy.dstPtr = make_cudaPitchedPtr(back, 4, 4, 3);
    GOOD(cudaMemcpy3DPeerAsync(&copy, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(std::memcmp(host, back, 12) == 0);
    copy.dstDevice = 1;
    EXPECT(cudaMemcpy3DPeer(&copy), cudaErrorInvalidDevice);
    EXPECT(cudaMemcpy3DPeerAsync(NULL, stream), cudaErrorInvalidValue);
    cudaGetLastError();
}

static void ranges(void)
{
    char *managed;
    GOOD(cudaMallocManaged((void **)&managed, 4096));
    std::memset(managed, 7, 4096);
    void *pointers[2] = {managed, managed + 2048};
    size_t bytes[2] = {2048, 2048}, first[2] = {0, 1};
    struct cudaMemLocation places[2];
    std::memset(places, 0, sizeof places);
    places[0].type = cudaMemLocationTypeDevice;
    places[1].type = cudaMemLocationTypeHost;
    GOOD(cudaMemPrefetchBatchAsync(pointers, bytes, 2, places, first, 2, 0, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(managed[0] == 7 && managed[4095] == 7);
    GOOD(cudaMemDiscardBatchAsync(pointers, bytes, 2, 0, stream));
    GOOD(cudaMemDiscardAndPrefetchBatchAsync(pointers, bytes, 2, places, first, 1, 0, stream));
    places[0].id = 2;
    EXPECT(cudaMemPrefetchBatchAsync(pointers, bytes, 2, places, first, 2, 0, stream),
           cudaErrorInvalidDevice);
    places[0].id = 0;
    bytes[1] = 2049;
    EXPECT(cudaMemPrefetchBatchAsync(pointers, bytes, 2, places, first, 2, 0, stream),
           cudaErrorInvalidValue);
    EXPECT(cudaMemDiscardBatchAsync(pointers, bytes, 2, 0, stream), cudaErrorInvalidValue);
    EXPECT(cudaMemDiscardAndPrefetchBatchAsync(pointers, bytes, 1, NULL, first, 1, 0, stream),
           cudaErrorInvalidValue);
    pointers[0] = device;
    EXPECT(cudaMemDiscardBatchAsync(pointers, bytes, 1, 0, stream), cudaErrorInvalidValue);
    GOOD(cudaFree(managed));
    cudaGetLastError();
}

int main()
{
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaMalloc((void **)&device, 64));
    lines();
    boxes();
    peers();
    ranges();
    return verdict();
}
