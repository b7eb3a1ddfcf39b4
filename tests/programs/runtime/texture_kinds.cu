// Textures of several images through the runtime: layers, cubemaps, mipmaps and views of them, gathers,
// halves, sRGB. Texels are numbered, so that a result says where it came from.
#include "check.h"

#include <cmath>
#include <cstring>
#include <vector>

typedef std::vector<float> floats;

static float number(int level, int slice, int y, int x)
{
    return (float)(10000 * level + 1000 * slice + 100 * y + x);
}

__global__ void layered(cudaTextureObject_t planes, cudaTextureObject_t lines, float *to)
{
    int i = threadIdx.x;
    to[4 * i] = tex2DLayered<float>(planes, i + 0.5f, 2.5f, i - 1);
    to[4 * i + 1] = tex1DLayered<float>(lines, i + 0.5f, i);
    tex2DLayered(&to[4 * i + 2], planes, i + 1.0f, 3.0f, 1);
    tex1DLayered(&to[4 * i + 3], lines, i + 1.0f, 2);
}

__global__ void cubes(cudaTextureObject_t one, cudaTextureObject_t many, float *to)
{
    const float sign = threadIdx.x % 2 ? -1.0f : 1.0f;
    const int axis = threadIdx.x / 2;
    float x = axis == 0 ? sign : 0.3f, y = axis == 1 ? sign : 0.3f, z = axis == 2 ? sign : 0.3f;
    to[2 * threadIdx.x] = texCubemap<float>(one, x, y, z);
    to[2 * threadIdx.x + 1] = texCubemapLayered<float>(many, x, y, z, 1);
}

__global__ void levels(cudaTextureObject_t t, float *to)
{
    to[0] = tex2DLod<float>(t, 0.01f, 0.01f, 0.0f);
    to[1] = tex2DLod<float>(t, 0.01f, 0.01f, 1.0f);
    to[2] = tex2DLod<float>(t, 0.01f, 0.01f, 1.5f);
    to[3] = tex2DGrad<float>(t, 0.01f, 0.01f, make_float2(4.0f / 16, 0), make_float2(0, 1.0f / 16));
    to[4] = tex2D<float>(t, 0.99f, 0.01f);
}

__global__ void gathers(cudaTextureObject_t t, float4 *to)
{
    to[0] = tex2Dgather<float4>(t, 3.0f, 5.0f);
    to[1] = tex2Dgather<float4>(t, 3.0f, 5.0f, 1);
}

__global__ void plain(cudaTextureObject_t t, float4 *to)
{
    to[threadIdx.x] = tex1D<float4>(t, threadIdx.x + 0.5f);
}

static cudaTextureDesc sampler(bool linear, bool normalized)
{
    cudaTextureDesc made;
    std::memset(&made, 0, sizeof made);
    for (int d = 0; d < 3; d++)
        made.addressMode[d] = cudaAddressModeClamp;
    made.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    made.normalizedCoords = normalized;
    made.maxMipmapLevelClamp = 99;
    return made;
}

static cudaTextureObject_t object_of(cudaArray_t array, const cudaTextureDesc &texture)
{
    cudaResourceDesc resource;
    cudaTextureObject_t object = 0;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    GOOD(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    return object;
}

// Numbered floats; `channels` of them each, the second 50000 more.
static void fill(cudaArray_t array, int level, int width, int height, int slices, int channels)
{
    floats texels;
    for (int z = 0; z < slices; z++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                for (int c = 0; c < channels; c++)
                    texels.push_back(number(level, z, y, x) + 50000.0f * c);
    cudaMemcpy3DParms copy;
    std::memset(&copy, 0, sizeof copy);
    copy.srcPtr =
        make_cudaPitchedPtr(&texels[0], width * channels * sizeof(float), width, height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, height, slices);
    copy.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&copy));
}

static float *results;

static floats take(int count)
{
    floats got(count);
    GOOD(cudaMemcpy(&got[0], results, count * sizeof(float), cudaMemcpyDeviceToHost));
    return got;
}

static void check_layers(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t planes, lines;
    GOOD(cudaMalloc3DArray(&planes, &format, make_cudaExtent(8, 8, 4), cudaArrayLayered));
    GOOD(cudaMalloc3DArray(&lines, &format, make_cudaExtent(8, 0, 6), cudaArrayLayered));
    fill(planes, 0, 8, 8, 4, 1);
    fill(lines, 0, 8, 1, 6, 1);
    cudaTextureDesc linear = sampler(true, false);
    layered<<<1, 6>>>(object_of(planes, linear), object_of(lines, linear), results);
    floats got = take(24);
    for (int i = 0; i < 6; i++) {
        int layer = i < 1 ? 0 : i > 4 ? 3 : i - 1;
        CHECK(got[4 * i] == number(0, layer, 2, i));
        CHECK(got[4 * i + 1] == number(0, i, 0, i));
        CHECK(got[4 * i + 2] == number(0, 1, 2, i) + 50.5f);
        CHECK(got[4 * i + 3] == number(0, 2, 0, i) + 0.5f);
    }
    GOOD(cudaFreeArray(planes));
    GOOD(cudaFreeArray(lines));
}

