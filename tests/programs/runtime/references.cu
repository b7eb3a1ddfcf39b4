// Texture and surface references, as programs of CUDA 11 and before have them: what is bound is what
// is read, the way that an object over the same memory reads it; when bindings take effect, and what
// the runtime says of wrong ones.
#include "check.h"

#include <cstring>
#include <vector>

enum { WIDTH = 24, HEIGHT = 10, LAYERS = 3, FETCHES = 64 };

texture<float, cudaTextureType1D> line; // its defaults: elements, by number
static texture<unsigned char, cudaTextureType2D, cudaReadModeNormalizedFloat> picture;
texture<float, 2> plane(1, cudaFilterModeLinear, cudaAddressModeWrap);
texture<int4, cudaTextureType2DLayered> sheets;
texture<float, cudaTextureType2D> levels;
texture<short2, cudaTextureType1D> pairs;
texture<float, cudaTextureTypeCubemap> box;
surface<void, cudaSurfaceType2D> canvas;
namespace inner {
texture<int, cudaTextureType1D> numbers;
}
static textureReference stranger;

// ---- Linear memory ----

__global__ void take(float *to, int from, int count)
{
    int i = threadIdx.x;
    if (i < count)
        to[i] = tex1Dfetch(line, from + i);
}

// A reference handed to a function.
template <class R> __device__ int through(R reference, int i)
{
    return tex1Dfetch(reference, i);
}

__global__ void take_numbers(int *to, int count)
{
    int i = threadIdx.x;
    short2 pair = tex1Dfetch(pairs, i % count);
    to[i] = through(inner::numbers, i) + 1000 * pair.x + 100000 * pair.y;
}

