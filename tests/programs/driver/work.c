// Memory, copies, fills, launches, streams and events of the driver API, with results that are
// checked.
#include "driver_api.h"

static const char module_text[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry scale(.param .u64 to, .param .f32 by, .param .u32 n)\n"
    "{\n"
    "  .reg .pred %p;\n  .reg .b32 %r<6>;\n  .reg .f32 %f<3>;\n  .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [to];\n  ld.param.f32 %f1, [by];\n  ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %tid.x;\n"
    "  mad.lo.s32 %r5, %r2, %r3, %r4;\n  setp.ge.u32 %p, %r5, %r1;\n  @%p bra done;\n"
    "  cvta.to.global.u64 %d1, %d1;\n  mul.wide.u32 %d2, %r5, 4;\n  add.s64 %d3, %d1, %d2;\n"
    "  ld.global.f32 %f2, [%d3];\n  mul.f32 %f2, %f2, %f1;\n  st.global.f32 [%d3], %f2;\n"
    "done:\n  ret;\n"
    "}\n"
    ".visible .entry wild()\n"
    "{\n"
    "  .reg .b64 %d;\n  .reg .b32 %r;\n  mov.u64 %d, 64;\n  ld.global.u32 %r, [%d];\n"
    "  st.global.u32 [%d], %r;\n  ret;\n"
    "}\n";

enum { COUNT = 1000 };
static CUmodule module;
static CUfunction scale;

static void load(void)
{
    GOOD(cuModuleLoadData(&module, module_text));
    GOOD(cuModuleGetFunction(&scale, module, "scale"));
}

static void check_launches(void)
{
    float numbers[COUNT], by = 2;
    unsigned n = COUNT;
    CUdeviceptr data;
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (float)i;
    GOOD(cuMemAlloc(&data, sizeof numbers));
    GOOD(cuMemcpyHtoD(data, numbers, sizeof numbers));
    void *parameters[] = {&data, &by, &n};
    GOOD(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, NULL, parameters, NULL));
    // The same as a block of bytes.
    struct {
        CUdeviceptr to;
        float by;
        unsigned n;
    } block = {data, 3, COUNT};
    size_t bytes = sizeof block;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    GOOD(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, NULL, NULL, extra));
    CUlaunchConfig configuration = {.gridDimX = 8,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = 128,
                                    .blockDimY = 1,
                                    .blockDimZ = 1};
    GOOD(cuLaunchKernelEx(&configuration, scale, parameters, NULL));
    GOOD(cuLaunchCooperativeKernel(scale, 8, 1, 1, 128, 1, 1, 0, NULL, parameters));
    GOOD(cuMemcpyDtoH(numbers, data, sizeof numbers));
    for (int i = 0; i < COUNT; i++)
        CHECK(numbers[i] == 24.0f * (float)i);
    EXPECT(cuLaunchCooperativeKernel(scale, 100000, 1, 1, 128, 1, 1, 0, NULL, parameters),
           COOPERATIVE_TOO_LARGE);
    EXPECT(cuLaunchKernel(scale, 0, 1, 1, 128, 1, 1, 0, NULL, parameters, NULL), INVALID_VALUE);
    EXPECT(cuLaunchKernel(scale, 1, 1, 1, 4096, 1, 1, 0, NULL, parameters, NULL), INVALID_VALUE);
    EXPECT(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, extra), INVALID_VALUE);
    bytes = 12; // too short for the last parameter
    EXPECT(cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra), INVALID_VALUE);
    EXPECT(cuLaunchKernel((CUfunction)&bytes, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL),
           INVALID_HANDLE);
    GOOD(cuMemFree(data));
}

