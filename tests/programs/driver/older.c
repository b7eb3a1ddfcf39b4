/* What older programs of the driver API use: texture and surface references, whose pieces are set
 * one by one, and launches of before CUDA 4. Beside them, cooperative launches on several devices
 * (of which there is one), and the occupancy of clusters. */
#include "driver_api.h"

#ifndef TOOLKIT
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef int CUarray_format, CUaddress_mode, CUfilter_mode;
typedef struct {
    size_t Width, Height;
    CUarray_format Format;
    unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct {
    size_t Width, Height, Depth;
    CUarray_format Format;
    unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct {
    CUfunction function;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    void **kernelParams;
} CUDA_LAUNCH_PARAMS;
CUresult cuArray3DCreate_v2(CUarray *, const CUDA_ARRAY3D_DESCRIPTOR *), cuArrayDestroy(CUarray);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *, const CUDA_ARRAY3D_DESCRIPTOR *, unsigned);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray);
CUresult cuMipmappedArrayGetLevel(CUarray *, CUmipmappedArray, unsigned);
CUresult cuArrayGetMemoryRequirements(void *, CUarray, CUdevice);
CUresult cuMipmappedArrayGetMemoryRequirements(void *, CUmipmappedArray, CUdevice);
CUresult cuArrayGetSparseProperties(void *, CUarray);
CUresult cuMipmappedArrayGetSparseProperties(void *, CUmipmappedArray);
CUresult cuArrayGetPlane(CUarray *, CUarray, unsigned);
CUresult cuModuleGetTexRef(CUtexref *, CUmodule, const char *);
CUresult cuModuleGetSurfRef(CUsurfref *, CUmodule, const char *);
CUresult cuTexRefCreate(CUtexref *), cuTexRefDestroy(CUtexref);
CUresult cuTexRefSetArray(CUtexref, CUarray, unsigned);
CUresult cuTexRefSetMipmappedArray(CUtexref, CUmipmappedArray, unsigned);
CUresult cuTexRefSetAddress_v2(size_t *, CUtexref, CUdeviceptr, size_t);
CUresult cuTexRefSetAddress2D_v3(CUtexref, const CUDA_ARRAY_DESCRIPTOR *, CUdeviceptr, size_t);
CUresult cuTexRefSetFormat(CUtexref, CUarray_format, int);
CUresult cuTexRefSetAddressMode(CUtexref, int, CUaddress_mode);
CUresult cuTexRefSetFilterMode(CUtexref, CUfilter_mode);
CUresult cuTexRefSetMipmapFilterMode(CUtexref, CUfilter_mode);
CUresult cuTexRefSetMipmapLevelBias(CUtexref, float);
CUresult cuTexRefSetMipmapLevelClamp(CUtexref, float, float);
CUresult cuTexRefSetMaxAnisotropy(CUtexref, unsigned), cuTexRefSetBorderColor(CUtexref, float *);
CUresult cuTexRefSetFlags(CUtexref, unsigned), cuTexRefGetAddress_v2(CUdeviceptr *, CUtexref);
CUresult cuTexRefGetArray(CUarray *, CUtexref);
CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *, CUtexref);
CUresult cuTexRefGetAddressMode(CUaddress_mode *, CUtexref, int);
CUresult cuTexRefGetFilterMode(CUfilter_mode *, CUtexref);
CUresult cuTexRefGetFormat(CUarray_format *, int *, CUtexref);
CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *, CUtexref);
CUresult cuTexRefGetMipmapLevelBias(float *, CUtexref);
CUresult cuTexRefGetMipmapLevelClamp(float *, float *, CUtexref);
CUresult cuTexRefGetMaxAnisotropy(int *, CUtexref), cuTexRefGetBorderColor(float *, CUtexref);
CUresult cuTexRefGetFlags(unsigned *, CUtexref), cuSurfRefSetArray(CUsurfref, CUarray, unsigned);
CUresult cuSurfRefGetArray(CUarray *, CUsurfref), cuParamSetTexRef(CUfunction, int, CUtexref);
CUresult cuFuncSetBlockShape(CUfunction, int, int, int), cuFuncSetSharedSize(CUfunction, unsigned);
CUresult cuParamSetSize(CUfunction, unsigned), cuParamSeti(CUfunction, int, unsigned);
CUresult cuParamSetf(CUfunction, int, float), cuParamSetv(CUfunction, int, void *, unsigned);
CUresult cuLaunch(CUfunction), cuLaunchGrid(CUfunction, int, int);
CUresult cuLaunchGridAsync(CUfunction, int, int, CUstream);
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *, unsigned, unsigned);
CUresult cuOccupancyMaxActiveClusters(int *, CUfunction, const CUlaunchConfig *);
CUresult cuOccupancyMaxPotentialClusterSize(int *, CUfunction, const CUlaunchConfig *);
#define cuArray3DCreate cuArray3DCreate_v2
#define cuTexRefSetAddress cuTexRefSetAddress_v2
#define cuTexRefGetAddress cuTexRefGetAddress_v2
#define cuTexRefSetAddress2D cuTexRefSetAddress2D_v3
#endif

