// Arrays, mipmapped arrays, texture and surface objects of the driver API.
#include "driver_api.h"

#ifndef TOOLKIT
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef unsigned long long CUtexObject, CUsurfObject;
typedef struct {
    size_t Width, Height;
    int Format;
    unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct {
    size_t Width, Height, Depth;
    int Format;
    unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct {
    int resType;
    union {
        struct {
            CUarray hArray;
        } array;
        struct {
            CUmipmappedArray hMipmappedArray;
        } mipmap;
        struct {
            CUdeviceptr devPtr;
            int format;
            unsigned numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            CUdeviceptr devPtr;
            int format;
            unsigned numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} CUDA_RESOURCE_DESC;
typedef struct {
    int addressMode[3], filterMode;
    unsigned flags, maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;
typedef struct {
    int format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
} CUDA_RESOURCE_VIEW_DESC;
CUresult cuArrayCreate_v2(CUarray *, const CUDA_ARRAY_DESCRIPTOR *), cuArrayDestroy(CUarray);
CUresult cuArray3DCreate_v2(CUarray *, const CUDA_ARRAY3D_DESCRIPTOR *);
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *, CUarray);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *, CUarray);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *, const CUDA_ARRAY3D_DESCRIPTOR *, unsigned);
CUresult cuMipmappedArrayGetLevel(CUarray *, CUmipmappedArray, unsigned);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray);
CUresult cuMemcpyHtoA_v2(CUarray, size_t, const void *, size_t);
CUresult cuMemcpyAtoH_v2(void *, CUarray, size_t, size_t);
CUresult cuMemcpyDtoA_v2(CUarray, size_t, CUdeviceptr, size_t);
CUresult cuMemcpyAtoD_v2(CUdeviceptr, CUarray, size_t, size_t);
CUresult cuMemcpyAtoA_v2(CUarray, size_t, CUarray, size_t, size_t);
CUresult cuMemcpyHtoAAsync_v2(CUarray, size_t, const void *, size_t, CUstream);
CUresult cuMemcpyAtoHAsync_v2(void *, CUarray, size_t, size_t, CUstream);
CUresult cuMemcpy3DPeer(const void *), cuMemcpy3DPeerAsync(const void *, CUstream);
CUresult cuTexObjectCreate(CUtexObject *, const CUDA_RESOURCE_DESC *, const CUDA_TEXTURE_DESC *,
                           const CUDA_RESOURCE_VIEW_DESC *);
CUresult cuTexObjectDestroy(CUtexObject);
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *, CUtexObject);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *, CUtexObject);
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *, CUtexObject);
CUresult cuSurfObjectCreate(CUsurfObject *, const CUDA_RESOURCE_DESC *);
CUresult cuSurfObjectDestroy(CUsurfObject);
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *, CUsurfObject);
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *, int, unsigned, CUdevice);
#define cuArrayCreate cuArrayCreate_v2
#define cuArray3DCreate cuArray3DCreate_v2
#define cuArrayGetDescriptor cuArrayGetDescriptor_v2
#define cuArray3DGetDescriptor cuArray3DGetDescriptor_v2
#define cuMemcpyHtoA cuMemcpyHtoA_v2
#define cuMemcpyAtoH cuMemcpyAtoH_v2
#define cuMemcpyDtoA cuMemcpyDtoA_v2
#define cuMemcpyAtoD cuMemcpyAtoD_v2
#define cuMemcpyAtoA cuMemcpyAtoA_v2
#define cuMemcpyHtoAAsync cuMemcpyHtoAAsync_v2
#define cuMemcpyAtoHAsync cuMemcpyAtoHAsync_v2
#endif

enum { UNSIGNED8 = 1, SIGNED32 = 0x0a, HALF = 0x10, FLOAT = 0x20, SURFACE = 2 };
#define ARRAY ((CUmemorytype)3)
enum { OF_ARRAY, OF_MIPMAP, OF_LINEAR, OF_PITCH };
enum { CLAMP = 1, AS_INTEGER = 1, NORMALIZED = 2 };