static void check_memory(void)
{
    CUdeviceptr data, base, device, managed, pitched;
    size_t bytes, pitch, free_bytes, total;
    void *host;
    unsigned flags, type, yes;
    static char own[8192];
    GOOD(cuMemAlloc(&data, 1000));
    EXPECT(cuMemAlloc(&base, 0), INVALID_VALUE);
    GOOD(cuMemGetAddressRange(&base, &bytes, data + 500));
    CHECK(base == data && bytes == 1000);
    EXPECT(cuMemGetAddressRange(&base, &bytes, 4096), NOT_FOUND);
    GOOD(cuMemGetInfo(&free_bytes, &total));
    CHECK(free_bytes < total);
    GOOD(cuMemAllocPitch(&pitched, &pitch, 100, 10, 4));
    CHECK(pitch >= 100 && pitch % 32 == 0);
    EXPECT(cuMemAllocPitch(&base, &pitch, 100, 10, 3), INVALID_VALUE);
    GOOD(cuMemAllocManaged(&managed, 4096, 1));
    *(int *)(uintptr_t)managed = 5;
    GOOD(cuPointerGetAttribute(&yes, 8, managed));
    CHECK(yes == 1);
    GOOD(cuMemAllocHost(&host, 4096));
    GOOD(cuPointerGetAttribute(&type, 2, (CUdeviceptr)(uintptr_t)host));
    CHECK(type == CU_MEMORYTYPE_HOST);
    GOOD(cuMemFreeHost(host));
    GOOD(cuMemHostAlloc(&host, 4096, 2));
    GOOD(cuMemHostGetFlags(&flags, host));
    CHECK(flags & 2);
    GOOD(cuMemHostGetDevicePointer(&device, host, 0));
    GOOD(cuPointerGetAttribute(&base, 3, device));
    CHECK(base == device);
    GOOD(cuMemFreeHost(host));
    GOOD(cuMemHostRegister(own, sizeof own, 0));
    GOOD(cuMemHostUnregister(own));
    EXPECT(cuMemHostUnregister(own), 713);
    CUpointer_attribute attributes[] = {2, 9, 11};
    int ordinal = 7;
    void *values[] = {&type, &ordinal, &base};
    GOOD(cuPointerGetAttributes(3, attributes, values, data + 8));
    CHECK(type == CU_MEMORYTYPE_DEVICE && ordinal == 0 && base == data);
    GOOD(cuPointerGetAttributes(3, attributes, values, (CUdeviceptr)(uintptr_t)&ordinal));
    CHECK(type == 0 && ordinal == -2);
    GOOD(cuMemFree(data));
    EXPECT(cuMemFree(data), INVALID_VALUE);
    GOOD(cuMemFree(managed));
    GOOD(cuMemFree(pitched));
}

static void check_fills(void)
{
    enum { WIDTH = 5, ROWS = 4, PITCH = 512 };
    static uint32_t words[PITCH * ROWS / 4];
    uint16_t halves[64];
    uint8_t bytes[64];
    CUdeviceptr data;
    CUstream stream;
    GOOD(cuMemAlloc(&data, PITCH * ROWS));
    GOOD(cuMemsetD8(data, 0x11, PITCH * ROWS));
    GOOD(cuMemsetD16(data + 64, 0x2233, 10));
    GOOD(cuMemcpyDtoH(halves, data + 64, sizeof halves));
    for (int i = 0; i < 12; i++)
        CHECK(halves[i] == (i < 10 ? 0x2233 : 0x1111));
    GOOD(cuStreamCreate(&stream, 1));
    GOOD(cuMemsetD32Async(data, 0x44556677, 7, stream));
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuMemcpyDtoH(words, data, 40));
    for (int i = 0; i < 9; i++)
        CHECK(words[i] == (i < 7 ? 0x44556677 : 0x11111111));
    GOOD(cuMemsetD2D32(data, PITCH, 0x89abcdef, WIDTH, ROWS));
    GOOD(cuMemcpyDtoH(words, data, PITCH * ROWS));
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < WIDTH + 2; i++)
            CHECK((words[row * PITCH / 4 + i] == 0x89abcdef) == (i < WIDTH));
    GOOD(cuMemsetD2D16(data, PITCH, 0x4321, 3, 2));
    GOOD(cuMemsetD2D8(data + PITCH * 2, PITCH, 0x5a, 3, 2));
    GOOD(cuMemcpyDtoH(halves, data + PITCH, 16));
    CHECK(halves[2] == 0x4321 && halves[3] != 0x4321);
    GOOD(cuMemcpyDtoH(bytes, data + PITCH * 3, 16));
    CHECK(bytes[2] == 0x5a && bytes[3] != 0x5a);
    EXPECT(cuMemsetD32(data + 2, 0, 1), INVALID_VALUE);   // not aligned
    EXPECT(cuMemsetD32(data, 0, 1 << 20), INVALID_VALUE); // beyond the allocation
    GOOD(cuStreamDestroy(stream));
    GOOD(cuMemFree(data));
}

