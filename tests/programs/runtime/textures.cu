// Texture objects: fetches of every kind at random coordinates against a plain model on the host, and
// what the runtime says of wrong descriptions.
#include "check.h"

#include <cmath>
#include <cstring>
#include <vector>

typedef std::vector<float> floats;

enum { FETCHES = 256 };

static unsigned state = 12345;
static float random_in(float low, float high)
{
    state = state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(state >> 8) / 16777216.0f;
}

// ---- The model ----

struct model {
    const float *texels; // x fastest
    int size[3], dimensions;
    cudaTextureAddressMode mode;
    bool linear, normalized;
};

static double texel_of(const model &m, const long *at)
{
    long inside[3] = {0, 0, 0};
    for (int d = 0; d < m.dimensions; d++) {
        long n = m.size[d], i = at[d];
        if (m.mode == cudaAddressModeBorder && (i < 0 || i >= n))
            return 0;
        if (m.mode == cudaAddressModeClamp)
            i = i < 0 ? 0 : i >= n ? n - 1 : i;
        while (i < 0 || i >= n)
            if (m.mode == cudaAddressModeWrap)
                i += i < 0 ? n : -n;
            else
                i = i < 0 ? -1 - i : 2 * n - 1 - i;
        inside[d] = i;
    }
    return m.texels[(inside[2] * m.size[1] + inside[1]) * m.size[0] + inside[0]];
}

static float fetch(const model &m, const float *coordinates)
{
    long from[3] = {0, 0, 0};
    double share[3] = {0, 0, 0}, sum = 0;
    for (int d = 0; d < m.dimensions; d++) {
        double at = (double)coordinates[d] * (m.normalized ? m.size[d] : 1) - (m.linear ? 0.5 : 0);
        from[d] = (long)std::floor(at);
        if (m.linear)
            share[d] = std::floor((at - std::floor(at)) * 256 + 0.5) / 256;
    }
    for (int corner = 0; corner < (m.linear ? 1 << m.dimensions : 1); corner++) {
        long at[3] = {from[0], from[1], from[2]};
        double weight = 1;
        for (int d = 0; d < m.dimensions; d++) {
            at[d] += corner >> d & 1;
            weight *= corner >> d & 1 ? share[d] : 1 - share[d];
        }
        sum += weight > 0 ? weight * texel_of(m, at) : 0;
    }
    return (float)sum;
}

// ---- Kernels ----

__global__ void fetch1(cudaTextureObject_t t, const float *at, float *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex1D<float>(t, at[3 * i]);
}
__global__ void fetch2(cudaTextureObject_t t, const float *at, float *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex2D<float>(t, at[3 * i], at[3 * i + 1]);
}
__global__ void fetch3(cudaTextureObject_t t, const float *at, float *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tex3D(&to[i], t, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}
template <class T> __global__ void fetch_linear(cudaTextureObject_t t, T *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex1Dfetch<T>(t, i - 8);
}
template <class T> __global__ void fetch_point(cudaTextureObject_t t, T *to, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = tex2D<T>(t, (float)(i % width) + 0.5f, (float)(i / width) + 0.5f);
}

// ---- Tests ----

static cudaTextureDesc sampler(bool linear, bool normalized, cudaTextureAddressMode mode)
{
    cudaTextureDesc made;
    std::memset(&made, 0, sizeof made);
    made.addressMode[0] = made.addressMode[1] = made.addressMode[2] = mode;
    made.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    made.normalizedCoords = normalized;
    return made;
}

static void compare(const model &m, cudaTextureObject_t object)
{
    floats at(3 * FETCHES), got(FETCHES);
    for (int i = 0; i < 3 * FETCHES; i++) {
        float size = m.normalized ? 1.0f : (float)m.size[i % 3];
        at[i] = random_in(-1.5f * size, 2.5f * size);
    }
    float *device_at, *device_to;
    GOOD(cudaMalloc((void **)&device_at, 3 * FETCHES * sizeof(float)));
    GOOD(cudaMalloc((void **)&device_to, FETCHES * sizeof(float)));
    GOOD(cudaMemcpy(device_at, &at[0], 3 * FETCHES * sizeof(float), cudaMemcpyHostToDevice));
    if (m.dimensions == 1)
        fetch1<<<FETCHES / 64, 64>>>(object, device_at, device_to);
    else if (m.dimensions == 2)
        fetch2<<<FETCHES / 64, 64>>>(object, device_at, device_to);
    else
        fetch3<<<FETCHES / 64, 64>>>(object, device_at, device_to);
    GOOD(cudaDestroyTextureObject(object)); // the kernel still has it
    GOOD(cudaMemcpy(&got[0], device_to, FETCHES * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < FETCHES; i++)
        if (got[i] != fetch(m, &at[3 * i]))
            CHECK(got[i] == fetch(m, &at[3 * i]));
    GOOD(cudaFree(device_at));
    GOOD(cudaFree(device_to));
}

static void fill_array(cudaArray_t array, const model &m)
{
    cudaMemcpy3DParms copy;
    std::memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_cudaPitchedPtr((void *)m.texels, m.size[0] * sizeof(float), m.size[0],
                                      m.size[1]);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(m.size[0], m.size[1], m.size[2]);
    copy.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&copy));
}