#define HEAD                                                                    \
    "  .reg .b64 %d<4>;\n  .reg .b32 %r<5>;\n  .reg .f32 %f<7>;\n"              \
    "  ld.param.u64 %d1, [object];\n  ld.param.u64 %d2, [to];\n"                \
    "  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, %tid.y;\n  mov.u32 %r3, %ntid.x;\n" \
    "  mad.lo.u32 %r3, %r2, %r3, %r1;\n  mul.wide.u32 %d3, %r3, 4;\n"           \
    "  add.s64 %d3, %d2, %d3;\n"
#define PARAMETERS "(.param .u64 object, .param .u64 to, .param .f32 level)\n{\n" HEAD

static const char module_text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry fetch_floats" PARAMETERS
    "  ld.param.f32 %f3, [level];\n  cvt.rn.f32.u32 %f1, %r1;\n  cvt.rn.f32.u32 %f2, %r2;\n"
    "  tex.level.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}], %f3;\n"
    "  st.global.f32 [%d3], %f3;\n  ret;\n}\n"
    ".visible .entry fetch_integers" PARAMETERS
    "  tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%d1, {%r1}];\n"
    "  st.global.u32 [%d3], %r1;\n  ret;\n}\n"
    ".visible .entry fetch_line" PARAMETERS
    "  tex.1d.v4.f32.s32 {%f3, %f4, %f5, %f6}, [%d1, {%r1}];\n"
    "  st.global.f32 [%d3], %f3;\n  ret;\n}\n"
    ".visible .entry store" PARAMETERS
    "  shl.b32 %r4, %r1, 2;\n  sust.b.2d.b32.trap [%d1, {%r4, %r2}], {%r3};\n  ret;\n}\n";

static CUfunction fetch_floats, fetch_integers, fetch_line, store;

static void run(CUfunction function, unsigned long long object, CUdeviceptr to, unsigned width,
                unsigned height, float level)
{
    void *parameters[] = {&object, &to, &level};
    GOOD(cuLaunchKernel(function, 1, 1, 1, width, height, 1, 0, NULL, parameters, NULL));
    GOOD(cuCtxSynchronize());
}

static void check_descriptors(void)
{
    CUarray array;
    CUDA_ARRAY_DESCRIPTOR flat = {.Width = 20, .Height = 10, .Format = HALF, .NumChannels = 4}, got;
    CUDA_ARRAY3D_DESCRIPTOR deep = {.Width = 8,
                                    .Height = 6,
                                    .Depth = 4,
                                    .Format = UNSIGNED8,
                                    .NumChannels = 2,
                                    .Flags = SURFACE},
                            found;
    size_t most;
    GOOD(cuArrayCreate(&array, &flat));
    GOOD(cuArrayGetDescriptor(&got, array));
    CHECK(got.Width == 20 && got.Height == 10 && got.Format == HALF && got.NumChannels == 4);
    GOOD(cuArray3DGetDescriptor(&found, array));
    CHECK(found.Width == 20 && found.Height == 10 && found.Depth == 0 && found.Flags == 0);
    GOOD(cuArrayDestroy(array));
    EXPECT(cuArrayDestroy(array), INVALID_HANDLE);
    EXPECT(cuArrayDestroy(NULL), INVALID_HANDLE);
    EXPECT(cuArrayGetDescriptor(&got, array), INVALID_HANDLE);
    GOOD(cuArray3DCreate(&array, &deep));
    GOOD(cuArray3DGetDescriptor(&found, array));
    CHECK(found.Width == 8 && found.Height == 6 && found.Depth == 4 && found.Flags == SURFACE &&
          found.Format == UNSIGNED8 && found.NumChannels == 2);
    EXPECT(cuArray3DGetDescriptor(NULL, array), INVALID_VALUE);
    GOOD(cuArrayDestroy(array));
    flat.NumChannels = 3;
    EXPECT(cuArrayCreate(&array, &flat), INVALID_VALUE);
    flat.NumChannels = 1;
    flat.Format = 0x91; // block-compressed
    EXPECT(cuArrayCreate(&array, &flat), INVALID_VALUE);
    EXPECT(cuArrayCreate(&array, NULL), INVALID_VALUE);
    flat.Format = FLOAT;
    flat.Width = 0;
    EXPECT(cuArrayCreate(&array, &flat), INVALID_VALUE);
    GOOD(cuDeviceGetTexture1DLinearMaxWidth(&most, FLOAT, 4, 0));
    CHECK(most > 1000);
    EXPECT(cuDeviceGetTexture1DLinearMaxWidth(&most, FLOAT, 3, 0), INVALID_VALUE);
}