enum {
    WIDTH = 8,
    HEIGHT = 4,
    FORMAT_BYTE = 1,
    FORMAT_INT = 10,
    FORMAT_FLOAT = 0x20,
    FLAG_INTEGERS = 1,
    FLAG_NORMALIZED = 2,
    FLAG_SURFACE = 2,
};

/* fetch: texel i of `line`; plane: `picture` at (x, y), a float; paint: a surface's word; odd: the
 * block's shape, its dynamic shared memory, and parameters of three types. */
static const char module_text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .global .texref line;\n.visible .global .texref picture;\n"
    ".visible .global .texref deep;\n.visible .global .surfref canvas;\n"
    ".visible .entry fetch(.param .u64 to, .param .u32 from) {\n"
    ".reg .b64 %o, %a; .reg .b32 %r<8>;\n"
    "ld.param.u64 %o, [to]; ld.param.u32 %r7, [from]; mov.u32 %r0, %tid.x;\n"
    "mul.wide.u32 %a, %r0, 4; add.u64 %o, %o, %a; add.u32 %r0, %r0, %r7;\n"
    "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [line, {%r0}];\n"
    "st.global.u32 [%o], %r1; ret;\n}\n"
    ".visible .entry plane(.param .u64 to, .param .f32 x, .param .f32 y) {\n"
    ".reg .b64 %o; .reg .f32 %f<8>;\n"
    "ld.param.u64 %o, [to]; ld.param.f32 %f0, [x]; ld.param.f32 %f1, [y];\n"
    "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [picture, {%f0, %f1}];\n"
    "st.global.f32 [%o], %f2; ret;\n}\n"
    ".visible .entry levels(.param .u64 to, .param .f32 level) {\n"
    ".reg .b64 %o; .reg .f32 %f<8>;\n"
    "ld.param.u64 %o, [to]; ld.param.f32 %f0, [level]; mov.f32 %f1, 0f3F000000;\n"
    "tex.level.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [deep, {%f1, %f1}], %f0;\n"
    "st.global.f32 [%o], %f2; ret;\n}\n"
    ".visible .entry paint(.param .u64 to) {\n"
    ".reg .b64 %o; .reg .b32 %r<8>;\n"
    "ld.param.u64 %o, [to]; mov.u32 %r0, 8; mov.u32 %r1, 1; mov.u32 %r2, 4711;\n"
    "sust.b.2d.b32.trap [canvas, {%r0, %r1}], {%r2};\n"
    "suld.b.2d.b32.trap {%r3}, [canvas, {%r0, %r1}];\n"
    "st.global.u32 [%o], %r3; ret;\n}\n"
    ".visible .entry pieces(.param .u64 to, .param .u32 i, .param .f32 f) {\n"
    ".reg .b64 %o; .reg .b32 %r<8>; .reg .f32 %f<4>;\n"
    "ld.param.u64 %o, [to]; ld.param.u32 %r0, [i]; ld.param.f32 %f0, [f];\n"
    "mov.u32 %r1, %ntid.x; mad.lo.u32 %r1, %r1, 100, 0; mov.u32 %r2, %ntid.y; add.u32 %r1, %r1, "
    "%r2;\n"
    "mov.u32 %r3, %nctaid.x; mad.lo.u32 %r3, %r3, 100, 0; mov.u32 %r4, %nctaid.y; add.u32 %r3, "
    "%r3, "
    "%r4;\n"
    "mov.u32 %r5, %dynamic_smem_size;\n"
    "st.global.u32 [%o], %r0; st.global.f32 [%o+4], %f0; st.global.u32 [%o+8], %r1;\n"
    "st.global.u32 [%o+12], %r3; st.global.u32 [%o+16], %r5; ret;\n}\n";