// A box out of the middle of one pitched volume into another.
static void check_boxes(void)
{
    enum { PITCH = 64, ROWS = 8, SLICES = 4, BYTES = PITCH * ROWS * SLICES };
    static uint8_t from[BYTES], to[BYTES];
    CUdeviceptr data;
    for (int i = 0; i < BYTES; i++)
        from[i] = (uint8_t)(i * 7 + i / 256);
    GOOD(cuMemAlloc(&data, BYTES));
    GOOD(cuMemsetD8(data, 0, BYTES));
    CUDA_MEMCPY3D in = {.srcXInBytes = 5,
                        .srcY = 2,
                        .srcZ = 1,
                        .srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = from,
                        .srcPitch = PITCH,
                        .srcHeight = ROWS,
                        .dstXInBytes = 8,
                        .dstY = 1,
                        .dstZ = 2,
                        .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                        .dstDevice = data,
                        .dstPitch = PITCH,
                        .dstHeight = ROWS,
                        .WidthInBytes = 20,
                        .Height = 4,
                        .Depth = 2};
    GOOD(cuMemcpy3D(&in));
    GOOD(cuMemcpyDtoH(to, data, BYTES));
    for (int z = 0; z < SLICES; z++)
        for (int y = 0; y < ROWS; y++)
            for (int x = 0; x < PITCH; x++) {
                int inside = z >= 2 && y >= 1 && y < 5 && x >= 8 && x < 28;
                int wanted = inside ? from[((z - 1) * ROWS + y + 1) * PITCH + x - 3] : 0;
                CHECK(to[(z * ROWS + y) * PITCH + x] == wanted);
            }
    CUDA_MEMCPY2D out = {.srcXInBytes = 8,
                         .srcY = 1 + 2 * ROWS,
                         .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                         .srcDevice = data,
                         .srcPitch = PITCH,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = to,
                         .dstPitch = 20,
                         .WidthInBytes = 20,
                         .Height = 4};
    GOOD(cuMemcpy2D(&out));
    CHECK(to[0] == from[(1 * ROWS + 2) * PITCH + 5] && to[79] == from[(1 * ROWS + 5) * PITCH + 24]);
    out.srcPitch = 16; // shorter than a row
    EXPECT(cuMemcpy2D(&out), INVALID_VALUE);
    in.WidthInBytes = 60; // leaves the pitch
    EXPECT(cuMemcpy3D(&in), INVALID_VALUE);
    GOOD(cuMemFree(data));
}

static void note(void *argument)
{
    (*(int *)argument)++;
}

static void note_stream(CUstream stream, CUresult result, void *argument)
{
    (void)stream;
    if (result == 0)
        (*(int *)argument)++;
}

static void check_streams(void)
{
    CUstream stream;
    CUevent start, end;
    CUdeviceptr data, copy;
    float milliseconds = -1, by = 1.5f, numbers[COUNT];
    unsigned n = COUNT, flags;
    int called = 0;
    void *parameters[] = {&data, &by, &n};
    for (int i = 0; i < COUNT; i++)
        numbers[i] = 2;
    GOOD(cuStreamCreate(&stream, 1));
    GOOD(cuStreamGetFlags(stream, &flags));
    CHECK(flags == 1);
    GOOD(cuEventCreate(&start, 0));
    GOOD(cuEventCreate(&end, 0));
    GOOD(cuMemAlloc(&data, sizeof numbers));
    GOOD(cuMemAlloc(&copy, sizeof numbers));
    GOOD(cuEventRecord(start, stream));
    GOOD(cuMemcpyHtoDAsync(data, numbers, sizeof numbers, stream));
    GOOD(cuLaunchKernel(scale, 8, 1, 1, 128, 1, 1, 0, stream, parameters, NULL));
    GOOD(cuLaunchHostFunc(stream, note, &called));
    GOOD(cuStreamAddCallback(stream, note_stream, &called, 0));
    GOOD(cuEventRecord(end, stream));
    GOOD(cuStreamWaitEvent(NULL, end, 0));
    GOOD(cuMemcpyDtoD(copy, data, sizeof numbers));
    GOOD(cuMemcpy((CUdeviceptr)(uintptr_t)numbers, copy, sizeof numbers));
    GOOD(cuEventSynchronize(end));
    GOOD(cuEventQuery(end));
    GOOD(cuStreamSynchronize(stream));
    GOOD(cuStreamQuery(stream));
    GOOD(cuEventElapsedTime(&milliseconds, start, end));
    CHECK(milliseconds > 0 && called == 2 && numbers[0] == 3 && numbers[COUNT - 1] == 3);
    EXPECT(cuEventQuery((CUevent)&flags), INVALID_HANDLE);
    GOOD(cuEventDestroy(start));
    GOOD(cuEventDestroy(end));
    GOOD(cuStreamDestroy(stream));
    GOOD(cuMemFree(data));
    GOOD(cuMemFree(copy));
}

// A fault lasts until the context is gone.
static void check_fault(CUcontext context)
{
    CUfunction wild;
    CUdeviceptr data;
    GOOD(cuModuleGetFunction(&wild, module, "wild"));
    GOOD(cuLaunchKernel(wild, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    EXPECT(cuCtxSynchronize(), ILLEGAL_ADDRESS);
    EXPECT(cuMemAlloc(&data, 16), ILLEGAL_ADDRESS);
    GOOD(cuCtxDestroy(context));
    GOOD(make_context(&context));
    load();
    check_launches();
    GOOD(cuCtxDestroy(context));
}

int main(void)
{
    CUcontext context;
    GOOD(cuInit(0));
    GOOD(make_context(&context));
    load();
    check_launches();
    check_memory();
    check_fills();
    check_boxes();
    check_streams();
    check_fault(context);
    return verdict();
}