// Bytes through two arrays of one dimension, and device memory, each time moved on a little.
static void check_lines(void)
{
    enum { BYTES = 256 };
    static unsigned char from[BYTES], to[BYTES];
    CUDA_ARRAY_DESCRIPTOR line = {.Width = BYTES / 4, .Format = SIGNED32, .NumChannels = 1};
    CUarray one, two;
    CUdeviceptr data;
    CUstream stream;
    for (int i = 0; i < BYTES; i++)
        from[i] = (unsigned char)(3 * i + 1);
    GOOD(cuArrayCreate(&one, &line));
    GOOD(cuArrayCreate(&two, &line));
    GOOD(cuMemAlloc(&data, BYTES));
    GOOD(cuStreamCreate(&stream, 1));
    GOOD(cuMemcpyHtoA(one, 0, from, BYTES));
    GOOD(cuMemcpyAtoA(two, 8, one, 4, 100));
    GOOD(cuMemcpyAtoD(data + 16, two, 8, 100));
    GOOD(cuMemcpyDtoA(one, 200, data + 16, 20));
    GOOD(cuMemcpyAtoH(to, one, 200, 20));
    for (int i = 0; i < 20; i++)
        CHECK(to[i] == from[4 + i]);
    GOOD(cuMemcpyHtoAAsync(two, 4, from, 64, stream));
    GOOD(cuMemcpyAtoHAsync(to, two, 8, 60, stream));
    GOOD(cuStreamSynchronize(stream));
    for (int i = 0; i < 60; i++)
        CHECK(to[i] == from[4 + i]);
    EXPECT(cuMemcpyHtoA(one, 2, from, 4), INVALID_VALUE);     // within a texel
    EXPECT(cuMemcpyHtoA(one, 4, from, BYTES), INVALID_VALUE); // beyond the end
    EXPECT(cuMemcpyHtoA((CUarray)&one, 0, from, 4), INVALID_HANDLE);
    GOOD(cuStreamDestroy(stream));
    GOOD(cuMemFree(data));
    GOOD(cuArrayDestroy(one));
    GOOD(cuArrayDestroy(two));
}