static CUmodule module;
static CUdeviceptr to;

static CUfunction function(const char *name)
{
    CUfunction found = NULL;
    GOOD(cuModuleGetFunction(&found, module, name));
    return found;
}

static void run(const char *name, void **parameters, unsigned threads)
{
    GOOD(cuLaunchKernel(function(name), 1, 1, 1, threads, 1, 1, 0, NULL, parameters, NULL));
}

static float fetched(const char *name, float first, float second)
{
    float value = -1;
    void *parameters[] = {&to, &first, &second};
    run(name, parameters, 1);
    GOOD(cuMemcpyDtoH(&value, to, sizeof value));
    return value;
}

/* ---- References ---- */

static void linear_memory(void)
{
    CUtexref line, again, spare;
    CUdeviceptr memory, other, found;
    unsigned words[64], got[8], from = 2;
    size_t offset = 7;
    int format, channels;
    void *parameters[] = {&to, &from};
    for (unsigned i = 0; i < 64; i++)
        words[i] = 1000 + 3 * i;
    GOOD(cuMemAlloc(&memory, sizeof words));
    GOOD(cuMemAlloc(&other, sizeof words));
    GOOD(cuMemcpyHtoD(memory, words, sizeof words));
    GOOD(cuMemsetD32(other, 5, 64));
    EXPECT(cuModuleGetTexRef(&line, module, "canvas"), NOT_FOUND);
    EXPECT(cuModuleGetTexRef(NULL, module, "line"), INVALID_VALUE);
    GOOD(cuModuleGetTexRef(&line, module, "line"));
    GOOD(cuModuleGetTexRef(&again, module, "line"));
    CHECK(line == again);
    EXPECT(cuTexRefGetAddress(&found, line), INVALID_VALUE);
    EXPECT(cuTexRefSetFormat(line, FORMAT_INT, 3), INVALID_VALUE);
    GOOD(cuTexRefSetFormat(line, FORMAT_INT, 1));
    GOOD(cuTexRefGetFormat(&format, &channels, line));
    CHECK(format == FORMAT_INT && channels == 1);
    GOOD(cuTexRefSetFlags(line, FLAG_INTEGERS));
    GOOD(cuTexRefSetAddress(&offset, line, memory, sizeof words));
    CHECK(offset == 0);
    GOOD(cuTexRefGetAddress(&found, line));
    CHECK(found == memory);
    GOOD(cuParamSetTexRef(function("fetch"), -1, line));
    EXPECT(cuParamSetTexRef(function("fetch"), 0, line), INVALID_VALUE);
    run("fetch", parameters, 8);
    GOOD(cuTexRefSetAddress(NULL, line, other, sizeof words)); /* the launch before has read */
    GOOD(cuMemcpyDtoH(got, to, sizeof got));
    for (unsigned i = 0; i < 8; i++)
        CHECK(got[i] == words[i + 2]);
    EXPECT(cuTexRefSetAddress(NULL, line, memory + 8, 64), INVALID_VALUE);
    GOOD(cuTexRefSetAddress(&offset, line, memory + 8, 64));
    CHECK(offset == 8);
    run("fetch", parameters, 8);
    GOOD(cuMemcpyDtoH(got, to, sizeof got));
    CHECK(got[0] == words[2] && got[7] == words[9]);
    EXPECT(cuTexRefSetAddress(&offset, line, memory, sizeof words + 4), INVALID_VALUE);
    /* One that no kernel has keeps what it is told. */
    GOOD(cuTexRefCreate(&spare));
    GOOD(cuTexRefSetAddress(&offset, spare, memory, 64));
    GOOD(cuTexRefGetAddress(&found, spare));
    CHECK(found == memory);
    GOOD(cuTexRefDestroy(spare));
    EXPECT(cuTexRefDestroy(spare), INVALID_VALUE);
    EXPECT(cuTexRefDestroy(line), INVALID_VALUE);
    GOOD(cuMemFree(memory));
    GOOD(cuMemFree(other));
}

