// Copies and fills in streams, allocations in the order of a stream, and what is said about managed
// memory.
#include "driver_api.h"

#ifndef TOOLKIT
typedef int CUmem_advise;
CUresult cuMemAdvise(CUdeviceptr, size_t, CUmem_advise, CUdevice);
CUresult cuMemAdvise_v2(CUdeviceptr, size_t, CUmem_advise, CUmemLocation);
CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr, size_t, CUmemLocation, unsigned, CUstream);
CUresult cuMemAllocAsync(CUdeviceptr *, size_t, CUstream), cuMemFreeAsync(CUdeviceptr, CUstream);
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *, CUstream);
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *, CUstream);
CUresult cuMemcpyAsync(CUdeviceptr, CUdeviceptr, size_t, CUstream);
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, size_t, CUstream);
CUresult cuMemcpyPeer(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t);
CUresult cuMemcpyPeerAsync(CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, size_t, CUstream);
CUresult cuMemsetD8Async(CUdeviceptr, unsigned char, size_t, CUstream);
CUresult cuMemsetD16Async(CUdeviceptr, unsigned short, size_t, CUstream);
CUresult cuMemsetD2D8Async(CUdeviceptr, size_t, unsigned char, size_t, size_t, CUstream);
CUresult cuMemsetD2D16Async(CUdeviceptr, size_t, unsigned short, size_t, size_t, CUstream);
CUresult cuMemsetD2D32Async(CUdeviceptr, size_t, unsigned, size_t, size_t, CUstream);
CUresult cuStreamAttachMemAsync(CUstream, CUdeviceptr, size_t, unsigned);
#define cuMemcpy2DAsync cuMemcpy2DAsync_v2
#define cuMemcpy3DAsync cuMemcpy3DAsync_v2
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
#else
#undef cuMemAdvise
#undef cuMemPrefetchAsync
CUresult cuMemAdvise(CUdeviceptr, size_t, CUmem_advise, CUdevice);
CUresult cuMemAdvise_v2(CUdeviceptr, size_t, CUmem_advise, CUmemLocation);
CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr, size_t, CUmemLocation, unsigned, CUstream);
#endif

enum { PITCH = 256, ROWS = 8, BYTES = PITCH * ROWS };
static CUcontext context;
static CUstream stream;

static void check_fills(void)
{
    uint8_t got[BYTES];
    uint16_t half;
    uint32_t word;
    CUdeviceptr data;
    GOOD(cuMemAllocAsync(&data, BYTES, stream));
    GOOD(cuMemsetD8Async(data, 1, BYTES, stream));
    GOOD(cuMemsetD16Async(data, 0x0203, 4, stream));
    GOOD(cuMemsetD2D8Async(data + PITCH, PITCH, 4, 5, 2, stream));
    GOOD(cuMemsetD2D16Async(data + 3 * PITCH, PITCH, 0x0506, 2, 2, stream));
    GOOD(cuMemsetD2D32Async(data + 5 * PITCH, PITCH, 0x0708090a, 1, 3, stream));
    EXPECT(cuMemsetD2D32Async(data + 5 * PITCH, PITCH, 0, 1, 4, stream), INVALID_VALUE);
    GOOD(cuMemcpyDtoHAsync(got, data, BYTES, stream));
    GOOD(cuMemFreeAsync(data, stream));
    EXPECT(cuMemFreeAsync(0, stream), INVALID_VALUE);
    GOOD(cuStreamSynchronize(stream));
    memcpy(&half, got + 6, sizeof half);
    CHECK(half == 0x0203 && got[8] == 1);
    for (int y = 0; y < ROWS; y++) {
        memcpy(&half, got + y * PITCH + 2, sizeof half);
        memcpy(&word, got + y * PITCH, sizeof word);
        CHECK((got[y * PITCH + 4] == 4) == (y == 1 || y == 2));
        CHECK((half == 0x0506) == (y == 3 || y == 4));
        CHECK((word == 0x0708090a) == (y >= 5));
        CHECK(got[y * PITCH + 8] == 1);
    }
}