// Written by a surface, read by a texture and by a copy.
static void check_surface_and_texture(CUcontext context)
{
    enum { WIDTH = 16, HEIGHT = 8 };
    static float floats[WIDTH * HEIGHT];
    static unsigned words[WIDTH * HEIGHT];
    CUDA_ARRAY3D_DESCRIPTOR shape = {
        .Width = WIDTH, .Height = HEIGHT, .Format = FLOAT, .NumChannels = 1, .Flags = SURFACE};
    CUDA_RESOURCE_DESC resource = {.resType = OF_ARRAY}, found;
    CUDA_TEXTURE_DESC sampler = {.addressMode = {CLAMP, CLAMP, CLAMP}}, asked;
    CUarray array;
    CUtexObject texture;
    CUsurfObject surface;
    CUdeviceptr data;
    GOOD(cuMemAlloc(&data, sizeof floats));
    GOOD(cuArray3DCreate(&array, &shape));
    resource.res.array.hArray = array;
    GOOD(cuSurfObjectCreate(&surface, &resource));
    run(store, surface, data, WIDTH, HEIGHT, 0);
    GOOD(cuSurfObjectGetResourceDesc(&found, surface));
    CHECK(found.resType == OF_ARRAY && found.res.array.hArray == array);
    GOOD(cuSurfObjectDestroy(surface));
    EXPECT(cuSurfObjectDestroy(surface), INVALID_VALUE);
    CUDA_MEMCPY3D out = {.srcMemoryType = ARRAY,
                         .srcArray = array,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = words,
                         .dstPitch = WIDTH * 4,
                         .dstHeight = HEIGHT,
                         .WidthInBytes = WIDTH * 4,
                         .Height = HEIGHT,
                         .Depth = 1};
    GOOD(cuMemcpy3D(&out));
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        CHECK(words[i] == i);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        floats[i] = 0.5f * (float)i;
    CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = floats,
                        .srcPitch = WIDTH * 4,
                        .dstMemoryType = ARRAY,
                        .dstArray = array,
                        .WidthInBytes = WIDTH * 4,
                        .Height = HEIGHT};
    GOOD(cuMemcpy2D(&in));
    sampler.flags = 0;
    GOOD(cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    run(fetch_floats, texture, data, WIDTH, HEIGHT, 0);
    GOOD(cuMemcpyDtoH(words, data, sizeof words));
    CHECK(memcmp(words, floats, sizeof words) == 0);
    GOOD(cuTexObjectGetResourceDesc(&found, texture));
    CHECK(found.res.array.hArray == array);
    GOOD(cuTexObjectGetTextureDesc(&asked, texture));
    CHECK(asked.addressMode[0] == CLAMP && asked.flags == 0 && asked.filterMode == 0);
    GOOD(cuTexObjectDestroy(texture));
    EXPECT(cuTexObjectGetTextureDesc(&asked, texture), INVALID_VALUE);
    // Between contexts, of which there must be two, though they share all memory.
    struct {
        CUDA_MEMCPY3D copy;
    } peer = {out};
    memset(words, 0, sizeof words);
    EXPECT(cuMemcpy3DPeer((const void *)&peer), INVALID_CONTEXT);
    peer.copy.reserved0 = peer.copy.reserved1 = context;
    GOOD(cuMemcpy3DPeer((const void *)&peer));
    CHECK(memcmp(words, floats, sizeof words) == 0);
    memset(words, 0, sizeof words);
    GOOD(cuMemcpy3DPeerAsync((const void *)&peer, NULL));
    GOOD(cuCtxSynchronize());
    CHECK(memcmp(words, floats, sizeof words) == 0);
    sampler.flags = 0x80;
    EXPECT(cuTexObjectCreate(&texture, &resource, &sampler, NULL), INVALID_VALUE);
    resource.resType = 7;
    EXPECT(cuTexObjectCreate(&texture, &resource, &sampler, NULL), INVALID_VALUE);
    EXPECT(cuTexObjectCreate(&texture, &resource, NULL, NULL), INVALID_VALUE);
    GOOD(cuArrayDestroy(array));
    GOOD(cuMemFree(data));
}