static void picture(void)
{
    CUtexref texture;
    CUarray array, found;
    CUdeviceptr rows;
    size_t pitch;
    unsigned char shades[HEIGHT][WIDTH];
    float border[4] = {0.25f, 0, 0, 0}, color[4];
    int mode, most;
    unsigned flags;
    CUDA_ARRAY3D_DESCRIPTOR shape = {WIDTH, HEIGHT, 0, FORMAT_BYTE, 1, 0};
    CUDA_ARRAY_DESCRIPTOR lines = {WIDTH, HEIGHT, FORMAT_BYTE, 1};
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = shades,
                          .srcPitch = WIDTH,
                          .dstMemoryType = 3,
                          .WidthInBytes = WIDTH,
                          .Height = HEIGHT};
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        shades[i / WIDTH][i % WIDTH] = (unsigned char)(5 * i);
    GOOD(cuArray3DCreate(&array, &shape));
    copy.dstArray = array;
    GOOD(cuMemcpy2D(&copy));
    GOOD(cuModuleGetTexRef(&texture, module, "picture"));
    EXPECT(cuTexRefSetArray(texture, array, 0), INVALID_VALUE);
    EXPECT(cuTexRefGetArray(&found, texture), INVALID_VALUE);
    GOOD(cuTexRefSetArray(texture, array, 1));
    GOOD(cuTexRefGetArray(&found, texture));
    CHECK(found == array);
    CHECK(fetched("plane", 3.5f, 1.5f) == 55 / 255.0f);
    CHECK(fetched("plane", 4.0f, 1.5f) == 60 / 255.0f);
    GOOD(cuTexRefSetFilterMode(texture, 1));
    CHECK(fetched("plane", 4.0f, 1.5f) == 57.5f / 255.0f);
    GOOD(cuTexRefGetFilterMode(&mode, texture));
    CHECK(mode == 1);
    EXPECT(cuTexRefSetFilterMode(texture, 2), INVALID_VALUE);
    GOOD(cuTexRefSetFlags(texture, FLAG_NORMALIZED));
    GOOD(cuTexRefGetFlags(&flags, texture));
    CHECK(flags == FLAG_NORMALIZED);
    CHECK(fetched("plane", 0.5f, 1.5f / HEIGHT) == 57.5f / 255.0f);
    EXPECT(cuTexRefSetFlags(texture, 0x1000), INVALID_VALUE);
    GOOD(cuTexRefSetAddressMode(texture, 0, 3));
    GOOD(cuTexRefSetAddressMode(texture, 1, 1));
    GOOD(cuTexRefGetAddressMode(&mode, texture, 0));
    CHECK(mode == 3);
    EXPECT(cuTexRefSetAddressMode(texture, 3, 0), INVALID_VALUE);
    GOOD(cuTexRefSetBorderColor(texture, border));
    GOOD(cuTexRefGetBorderColor(color, texture));
    CHECK(memcmp(color, border, sizeof color) == 0);
    CHECK(fetched("plane", -2.0f, 0.5f) == 0.25f);
    GOOD(cuTexRefSetMaxAnisotropy(texture, 4));
    GOOD(cuTexRefGetMaxAnisotropy(&most, texture));
    CHECK(most == 4);
    GOOD(cuMemAllocPitch(&rows, &pitch, WIDTH, HEIGHT, 4));
    GOOD(cuMemsetD2D8(rows, pitch, 51, WIDTH, HEIGHT));
    GOOD(cuTexRefSetAddress2D(texture, &lines, rows, pitch));
    CHECK(fetched("plane", 0.5f, 0.5f) == 0.2f);
    EXPECT(cuTexRefSetAddress2D(texture, NULL, rows, pitch), INVALID_VALUE);
    EXPECT(cuTexRefSetAddress2D(texture, &lines, rows + 1, pitch), INVALID_VALUE);
    GOOD(cuMemFree(rows));
    GOOD(cuArrayDestroy(array));
}

