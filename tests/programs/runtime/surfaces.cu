// Surface objects: kernels write arrays that the host, copies and textures read again.
#include "check.h"

#include <cstring>
#include <vector>

enum { WIDTH = 24, HEIGHT = 10, DEPTH = 6 };

__device__ static int number(int x, int y, int z)
{
    return z * 10000 + y * 100 + x;
}

__global__ void write_volume(cudaSurfaceObject_t to)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    surf3Dwrite(number(x, y, z), to, x * 4, y, z);
}

__global__ void write_layers(cudaSurfaceObject_t to, bool faces)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    if (faces)
        surfCubemapwrite(make_float2(number(x, y, z), -x), to, x * 8, y, z);
    else
        surf2DLayeredwrite(make_float2(number(x, y, z), -x), to, x * 8, y, z);
}

// A blur that reads and writes surfaces, with the edges clamped.
__global__ void blur(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    int x = threadIdx.x, y = threadIdx.y, sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            uchar4 texel;
            surf2Dread(&texel, from, (x + dx) * 4, y + dy, cudaBoundaryModeClamp);
            sum += texel.x + texel.w;
        }
    surf2Dwrite((short)sum, to, x * 2, y);
    // Outside: nothing happens, and 0 is read.
    surf2Dwrite((short)1, to, WIDTH * 2, y, cudaBoundaryModeZero);
    if (surf2Dread<short>(to, -2, y, cudaBoundaryModeZero) != 0)
        surf2Dwrite((short)-1, to, x * 2, y);
}

__global__ void read_texture(cudaTextureObject_t from, float *to)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    to[(z * HEIGHT + y) * WIDTH + x] = tex2DLayered<float2>(from, x + 0.5f, y + 0.5f, z).x;
}

__global__ void write_outside(cudaSurfaceObject_t to)
{
    surf1Dwrite(make_float4(1, 2, 3, 4), to, 16 * threadIdx.x);
}

static cudaArray_t make_array(cudaChannelFormatDesc format, cudaExtent extent, unsigned flags,
                              cudaSurfaceObject_t *surface)
{
    cudaArray_t array;
    cudaResourceDesc resource;
    GOOD(cudaMalloc3DArray(&array, &format, extent, flags | cudaArraySurfaceLoadStore));
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    GOOD(cudaCreateSurfaceObject(surface, &resource));
    return array;
}

static int number_on_host(int x, int y, int z)
{
    return z * 10000 + y * 100 + x;
}

static void volumes(void)
{
    cudaSurfaceObject_t surface;
    cudaArray_t array = make_array(cudaCreateChannelDesc<int>(),
                                   make_cudaExtent(WIDTH, HEIGHT, DEPTH), 0, &surface);
    write_volume<<<DEPTH, dim3(WIDTH, HEIGHT)>>>(surface);
    std::vector<int> got(WIDTH * HEIGHT * DEPTH);
    cudaMemcpy3DParms copy;
    std::memset(&copy, 0, sizeof copy);
    copy.srcArray = array;
    copy.dstPtr = make_cudaPitchedPtr(&got[0], WIDTH * 4, WIDTH, HEIGHT);
    copy.extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    copy.kind = cudaMemcpyDeviceToHost;
    GOOD(cudaMemcpy3D(&copy));
    for (int i = 0; i < WIDTH * HEIGHT * DEPTH; i++) {
        int wanted = number_on_host(i % WIDTH, i / WIDTH % HEIGHT, i / WIDTH / HEIGHT);
        if (got[i] != wanted)
            CHECK(got[i] == wanted);
    }
    cudaResourceDesc known;
    GOOD(cudaGetSurfaceObjectResourceDesc(&known, surface));
    CHECK(known.res.array.array == array);
    GOOD(cudaDestroySurfaceObject(surface));
    EXPECT(cudaDestroySurfaceObject(surface), cudaErrorInvalidValue);
    GOOD(cudaFreeArray(array));
}