static void check_copies(void)
{
    uint8_t from[BYTES], to[BYTES] = {0};
    CUdeviceptr a, b;
    for (int i = 0; i < BYTES; i++)
        from[i] = (uint8_t)(i * 5 + i / 256);
    GOOD(cuMemAlloc(&a, BYTES));
    GOOD(cuMemAlloc(&b, BYTES));
    GOOD(cuMemcpyHtoDAsync(a, from, BYTES, stream));
    GOOD(cuMemcpyDtoDAsync(b, a, 512, stream));
    GOOD(cuMemcpyAsync(b + 512, a + 512, 512, stream));
    GOOD(cuMemcpyPeerAsync(b + 1024, context, a + 1024, context, 512, stream));
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuMemcpyPeer(b + 1536, context, a + 1536, context, 512));
    EXPECT(cuMemcpyPeer(b, (CUcontext)to, a, context, 16), INVALID_CONTEXT);
    EXPECT(cuMemcpyPeer(b, context, a, context, BYTES + 1), INVALID_VALUE);
    GOOD(cuMemcpyDtoHAsync(to, b, BYTES, stream));
    GOOD(cuStreamSynchronize(stream));
    CHECK(memcmp(from, to, BYTES) == 0);
    // Two rows of ten bytes out of the middle, and then the same as a box.
    CUDA_MEMCPY2D rows = {.srcXInBytes = 3,
                          .srcY = 2,
                          .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = b,
                          .srcPitch = PITCH,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstHost = to,
                          .dstPitch = 10,
                          .WidthInBytes = 10,
                          .Height = 2};
    CUDA_MEMCPY3D box = {.srcXInBytes = 3,
                         .srcY = 2,
                         .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                         .srcDevice = b,
                         .srcPitch = PITCH,
                         .srcHeight = ROWS,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = to + 20,
                         .dstPitch = 10,
                         .dstHeight = 2,
                         .WidthInBytes = 10,
                         .Height = 2,
                         .Depth = 1};
    GOOD(cuMemcpy2DAsync(&rows, stream));
    GOOD(cuMemcpy3DAsync(&box, stream));
    GOOD(cuStreamSynchronize(stream));
    for (int copy = 0; copy < 2; copy++)
        for (int y = 0; y < 2; y++)
            CHECK(memcmp(to + 20 * copy + 10 * y, from + (y + 2) * PITCH + 3, 10) == 0);
    rows.Height = ROWS; // beyond the end
    EXPECT(cuMemcpy2DAsync(&rows, stream), INVALID_VALUE);
    EXPECT(cuMemcpy3DAsync(NULL, stream), INVALID_VALUE);
    GOOD(cuMemFree(a));
    GOOD(cuMemFree(b));
}

static void check_advice(void)
{
    CUdeviceptr managed;
    CUmemLocation here = {1, 0}, elsewhere = {1, 3}; // devices
    GOOD(cuMemAllocManaged(&managed, 8192, 1));
    GOOD(cuMemAdvise(managed, 8192, 1, 0)); // read mostly
    GOOD(cuMemAdvise_v2(managed, 8192, 3, here));
    EXPECT(cuMemAdvise(managed, 8193, 1, 0), INVALID_VALUE);
    EXPECT(cuMemAdvise_v2(managed, 8192, 3, elsewhere), INVALID_DEVICE);
    GOOD(cuMemPrefetchAsync(managed, 8192, 0, stream));
    GOOD(cuMemPrefetchAsync(managed, 8192, -1, stream)); // to the host
    GOOD(cuMemPrefetchAsync_v2(managed, 8192, here, 0, stream));
    EXPECT(cuMemPrefetchAsync_v2(managed, 8192, here, 1, stream), INVALID_VALUE);
    GOOD(cuStreamAttachMemAsync(stream, managed, 0, 4));
    EXPECT(cuStreamAttachMemAsync(stream, managed, 0, 8), INVALID_VALUE);
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuMemFree(managed));
}

int main(void)
{
    GOOD(cuInit(0));
    GOOD(make_context(&context));
    GOOD(cuStreamCreate(&stream, 1));
    check_fills();
    check_copies();
    check_advice();
    GOOD(cuStreamDestroy(stream));
    GOOD(cuCtxDestroy(context));
    return verdict();
}