static void mipmaps(void)
{
    CUtexref texture;
    CUmipmappedArray mipmapped, found;
    CUDA_ARRAY3D_DESCRIPTOR shape = {4, 4, 0, FORMAT_FLOAT, 1, 0};
    float least, most, bias;
    int mode;
    GOOD(cuMipmappedArrayCreate(&mipmapped, &shape, 3));
    for (unsigned i = 0; i < 3; i++) {
        CUarray level;
        float texels[16];
        for (int k = 0; k < 16; k++)
            texels[k] = 10.0f * (float)i;
        CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                              .srcHost = texels,
                              .srcPitch = 16 >> i,
                              .dstMemoryType = 3,
                              .WidthInBytes = 16 >> i,
                              .Height = 4 >> i};
        GOOD(cuMipmappedArrayGetLevel(&level, mipmapped, i));
        copy.dstArray = level;
        GOOD(cuMemcpy2D(&copy));
    }
    GOOD(cuModuleGetTexRef(&texture, module, "deep"));
    EXPECT(cuTexRefGetMipmappedArray(&found, texture), INVALID_VALUE);
    GOOD(cuTexRefSetMipmappedArray(texture, mipmapped, 1));
    GOOD(cuTexRefGetMipmappedArray(&found, texture));
    CHECK(found == mipmapped);
    GOOD(cuTexRefSetFlags(texture, FLAG_NORMALIZED)); /* without, it is not complete */
    GOOD(cuTexRefSetMipmapLevelClamp(texture, 0, 2));
    GOOD(cuTexRefGetMipmapLevelClamp(&least, &most, texture));
    CHECK(least == 0 && most == 2);
    CHECK(fetched("levels", 1.25f, 0) == 10);
    GOOD(cuTexRefSetMipmapFilterMode(texture, 1));
    GOOD(cuTexRefGetMipmapFilterMode(&mode, texture));
    CHECK(mode == 1);
    CHECK(fetched("levels", 1.25f, 0) == 12.5f);
    GOOD(cuTexRefSetMipmapLevelBias(texture, 0.5f));
    GOOD(cuTexRefGetMipmapLevelBias(&bias, texture));
    CHECK(bias == 0.5f);
    CHECK(fetched("levels", 1.25f, 0) == 17.5f);
    GOOD(cuMipmappedArrayDestroy(mipmapped));
}