// Bytes of linear memory, as they are and as parts of one.
static void check_linear(void)
{
    enum { COUNT = 32 };
    unsigned char bytes[COUNT];
    int integers[COUNT];
    float floats[COUNT];
    CUdeviceptr from, to;
    CUtexObject texture;
    CUDA_RESOURCE_DESC resource = {.resType = OF_LINEAR}, found;
    CUDA_TEXTURE_DESC sampler = {.flags = AS_INTEGER}, asked;
    for (int i = 0; i < COUNT; i++)
        bytes[i] = (unsigned char)(i * 8);
    GOOD(cuMemAlloc(&from, COUNT));
    GOOD(cuMemAlloc(&to, COUNT * 4));
    GOOD(cuMemcpyHtoD(from, bytes, COUNT));
    resource.res.linear.devPtr = from;
    resource.res.linear.format = UNSIGNED8;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = COUNT;
    GOOD(cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    run(fetch_integers, texture, to, COUNT, 1, 0);
    GOOD(cuMemcpyDtoH(integers, to, sizeof integers));
    GOOD(cuTexObjectGetTextureDesc(&asked, texture));
    CHECK(asked.flags == AS_INTEGER);
    GOOD(cuTexObjectGetResourceDesc(&found, texture));
    CHECK(found.res.linear.devPtr == from && found.res.linear.format == UNSIGNED8 &&
          found.res.linear.numChannels == 1 && found.res.linear.sizeInBytes == COUNT);
    GOOD(cuTexObjectDestroy(texture));
    sampler.flags = 0;
    GOOD(cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    run(fetch_line, texture, to, COUNT, 1, 0);
    GOOD(cuMemcpyDtoH(floats, to, sizeof floats));
    GOOD(cuTexObjectDestroy(texture));
    for (int i = 0; i < COUNT; i++) {
        CHECK(integers[i] == i * 8);
        CHECK(floats[i] == (float)(i * 8) / 255);
    }
    GOOD(cuMemFree(from));
    GOOD(cuMemFree(to));
}

// Each level has its own number in it; a view shows the last two.
static void check_mipmaps(void)
{
    enum { WIDTH = 8, LEVELS = 4 };
    static float floats[WIDTH * WIDTH];
    CUDA_ARRAY3D_DESCRIPTOR shape = {
        .Width = WIDTH, .Height = WIDTH, .Format = FLOAT, .NumChannels = 1};
    CUDA_RESOURCE_DESC resource = {.resType = OF_MIPMAP};
    CUDA_TEXTURE_DESC sampler = {.flags = NORMALIZED, .maxMipmapLevelClamp = LEVELS};
    CUDA_RESOURCE_VIEW_DESC view = {.format = 0x16, // one float
                                    .width = WIDTH / 4,
                                    .height = WIDTH / 4,
                                    .firstMipmapLevel = 2,
                                    .lastMipmapLevel = 3},
                            asked;
    CUmipmappedArray whole;
    CUarray level;
    CUtexObject texture;
    CUdeviceptr data;
    float got;
    GOOD(cuMemAlloc(&data, 4));
    GOOD(cuMipmappedArrayCreate(&whole, &shape, LEVELS));
    for (unsigned i = 0; i < LEVELS; i++) {
        size_t side = (size_t)WIDTH >> i;
        for (size_t texel = 0; texel < side * side; texel++)
            floats[texel] = (float)(10 + i);
        GOOD(cuMipmappedArrayGetLevel(&level, whole, i));
        CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                            .srcHost = floats,
                            .srcPitch = side * 4,
                            .dstMemoryType = ARRAY,
                            .dstArray = level,
                            .WidthInBytes = side * 4,
                            .Height = side};
        GOOD(cuMemcpy2D(&in));
    }
    EXPECT(cuArrayDestroy(level), INVALID_HANDLE);
    EXPECT(cuMipmappedArrayGetLevel(&level, whole, LEVELS), INVALID_VALUE);
    resource.res.mipmap.hMipmappedArray = whole;
    GOOD(cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    for (int i = 0; i < LEVELS; i++) {
        run(fetch_floats, texture, data, 1, 1, (float)i);
        GOOD(cuMemcpyDtoH(&got, data, 4));
        CHECK(got == (float)(10 + i));
    }
    EXPECT(cuTexObjectGetResourceViewDesc(&asked, texture), INVALID_VALUE); // it has none
    GOOD(cuTexObjectDestroy(texture));
    GOOD(cuTexObjectCreate(&texture, &resource, &sampler, &view));
    run(fetch_floats, texture, data, 1, 1, 1);
    GOOD(cuMemcpyDtoH(&got, data, 4));
    CHECK(got == 13);
    GOOD(cuTexObjectGetResourceViewDesc(&asked, texture));
    CHECK(asked.firstMipmapLevel == 2 && asked.width == 2);
    GOOD(cuTexObjectDestroy(texture));
    GOOD(cuMipmappedArrayDestroy(whole));
    EXPECT(cuMipmappedArrayDestroy(whole), INVALID_HANDLE);
    GOOD(cuMemFree(data));
}

int main(void)
{
    CUcontext context;
    CUmodule module;
    GOOD(cuInit(0));
    GOOD(make_context(&context));
    GOOD(cuModuleLoadData(&module, module_text));
    GOOD(cuModuleGetFunction(&fetch_floats, module, "fetch_floats"));
    GOOD(cuModuleGetFunction(&fetch_integers, module, "fetch_integers"));
    GOOD(cuModuleGetFunction(&fetch_line, module, "fetch_line"));
    GOOD(cuModuleGetFunction(&store, module, "store"));
    check_descriptors();
    check_lines();
    check_surface_and_texture(context);
    check_linear();
    check_mipmaps();
    GOOD(cuCtxDestroy(context));
    return verdict();
}