static void linear_memory(void)
{
    std::vector<float> values(512), got(32);
    for (size_t i = 0; i < values.size(); i++)
        values[i] = 0.5f + (float)i;
    float *device, *other, *to;
    size_t bytes = values.size() * sizeof(float), offset = 9;
    GOOD(cudaMalloc(&device, bytes));
    GOOD(cudaMalloc(&other, bytes));
    GOOD(cudaMalloc(&to, 3 * 32 * sizeof(float)));
    GOOD(cudaMemcpy(device, values.data(), bytes, cudaMemcpyHostToDevice));
    GOOD(cudaMemset(other, 0, bytes));
    EXPECT(cudaGetTextureAlignmentOffset(&offset, line), cudaErrorInvalidTextureBinding);
    GOOD(cudaBindTexture(NULL, line, device)); // to the memory's end
    GOOD(cudaGetTextureAlignmentOffset(&offset, line));
    CHECK(offset == 0);
    take<<<1, 32>>>(to, 500, 32); // 20 behind the end, which are 0
    GOOD(cudaBindTexture(NULL, line, other, bytes));
    take<<<1, 32>>>(to + 32, 0, 32);
    EXPECT(cudaBindTexture(NULL, line, device + 3, 64), cudaErrorInvalidValue);
    GOOD(cudaBindTexture(&offset, line, device + 3, line.channelDesc, 64));
    CHECK(offset == 12);
    offset = 0;
    GOOD(cudaGetTextureAlignmentOffset(&offset, line));
    CHECK(offset == 12);
    take<<<1, 32>>>(to + 64, 3, 32); // 16 texels, and nothing behind
    GOOD(cudaUnbindTexture(line));
    EXPECT(cudaGetTextureAlignmentOffset(&offset, line), cudaErrorInvalidTextureBinding);
    GOOD(cudaDeviceSynchronize());
    for (int part = 0; part < 3; part++) {
        GOOD(cudaMemcpy(got.data(), to + 32 * part, 32 * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < 32; i++)
            CHECK(got[i] == (part == 0   ? i < 12 ? values[500 + i] : 0
                             : part == 1 ? 0
                             : i < 16    ? values[3 + i]
                                         : 0));
    }
    GOOD(cudaFree(device));
    GOOD(cudaFree(other));
    GOOD(cudaFree(to));
}

// What cudaMalloc gives needs no offset, of whatever size the memory before it is; what begins at a
// multiple of the device's alignment doesn't, either, and all else does.
static void alignment(void)
{
    cudaDeviceProp device;
    char *made[6];
    size_t offset = 9;
    GOOD(cudaGetDeviceProperties(&device, 0));
    CHECK(device.textureAlignment >= 256);
    for (int i = 0; i < 6; i++) {
        GOOD(cudaMalloc(&made[i], 4096 + 300 * i));
        CHECK((size_t)made[i] % device.textureAlignment == 0);
        GOOD(cudaBindTexture(NULL, line, made[i], line.channelDesc, 64));
    }
    GOOD(cudaBindTexture(&offset, line, made[0] + device.textureAlignment, line.channelDesc, 64));
    CHECK(offset == 0);
    GOOD(cudaBindTexture(&offset, line, made[0] + device.textureAlignment / 2, line.channelDesc, 64));
    CHECK(offset == device.textureAlignment / 2);
    GOOD(cudaUnbindTexture(line));
    for (int i = 0; i < 6; i++)
        GOOD(cudaFree(made[i]));
}

static void integers(void)
{
    int given[32], got[32], *device, *to;
    short2 both[4] = {{1, 2}, {-3, 4}, {5, -6}, {7, 8}}, *pairs_there;
    for (int i = 0; i < 32; i++)
        given[i] = i * i;
    GOOD(cudaMalloc(&device, sizeof given));
    GOOD(cudaMalloc(&to, sizeof given));
    GOOD(cudaMalloc(&pairs_there, sizeof both));
    GOOD(cudaMemcpy(device, given, sizeof given, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy(pairs_there, both, sizeof both, cudaMemcpyHostToDevice));
    GOOD(cudaBindTexture(0, inner::numbers, device, sizeof given));
    GOOD(cudaBindTexture(0, pairs, pairs_there, sizeof both));
    take_numbers<<<1, 32>>>(to, 4);
    GOOD(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        CHECK(got[i] == given[i] + 1000 * both[i % 4].x + 100000 * both[i % 4].y);
    GOOD(cudaFree(device));
    GOOD(cudaFree(to));
    GOOD(cudaFree(pairs_there));
}

// ---- Against objects over the same memory ----

__global__ void compare_planes(cudaTextureObject_t object, const float2 *at, unsigned *wrong)
{
    float2 c = at[threadIdx.x];
    float one = tex2D(plane, c.x, c.y), other = tex2D<float>(object, c.x, c.y);
    if (one != other)
        atomicAdd(wrong, 1);
    float4 four = tex2Dgather(plane, c.x, c.y), four_there = tex2Dgather<float4>(object, c.x, c.y);
    if (four.x != four_there.x || four.w != four_there.w)
        atomicAdd(wrong, 1);
}

__global__ void compare_pictures(cudaTextureObject_t object, const float2 *at, unsigned *wrong)
{
    float2 c = at[threadIdx.x];
    if (tex2D(picture, c.x * WIDTH, c.y * HEIGHT) != tex2D<float>(object, c.x * WIDTH, c.y * HEIGHT))
        atomicAdd(wrong, 1);
}

__global__ void compare_levels(cudaTextureObject_t object, const float2 *at, unsigned *wrong)
{
    float2 c = at[threadIdx.x];
    float level = (float)(threadIdx.x % 4) * 0.7f;
    if (tex2DLod(levels, c.x, c.y, level) != tex2DLod<float>(object, c.x, c.y, level))
        atomicAdd(wrong, 1);
    if (texCubemap(box, c.x, c.y, 0.7f) == 0)
        atomicAdd(wrong, 1);
}

static unsigned differing(void (*kernel)(cudaTextureObject_t, const float2 *, unsigned *),
                          cudaTextureObject_t object)
{
    float2 at[FETCHES], *there;
    unsigned count = 0, *counter;
    for (int i = 0; i < FETCHES; i++)
        at[i] = make_float2(0.037f * (float)(i * 13 % 64) - 0.4f, 0.041f * (float)(i * 29 % 64) - 0.6f);
    GOOD(cudaMalloc(&there, sizeof at));
    GOOD(cudaMalloc(&counter, sizeof count));
    GOOD(cudaMemcpy(there, at, sizeof at, cudaMemcpyHostToDevice));
    GOOD(cudaMemset(counter, 0, sizeof count));
    kernel<<<1, FETCHES>>>(object, there, counter);
    GOOD(cudaMemcpy(&count, counter, sizeof count, cudaMemcpyDeviceToHost));
    GOOD(cudaFree(there));
    GOOD(cudaFree(counter));
    return count;
}

static cudaTextureObject_t object_of(cudaResourceDesc resource, cudaTextureFilterMode filter,
                                     cudaTextureReadMode read, cudaTextureAddressMode mode,
                                     bool normalized)
{
    cudaTextureDesc how = {};
    cudaTextureObject_t object;
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
    how.filterMode = how.mipmapFilterMode = filter;
    how.readMode = read;
    how.normalizedCoords = normalized;
    how.maxMipmapLevelClamp = 8;
    GOOD(cudaCreateTextureObject(&object, &resource, &how, NULL));
    return object;
}

static void arrays_and_pitch(void)
{
    std::vector<float> texels(WIDTH * HEIGHT);
    std::vector<unsigned char> shades(WIDTH * HEIGHT);
    for (size_t i = 0; i < texels.size(); i++) {
        texels[i] = 1.0f / (float)(3 + i * 7 % 41);
        shades[i] = (unsigned char)(i * 11);
    }
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    GOOD(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
    GOOD(cudaMemcpyToArray(array, 0, 0, texels.data(), texels.size() * 4, cudaMemcpyHostToDevice));
    GOOD(cudaBindTextureToArray(plane, array));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t object = object_of(resource, cudaFilterModeLinear, cudaReadModeElementType,
                                           cudaAddressModeWrap, true);
    CHECK(differing(compare_planes, object) == 0);
    // What the variable says counts when it is bound, not before and not after.
    plane.filterMode = cudaFilterModePoint;
    CHECK(differing(compare_planes, object) == 0);
    GOOD(cudaBindTextureToArray(plane, array, format));
    CHECK(differing(compare_planes, object) > FETCHES / 2);
    GOOD(cudaDestroyTextureObject(object));

    unsigned char *rows;
    size_t pitch, offset = 5;
    GOOD(cudaMallocPitch(&rows, &pitch, WIDTH, HEIGHT));
    GOOD(cudaMemcpy2D(rows, pitch, shades.data(), WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    picture.filterMode = cudaFilterModeLinear;
    picture.addressMode[0] = cudaAddressModeBorder;
    GOOD(cudaBindTexture2D(&offset, picture, rows, WIDTH, HEIGHT, pitch));
    CHECK(offset == 0);
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    object = object_of(resource, cudaFilterModeLinear, cudaReadModeNormalizedFloat,
                       cudaAddressModeClamp, false);
    CHECK(differing(compare_pictures, object) > 0); // of the borders to the left and right
    picture.addressMode[0] = cudaAddressModeClamp;
    GOOD(cudaBindTexture2D(NULL, picture, rows, picture.channelDesc, WIDTH, HEIGHT, pitch));
    CHECK(differing(compare_pictures, object) == 0);
    GOOD(cudaDestroyTextureObject(object));
    GOOD(cudaFree(rows));
    GOOD(cudaFreeArray(array));
}

static void mipmaps(void)
{
    cudaMipmappedArray_t mipmapped;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    GOOD(cudaMallocMipmappedArray(&mipmapped, &format, make_cudaExtent(16, 16, 0), 3));
    for (unsigned i = 0; i < 3; i++) {
        std::vector<float> texels(256 >> 2 * i);
        cudaArray_t level;
        for (size_t k = 0; k < texels.size(); k++)
            texels[k] = (float)(k * (i + 3) % 19);
        GOOD(cudaGetMipmappedArrayLevel(&level, mipmapped, i));
        GOOD(cudaMemcpyToArray(level, 0, 0, texels.data(), texels.size() * 4,
                               cudaMemcpyHostToDevice));
    }
    cudaArray_t cube;
    std::vector<float> faces(6 * 16, 3.0f);
    GOOD(cudaMalloc3DArray(&cube, &format, make_cudaExtent(4, 4, 6), cudaArrayCubemap));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(faces.data(), 16, 4, 4);
    copy.dstArray = cube;
    copy.extent = make_cudaExtent(4, 4, 6);
    copy.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&copy));
    GOOD(cudaBindTextureToArray(box, cube));
    // A mipmapped array is sampled with normalized coordinates alone.
    EXPECT(cudaBindTextureToMipmappedArray(levels, mipmapped), cudaErrorInvalidValue);
    levels.normalized = 1;
    levels.filterMode = levels.mipmapFilterMode = cudaFilterModeLinear;
    levels.maxMipmapLevelClamp = 8;
    GOOD(cudaBindTextureToMipmappedArray(levels, mipmapped));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmapped;
    cudaTextureObject_t object = object_of(resource, cudaFilterModeLinear, cudaReadModeElementType,
                                           cudaAddressModeClamp, true);
    CHECK(differing(compare_levels, object) == 0);
    GOOD(cudaDestroyTextureObject(object));
    GOOD(cudaFreeMipmappedArray(mipmapped));
    GOOD(cudaFreeArray(cube));
}

// ---- Surfaces, and layers ----

__global__ void paint(int step)
{
    int x = threadIdx.x, y = blockIdx.x, was;
    surf2Dread(&was, canvas, x * 4, y);
    surf2Dwrite(was + step * (100 * y + x), canvas, x * 4, y);
    surf2Dwrite(-1, canvas, (x + WIDTH) * 4, y, cudaBoundaryModeZero); // outside
}

__global__ void read_canvas(int *to)
{
    to[blockIdx.x * WIDTH + threadIdx.x] = surf2Dread<int>(canvas, threadIdx.x * 4, blockIdx.x);
}

__global__ void read_sheets(int4 *to)
{
    to[blockIdx.x] = tex2DLayered(sheets, 1.5f, 2.5f, blockIdx.x);
}

static void surfaces_and_layers(void)
{
    cudaArray_t array, plain, deep;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>(), four = cudaCreateChannelDesc<int4>();
    std::vector<int> zeros(WIDTH * HEIGHT), got(WIDTH * HEIGHT);
    GOOD(cudaMallocArray(&array, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    GOOD(cudaMallocArray(&plain, &format, WIDTH, HEIGHT));
    GOOD(cudaMemcpyToArray(array, 0, 0, zeros.data(), zeros.size() * 4, cudaMemcpyHostToDevice));
    EXPECT(cudaBindSurfaceToArray(canvas, plain), cudaErrorInvalidValue);
    EXPECT(cudaBindSurfaceToArray(canvas, array, four), cudaErrorInvalidChannelDescriptor);
    GOOD(cudaBindSurfaceToArray(canvas, array));
    const surfaceReference *found = NULL;
    GOOD(cudaGetSurfaceReference(&found, canvas));
    CHECK((const void *)found == (const void *)&canvas);
    EXPECT(cudaGetSurfaceReference(&found, &line), cudaErrorInvalidSurface);
    GOOD(cudaBindSurfaceToArray(found, array, &format));
    int *to;
    GOOD(cudaMalloc(&to, got.size() * sizeof(int)));
    paint<<<HEIGHT, WIDTH>>>(1);
    paint<<<HEIGHT, WIDTH>>>(2);
    read_canvas<<<HEIGHT, WIDTH>>>(to);
    GOOD(cudaMemcpy(got.data(), to, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        CHECK(got[i] == 3 * (100 * (i / WIDTH) + i % WIDTH));
    GOOD(cudaFree(to));

    int4 texels[LAYERS][16], fetched[LAYERS], *fetches;
    for (int i = 0; i < LAYERS * 16; i++)
        texels[i / 16][i % 16] = make_int4(i, -i, 7 * i, 1);
    GOOD(cudaMalloc3DArray(&deep, &four, make_cudaExtent(4, 4, LAYERS), cudaArrayLayered));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels, 4 * sizeof(int4), 4, 4);
    copy.dstArray = deep;
    copy.extent = make_cudaExtent(4, 4, LAYERS);
    copy.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&copy));
    GOOD(cudaBindTextureToArray(sheets, deep));
    GOOD(cudaMalloc(&fetches, sizeof fetched));
    read_sheets<<<LAYERS, 1>>>(fetches);
    GOOD(cudaMemcpy(fetched, fetches, sizeof fetched, cudaMemcpyDeviceToHost));
    for (int i = 0; i < LAYERS; i++)
        CHECK(std::memcmp(&fetched[i], &texels[i][9], sizeof(int4)) == 0);
    GOOD(cudaFree(fetches));
    GOOD(cudaFreeArray(array));
    GOOD(cudaFreeArray(plain));
    GOOD(cudaFreeArray(deep));
}

// ---- What is wrong ----

static void wrong_ones(void)
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), odd = {7, 0, 0, 0,
                                                                         cudaChannelFormatKindSigned};
    const textureReference *found = NULL;
    size_t offset;
    float *device;
    GOOD(cudaMalloc(&device, 1024));
    GOOD(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
    GOOD(cudaGetTextureReference(&found, plane));
    CHECK((const void *)found == (const void *)&plane);
    GOOD(cudaBindTextureToArray(found, array, &format));
    EXPECT(cudaGetTextureReference(&found, &canvas), cudaErrorInvalidTexture);
    EXPECT(cudaGetTextureReference(NULL, &plane), cudaErrorInvalidValue);
    EXPECT(cudaBindTexture(&offset, &stranger, device, &format, 1024), cudaErrorInvalidTexture);
    EXPECT(cudaUnbindTexture(&stranger), cudaErrorInvalidTexture);
    EXPECT(cudaBindTexture(&offset, &line, device, NULL, 1024), cudaErrorInvalidValue);
    EXPECT(cudaBindTexture(&offset, line, device, odd, 1024), cudaErrorInvalidChannelDescriptor);
    EXPECT(cudaBindTexture(&offset, line, (float *)NULL, 1024), cudaErrorInvalidValue);
    EXPECT(cudaBindTexture2D(&offset, &plane, device, &format, 16, 2, 100), cudaErrorInvalidValue);
    EXPECT(cudaBindTextureToArray(plane, array, cudaCreateChannelDesc<short>()),
           cudaErrorInvalidChannelDescriptor);
    EXPECT(cudaBindTextureToMipmappedArray(&plane, (cudaMipmappedArray_const_t)array, &format),
           cudaErrorInvalidResourceHandle);
    plane.filterMode = cudaFilterModeLinear;
    EXPECT(cudaBindTextureToArray(plane, array, cudaCreateChannelDesc<int>()),
           cudaErrorInvalidFilterSetting);
    GOOD(cudaFree(device));
    GOOD(cudaFreeArray(array));
}

int main(int count, char **)
{
    for (int round = 0; round < 2; round++) {
        linear_memory();
    alignment();
        integers();
        GOOD(cudaDeviceReset()); // and all is bound afresh
    }
    arrays_and_pitch();
    mipmaps();
    surfaces_and_layers();
    wrong_ones();
    if (count > 1) { // nothing is bound to it
        float *to;
        GOOD(cudaMalloc(&to, 4));
        take<<<1, 1>>>(to, 0, 1);
        EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    }
    return verdict();
}