/* No array here is of planes, sparse, or waits for memory. */
static void wholes(void)
{
    CUarray array, plane;
    CUmipmappedArray mipmapped;
    char answer[64];
    CUDA_ARRAY3D_DESCRIPTOR shape = {4, 4, 0, FORMAT_FLOAT, 1, 0};
    GOOD(cuArray3DCreate(&array, &shape));
    GOOD(cuMipmappedArrayCreate(&mipmapped, &shape, 2));
    EXPECT(cuArrayGetMemoryRequirements((void *)answer, array, 0), INVALID_VALUE);
    EXPECT(cuArrayGetMemoryRequirements((void *)answer, array, 1), INVALID_DEVICE);
    EXPECT(cuMipmappedArrayGetMemoryRequirements((void *)answer, mipmapped, 0), INVALID_VALUE);
    EXPECT(cuMipmappedArrayGetMemoryRequirements((void *)answer, (CUmipmappedArray)array, 0),
           INVALID_HANDLE);
    EXPECT(cuArrayGetSparseProperties((void *)answer, array), INVALID_VALUE);
    EXPECT(cuArrayGetSparseProperties((void *)answer, (CUarray)mipmapped), INVALID_HANDLE);
    EXPECT(cuMipmappedArrayGetSparseProperties((void *)answer, mipmapped), INVALID_VALUE);
    EXPECT(cuMipmappedArrayGetSparseProperties((void *)answer, (CUmipmappedArray)array),
           INVALID_HANDLE);
    EXPECT(cuArrayGetPlane(&plane, array, 0), INVALID_VALUE);
    EXPECT(cuArrayGetPlane(&plane, (CUarray)answer, 0), INVALID_HANDLE);
    GOOD(cuArrayDestroy(array));
    GOOD(cuMipmappedArrayDestroy(mipmapped));
}

static void surface(void)
{
    CUsurfref canvas;
    CUarray array, plain, found;
    CUDA_ARRAY3D_DESCRIPTOR shape = {WIDTH, HEIGHT, 0, FORMAT_INT, 1, FLAG_SURFACE};
    unsigned value = 0;
    void *parameters[] = {&to};
    GOOD(cuArray3DCreate(&array, &shape));
    shape.Flags = 0;
    GOOD(cuArray3DCreate(&plain, &shape));
    EXPECT(cuModuleGetSurfRef(&canvas, module, "line"), NOT_FOUND);
    GOOD(cuModuleGetSurfRef(&canvas, module, "canvas"));
    EXPECT(cuSurfRefGetArray(&found, canvas), INVALID_VALUE);
    EXPECT(cuSurfRefSetArray(canvas, plain, 0), INVALID_VALUE);
    EXPECT(cuSurfRefSetArray(canvas, array, 1), INVALID_VALUE);
    GOOD(cuSurfRefSetArray(canvas, array, 0));
    GOOD(cuSurfRefGetArray(&found, canvas));
    CHECK(found == array);
    run("paint", parameters, 1);
    GOOD(cuMemcpyDtoH(&value, to, sizeof value));
    CHECK(value == 4711);
    GOOD(cuArrayDestroy(array));
    GOOD(cuArrayDestroy(plain));
}

/* ---- Launches of before CUDA 4 ---- */

static void expect_pieces(unsigned i, float f, unsigned block, unsigned grid, unsigned shared)
{
    struct {
        unsigned i;
        float f;
        unsigned block, grid, shared;
    } got;
    GOOD(cuMemcpyDtoH(&got, to, sizeof got));
    CHECK(got.i == i && got.f == f && got.block == block && got.grid == grid &&
          got.shared == shared);
    GOOD(cuMemsetD8(to, 0, sizeof got));
}