static void arrays(void)
{
    static const int sizes[3][3] = {{61, 1, 1}, {61, 23, 1}, {17, 23, 9}};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    for (int dimensions = 1; dimensions <= 3; dimensions++) {
        const int *size = sizes[dimensions - 1];
        floats texels(size[0] * size[1] * size[2]);
        for (size_t i = 0; i < texels.size(); i++)
            texels[i] = std::floor(random_in(-500, 500));
        model m = {&texels[0], {size[0], size[1], size[2]}, dimensions};
        cudaArray_t array;
        GOOD(cudaMalloc3DArray(&array, &format,
                               make_cudaExtent(size[0], dimensions > 1 ? size[1] : 0,
                                               dimensions > 2 ? size[2] : 0)));
        fill_array(array, m);
        cudaResourceDesc resource;
        std::memset(&resource, 0, sizeof resource);
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        for (int choice = 0; choice < 12; choice++) {
            m.linear = choice % 2;
            m.normalized = choice >= 4;
            m.mode = choice < 4 ? (choice < 2 ? cudaAddressModeClamp : cudaAddressModeBorder)
                                : (cudaTextureAddressMode)((choice - 4) / 2);
            cudaTextureDesc texture = sampler(m.linear, m.normalized, m.mode);
            cudaTextureObject_t object;
            GOOD(cudaCreateTextureObject(&object, &resource, &texture, NULL));
            compare(m, object);
        }
        GOOD(cudaFreeArray(array));
    }
}