static void check_cubes(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t one, many;
    GOOD(cudaMalloc3DArray(&one, &format, make_cudaExtent(8, 8, 6), cudaArrayCubemap));
    GOOD(cudaMalloc3DArray(&many, &format, make_cudaExtent(8, 8, 18),
                           cudaArrayCubemap | cudaArrayLayered));
    fill(one, 0, 8, 8, 6, 1);
    fill(many, 0, 8, 8, 18, 1);
    cudaTextureDesc point = sampler(false, true);
    cubes<<<1, 6>>>(object_of(one, point), object_of(many, point), results);
    floats got = take(12);
    for (int face = 0; face < 6; face++) {
        // s and t of the guide's table for 0.3: columns and rows 2 and 5 of 8.
        int column = face == 0 || face == 5 ? 2 : 5, row = face == 2 ? 5 : 2;
        CHECK(got[2 * face] == number(0, face, row, column));
        CHECK(got[2 * face + 1] == number(0, face + 6, row, column));
    }
    point.seamlessCubemap = 1;
    GOOD(cudaDestroyTextureObject(object_of(one, point))); // a point filter meets no seam
    GOOD(cudaFreeArray(one));
    GOOD(cudaFreeArray(many));
}

static void check_levels(void)
{
    enum { LEVELS = 4 };
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmapped;
    GOOD(cudaMallocMipmappedArray(&mipmapped, &format, make_cudaExtent(16, 16, 0), LEVELS));
    for (int l = 0; l < LEVELS; l++) {
        cudaArray_t level;
        GOOD(cudaGetMipmappedArrayLevel(&level, mipmapped, l));
        fill(level, l, 16 >> l, 16 >> l, 1, 1);
    }
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmapped;
    cudaTextureDesc texture = sampler(false, true);
    texture.mipmapFilterMode = cudaFilterModeLinear;
    cudaTextureObject_t object;
    GOOD(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    levels<<<1, 1>>>(object, results);
    floats got = take(5);
    CHECK(got[0] == 0 && got[1] == 10000 && got[2] == 15000 && got[3] == 20000 && got[4] == 15);
    // The two levels in the middle.
    cudaResourceViewDesc view;
    std::memset(&view, 0, sizeof view);
    view.format = cudaResViewFormatFloat1;
    view.width = view.height = 8;
    view.firstMipmapLevel = 1;
    view.lastMipmapLevel = 2;
    GOOD(cudaCreateTextureObject(&object, &resource, &texture, &view));
    levels<<<1, 1>>>(object, results);
    got = take(5);
    CHECK(got[0] == 10000 && got[1] == 20000 && got[2] == 20000 && got[4] == 10007);
    cudaResourceViewDesc known;
    GOOD(cudaGetTextureObjectResourceViewDesc(&known, object));
    CHECK(known.lastMipmapLevel == 2);
    view.lastMipmapLevel = LEVELS;
    EXPECT(cudaCreateTextureObject(&object, &resource, &texture, &view), cudaErrorInvalidValue);
    texture.normalizedCoords = 0;
    EXPECT(cudaCreateTextureObject(&object, &resource, &texture, NULL), cudaErrorInvalidValue);
    GOOD(cudaFreeMipmappedArray(mipmapped));
}

static void check_gathers(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
    cudaArray_t array;
    GOOD(cudaMallocArray(&array, &format, 8, 8, cudaArrayTextureGather));
    fill(array, 0, 8, 8, 1, 2);
    gathers<<<1, 1>>>(object_of(array, sampler(false, false)), (float4 *)results);
    floats got = take(8);
    static const float wanted[4] = {502, 503, 403, 402};
    for (int i = 0; i < 4; i++)
        CHECK(got[i] == wanted[i] && got[4 + i] == wanted[i] + 50000);
    GOOD(cudaFreeArray(array));
}

static void check_formats(void)
{
    static const unsigned short halves[4] = {0x3c00, 0xc000, 0x3800, 0x7bff}; // 1 -2 0.5 65504
    static const unsigned char colors[4] = {0, 255, 5, 128};
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDescHalf4();
    GOOD(cudaMallocArray(&array, &format, 1));
    GOOD(cudaMemcpy2DToArray(array, 0, 0, halves, 8, 8, 1, cudaMemcpyHostToDevice));
    plain<<<1, 1>>>(object_of(array, sampler(true, false)), (float4 *)results);
    floats got = take(4);
    CHECK(got[0] == 1 && got[1] == -2 && got[2] == 0.5f && got[3] == 65504);
    GOOD(cudaFreeArray(array));
    format = cudaCreateChannelDesc<uchar4>();
    GOOD(cudaMallocArray(&array, &format, 1));
    GOOD(cudaMemcpy2DToArray(array, 0, 0, colors, 4, 4, 1, cudaMemcpyHostToDevice));
    cudaTextureDesc texture = sampler(false, false);
    texture.readMode = cudaReadModeNormalizedFloat;
    texture.sRGB = 1;
    plain<<<1, 1>>>(object_of(array, texture), (float4 *)results);
    got = take(4);
    CHECK(got[0] == 0 && got[1] == 1 && std::fabs(got[2] - 5.0f / 255 / 12.92f) < 1e-8f);
    CHECK(got[3] == (float)(128.0 / 255));
    GOOD(cudaFreeArray(array));
}

int main()
{
    GOOD(cudaMalloc((void **)&results, 1024));
    check_layers();
    check_cubes();
    check_levels();
    check_gathers();
    check_formats();
    return verdict();
}