static void pieces(void)
{
    CUfunction kernel = function("pieces");
    CUstream stream;
    GOOD(cuStreamCreate(&stream, 0));
    GOOD(cuParamSetv(kernel, 0, &to, sizeof to));
    GOOD(cuParamSeti(kernel, 8, 17));
    GOOD(cuParamSetf(kernel, 12, 2.5f));
    EXPECT(cuLaunch(kernel), INVALID_VALUE); /* no parameters yet, by their size */
    GOOD(cuParamSetSize(kernel, 16));
    GOOD(cuLaunch(kernel));
    expect_pieces(17, 2.5f, 101, 101, 0);
    GOOD(cuFuncSetBlockShape(kernel, 8, 4, 1));
    GOOD(cuFuncSetSharedSize(kernel, 256));
    GOOD(cuLaunchGrid(kernel, 3, 2));
    expect_pieces(17, 2.5f, 804, 302, 256);
    GOOD(cuParamSeti(kernel, 8, 18));
    GOOD(cuLaunchGridAsync(kernel, 1, 5, stream));
    GOOD(cuParamSeti(kernel, 8, 19)); /* for the next launch */
    GOOD(cuStreamSynchronize(stream));
    expect_pieces(18, 2.5f, 804, 105, 256);
    EXPECT(cuFuncSetBlockShape(kernel, 0, 1, 1), INVALID_VALUE);
    EXPECT(cuParamSetSize(kernel, 5000), INVALID_VALUE);
    EXPECT(cuParamSetv(kernel, -4, &to, 4), INVALID_VALUE);
    EXPECT(cuParamSeti(kernel, 4352, 1), INVALID_VALUE);
    EXPECT(cuLaunchGrid(kernel, 0, 1), INVALID_VALUE);
    EXPECT(cuLaunch((CUfunction)&stream), INVALID_HANDLE);

    unsigned i = 20;
    float f = 0.5f;
    void *parameters[] = {&to, &i, &f};
    CUDA_LAUNCH_PARAMS each[2] = {{kernel, 2, 1, 1, 32, 1, 1, 64, stream, parameters}};
    GOOD(cuLaunchCooperativeKernelMultiDevice(each, 1, 0));
    GOOD(cuStreamSynchronize(stream));
    expect_pieces(20, 0.5f, 3201, 201, 64);
    EXPECT(cuLaunchCooperativeKernelMultiDevice(each, 2, 0), INVALID_VALUE);
    EXPECT(cuLaunchCooperativeKernelMultiDevice(each, 1, 4), INVALID_VALUE);
    each[0].hStream = NULL;
    EXPECT(cuLaunchCooperativeKernelMultiDevice(each, 1, 0), INVALID_HANDLE);
    GOOD(cuStreamDestroy(stream));
}

static void clusters(void)
{
    int count = 0, blocks = 0, processors = 0;
    CUlaunchConfig configuration = {.gridDimX = 8,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = 1024,
                                    .blockDimY = 1,
                                    .blockDimZ = 1};
    GOOD(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function("pieces"), 1024, 0));
    GOOD(cuDeviceGetAttribute(&processors, 16, 0));
    GOOD(cuOccupancyMaxActiveClusters(&count, function("pieces"), &configuration));
    CHECK(count == blocks * processors && count > 0);
    GOOD(cuOccupancyMaxPotentialClusterSize(&count, function("pieces"), &configuration));
    CHECK(count == 1);
    EXPECT(cuOccupancyMaxActiveClusters(&count, function("pieces"), NULL), INVALID_VALUE);
    EXPECT(cuOccupancyMaxPotentialClusterSize(NULL, function("pieces"), &configuration),
           INVALID_VALUE);
}

int main(void)
{
    CUcontext context;
    CUtexref line;
    GOOD(cuInit(0));
    GOOD(make_context(&context));
    GOOD(cuModuleLoadData(&module, module_text));
    GOOD(cuMemAlloc(&to, 256));
    linear_memory();
    picture();
    mipmaps();
    wholes();
    surface();
    pieces();
    clusters();
    GOOD(cuModuleGetTexRef(&line, module, "line"));
    GOOD(cuModuleUnload(module));
    EXPECT(cuTexRefSetFlags(line, 0), INVALID_VALUE); /* gone with its module */
    GOOD(cuCtxDestroy(context));
    return verdict();
}