static void layers(void)
{
    cudaSurfaceObject_t surface, cube;
    cudaArray_t array =
        make_array(cudaCreateChannelDesc<float2>(), make_cudaExtent(WIDTH, HEIGHT, DEPTH),
                   cudaArrayLayered, &surface);
    write_layers<<<DEPTH, dim3(WIDTH, HEIGHT)>>>(surface, false);
    cudaResourceDesc resource;
    cudaTextureDesc sampler;
    std::memset(&resource, 0, sizeof resource);
    std::memset(&sampler, 0, sizeof sampler);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureObject_t texture;
    GOOD(cudaCreateTextureObject(&texture, &resource, &sampler, NULL));
    float *to;
    std::vector<float> got(WIDTH * HEIGHT * DEPTH);
    GOOD(cudaMalloc((void **)&to, got.size() * sizeof(float)));
    read_texture<<<DEPTH, dim3(WIDTH, HEIGHT)>>>(texture, to);
    GOOD(cudaMemcpy(&got[0], to, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < WIDTH * HEIGHT * DEPTH; i++)
        if (got[i] != (float)number_on_host(i % WIDTH, i / WIDTH % HEIGHT, i / WIDTH / HEIGHT))
            CHECK(!"a layer written by a surface");
    cudaArray_t faces = make_array(cudaCreateChannelDesc<float2>(), make_cudaExtent(8, 8, 6),
                                   cudaArrayCubemap, &cube);
    write_layers<<<6, dim3(8, 8)>>>(cube, true);
    float2 face[64];
    cudaMemcpy3DParms copy;
    std::memset(&copy, 0, sizeof copy);
    copy.srcArray = faces;
    copy.srcPos = make_cudaPos(0, 0, 4);
    copy.dstPtr = make_cudaPitchedPtr(face, 64, 8, 8);
    copy.extent = make_cudaExtent(8, 8, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    GOOD(cudaMemcpy3D(&copy));
    CHECK(face[8 * 3 + 5].x == 40305.0f && face[8 * 3 + 5].y == -5.0f);
    GOOD(cudaDestroyTextureObject(texture));
    GOOD(cudaFreeArray(array));
    GOOD(cudaFreeArray(faces));
    GOOD(cudaFree(to));
}

static void blurs(void)
{
    cudaSurfaceObject_t from, to;
    cudaExtent extent = make_cudaExtent(WIDTH, HEIGHT, 0);
    cudaArray_t in = make_array(cudaCreateChannelDesc<uchar4>(), extent, 0, &from);
    cudaArray_t out = make_array(cudaCreateChannelDesc<short>(), extent, 0, &to);
    uchar4 texels[HEIGHT][WIDTH];
    short got[HEIGHT][WIDTH];
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        texels[i / WIDTH][i % WIDTH] = make_uchar4(i * 7, 1, 2, i * 3);
    GOOD(cudaMemcpy2DToArray(in, 0, 0, texels, sizeof texels[0], sizeof texels[0], HEIGHT,
                             cudaMemcpyHostToDevice));
    blur<<<1, dim3(WIDTH, HEIGHT)>>>(from, to);
    GOOD(cudaMemcpy2DFromArray(got, sizeof got[0], out, 0, 0, sizeof got[0], HEIGHT,
                               cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int fx = x + dx < 0 ? 0 : x + dx >= WIDTH ? WIDTH - 1 : x + dx;
                    int fy = y + dy < 0 ? 0 : y + dy >= HEIGHT ? HEIGHT - 1 : y + dy;
                    sum += texels[fy][fx].x + texels[fy][fx].w;
                }
            if (got[y][x] != (short)sum)
                CHECK(got[y][x] == (short)sum);
        }
    GOOD(cudaFreeArray(in));
    GOOD(cudaFreeArray(out));
}

static void wrong(void)
{
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    cudaResourceDesc resource;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    std::memset(&resource, 0, sizeof resource);
    GOOD(cudaMallocArray(&array, &format, 8, 8));
    resource.res.array.array = array;
    EXPECT(cudaCreateSurfaceObject(&surface, &resource), cudaErrorInvalidValue); // without its flag
    resource.resType = cudaResourceTypeLinear;
    EXPECT(cudaCreateSurfaceObject(&surface, &resource), cudaErrorInvalidValue);
    GOOD(cudaFreeArray(array));
    // The last of the threads writes outside.
    make_array(cudaCreateChannelDesc<float4>(), make_cudaExtent(31, 0, 0), 0, &surface);
    write_outside<<<1, 32>>>(surface);
    EXPECT(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

int main()
{
    volumes();
    layers();
    blurs();
    wrong();
    return verdict();
}