static void pitched(void)
{
    enum { WIDTH = 45, HEIGHT = 30 };
    floats texels(WIDTH * HEIGHT);
    for (size_t i = 0; i < texels.size(); i++)
        texels[i] = (float)(i * 7 % 1000);
    float *device;
    size_t pitch;
    GOOD(cudaMallocPitch((void **)&device, &pitch, WIDTH * sizeof(float), HEIGHT));
    GOOD(cudaMemcpy2D(device, pitch, &texels[0], WIDTH * sizeof(float), WIDTH * sizeof(float),
                      HEIGHT, cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = device;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    model m = {&texels[0], {WIDTH, HEIGHT, 1}, 2, cudaAddressModeClamp, true, false};
    cudaTextureDesc texture = sampler(true, false, cudaAddressModeWrap); // becomes clamp
    cudaTextureObject_t object;
    GOOD(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    compare(m, object);
    resource.res.pitch2D.pitchInBytes = pitch - 4;
    EXPECT(cudaCreateTextureObject(&object, &resource, &texture, NULL), cudaErrorInvalidValue);
    resource.res.pitch2D.pitchInBytes = pitch;
    resource.res.pitch2D.devPtr = device + 1;
    EXPECT(cudaCreateTextureObject(&object, &resource, &texture, NULL), cudaErrorInvalidValue);
    resource.res.pitch2D.devPtr = device;
    resource.res.pitch2D.height = 1000;
    EXPECT(cudaCreateTextureObject(&object, &resource, &texture, NULL), cudaErrorInvalidValue);
    GOOD(cudaFree(device));
}

static bool same(uchar4 a, uchar4 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
}

static void linear(void)
{
    enum { COUNT = 48 };
    std::vector<uchar4> texels(COUNT), got(COUNT + 16);
    for (int i = 0; i < COUNT; i++)
        texels[i] = make_uchar4(i, 2 * i, 200 + i, 255 - i);
    uchar4 *device, *to;
    GOOD(cudaMalloc((void **)&device, COUNT * sizeof(uchar4)));
    GOOD(cudaMalloc((void **)&to, (COUNT + 16) * sizeof(uchar4)));
    GOOD(cudaMemcpy(device, &texels[0], COUNT * sizeof(uchar4), cudaMemcpyHostToDevice));
    cudaResourceDesc resource, known;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.linear.sizeInBytes = COUNT * sizeof(uchar4);
    cudaTextureDesc texture = sampler(false, false, cudaAddressModeClamp), settings;
    cudaTextureObject_t object;
    GOOD(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    GOOD(cudaGetTextureObjectResourceDesc(&known, object));
    CHECK(known.res.linear.devPtr == device && known.resType == cudaResourceTypeLinear);
    GOOD(cudaGetTextureObjectTextureDesc(&settings, object));
    CHECK(settings.addressMode[1] == cudaAddressModeClamp);
    fetch_linear<uchar4><<<1, COUNT + 16>>>(object, to);
    GOOD(cudaMemcpy(&got[0], to, got.size() * sizeof(uchar4), cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT + 16; i++) {
        bool inside = i >= 8 && i < COUNT + 8;
        uchar4 wanted = inside ? texels[i - 8] : make_uchar4(0, 0, 0, 0);
        if (!same(got[i], wanted))
            CHECK(same(got[i], wanted));
    }
    GOOD(cudaDestroyTextureObject(object));
    EXPECT(cudaDestroyTextureObject(object), cudaErrorInvalidValue);
    GOOD(cudaFree(device));
    GOOD(cudaFree(to));
}

// Integers as they are, and as floats; several channels.
static void formats(void)
{
    enum { WIDTH = 16, HEIGHT = 4 };
    std::vector<short2> texels(WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        texels[i] = make_short2(i * 1000 - 32768, 32767 - i * 900);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<short2>();
    cudaArray_t array;
    GOOD(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
    GOOD(cudaMemcpy2DToArray(array, 0, 0, &texels[0], WIDTH * 4, WIDTH * 4, HEIGHT,
                             cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture = sampler(false, false, cudaAddressModeClamp);
    cudaTextureObject_t object;
    std::vector<short2> got(WIDTH * HEIGHT);
    std::vector<float2> got_floats(WIDTH * HEIGHT);
    short2 *to;
    float2 *to_floats;
    GOOD(cudaMalloc((void **)&to, got.size() * sizeof(short2)));
    GOOD(cudaMalloc((void **)&to_floats, got.size() * sizeof(float2)));
    GOOD(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    fetch_point<short2><<<1, WIDTH * HEIGHT>>>(object, to, WIDTH);
    GOOD(cudaMemcpy(&got[0], to, got.size() * sizeof(short2), cudaMemcpyDeviceToHost));
    CHECK(std::memcmp(&got[0], &texels[0], got.size() * sizeof(short2)) == 0);
    GOOD(cudaDestroyTextureObject(object));
    texture.readMode = cudaReadModeNormalizedFloat;
    GOOD(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    fetch_point<float2><<<1, WIDTH * HEIGHT>>>(object, to_floats, WIDTH);
    GOOD(cudaMemcpy(&got_floats[0], to_floats, got.size() * sizeof(float2),
                    cudaMemcpyDeviceToHost));
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        float x = std::fmax((float)(texels[i].x / 32767.0), -1.0f);
        if (got_floats[i].x != x || got_floats[i].y != (float)(texels[i].y / 32767.0))
            CHECK(!"short2 as floats");
    }
    GOOD(cudaDestroyTextureObject(object));
    // What CUDA does not read so.
    texture.filterMode = cudaFilterModeLinear;
    GOOD(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    GOOD(cudaDestroyTextureObject(object));
    texture.readMode = cudaReadModeElementType;
    EXPECT(cudaCreateTextureObject(&object, &resource, &texture, NULL),
           cudaErrorInvalidFilterSetting);
    GOOD(cudaFreeArray(array));
    format = cudaCreateChannelDesc<int>();
    GOOD(cudaMallocArray(&resource.res.array.array, &format, 8, 8));
    texture.readMode = cudaReadModeNormalizedFloat;
    EXPECT(cudaCreateTextureObject(&object, &resource, &texture, NULL),
           cudaErrorInvalidNormSetting);
    GOOD(cudaFreeArray(resource.res.array.array));
    EXPECT(cudaCreateTextureObject(&object, &resource, &texture, NULL),
           cudaErrorInvalidResourceHandle);
    GOOD(cudaFree(to));
    GOOD(cudaFree(to_floats));
}

static void limits(void)
{
    cudaDeviceProp device;
    int width, layers;
    size_t elements;
    GOOD(cudaGetDeviceProperties(&device, 0));
    GOOD(cudaDeviceGetAttribute(&width, cudaDevAttrMaxTexture2DWidth, 0));
    GOOD(cudaDeviceGetAttribute(&layers, cudaDevAttrMaxTexture2DLayeredLayers, 0));
    CHECK(width == device.maxTexture2D[0] && width >= 65536 && layers == 2048);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
    GOOD(cudaDeviceGetTexture1DLinearMaxWidth(&elements, &format, 0));
    CHECK(elements >= 1u << 27);
}

int main()
{
    arrays();
    pitched();
    linear();
    formats();
    limits();
    return verdict();
}
