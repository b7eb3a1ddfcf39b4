// Arrays: what can be one, what is known of it, and copies of every kind against the same done by the
// host.
#include "check.h"

#include <cstring>
#include <vector>

typedef std::vector<int> ints;

enum { WIDTH = 75, HEIGHT = 29, DEPTH = 5 };

static ints numbers(int count, int factor)
{
    ints made(count);
    for (int i = 0; i < count; i++)
        made[i] = i * factor + 1;
    return made;
}

static void information(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<short2>(), got;
    CHECK(format.x == 16 && format.y == 16 && format.z == 0 && format.w == 0);
    CHECK(format.f == cudaChannelFormatKindSigned);
    cudaArray_t array;
    GOOD(cudaMalloc3DArray(&array, &format, make_cudaExtent(40, 30, 20), cudaArraySurfaceLoadStore));
    cudaExtent extent;
    unsigned flags;
    GOOD(cudaArrayGetInfo(&got, &extent, &flags, array));
    CHECK(std::memcmp(&got, &format, sizeof got) == 0 && flags == cudaArraySurfaceLoadStore);
    CHECK(extent.width == 40 && extent.height == 30 && extent.depth == 20);
    GOOD(cudaGetChannelDesc(&got, array));
    CHECK(got.y == 16);
    GOOD(cudaFreeArray(array));
    EXPECT(cudaFreeArray(array), cudaErrorInvalidValue);
    GOOD(cudaFreeArray(NULL));
    EXPECT(cudaGetChannelDesc(&got, array), cudaErrorInvalidResourceHandle);
}

static void refused(void)
{
    cudaArray_t array;
    cudaMipmappedArray_t mipmapped;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), bad = format;
    EXPECT(cudaMallocArray(&array, &format, 0, 4), cudaErrorInvalidValue);
    EXPECT(cudaMallocArray(&array, &format, 1 << 20, 4), cudaErrorInvalidValue);
    EXPECT(cudaMallocArray(NULL, &format, 4, 4), cudaErrorInvalidValue);
    EXPECT(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 0, 4), 0), cudaErrorInvalidValue);
    EXPECT(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 4, 5), cudaArrayCubemap),
           cudaErrorInvalidValue);
    EXPECT(cudaMalloc3DArray(&array, &format, make_cudaExtent(4, 5, 6), cudaArrayCubemap),
           cudaErrorInvalidValue);
    EXPECT(cudaMallocMipmappedArray(&mipmapped, &format, make_cudaExtent(4, 4, 0), 0),
           cudaErrorInvalidValue);
    bad.y = 16;
    EXPECT(cudaMallocArray(&array, &bad, 4, 4), cudaErrorInvalidChannelDescriptor);
    bad = format;
    bad.y = bad.z = 32;
    EXPECT(cudaMallocArray(&array, &bad, 4, 4), cudaErrorInvalidChannelDescriptor);
    bad = format;
    bad.x = 8;
    EXPECT(cudaMallocArray(&array, &bad, 4, 4), cudaErrorInvalidChannelDescriptor);
}

static void planes(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array, other;
    ints from = numbers(WIDTH * HEIGHT, 3), to(from.size(), 0);
    size_t row = WIDTH * sizeof(int);
    GOOD(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
    GOOD(cudaMallocArray(&other, &format, WIDTH, HEIGHT));
    GOOD(cudaMemcpy2DToArray(array, 0, 0, &from[0], row, row, HEIGHT, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy2DFromArray(&to[0], row, array, 0, 0, row, HEIGHT, cudaMemcpyDeviceToHost));
    CHECK(from == to);
    // A box in the middle, through device memory, and from array to array.
    int *device;
    size_t pitch;
    GOOD(cudaMallocPitch((void **)&device, &pitch, row, HEIGHT));
    GOOD(cudaMemcpy2DFromArray(device, pitch, array, 5 * 4, 3, 40 * 4, 20, cudaMemcpyDefault));
    GOOD(cudaMemcpy2DToArray(other, 11 * 4, 2, device, pitch, 40 * 4, 20,
                             cudaMemcpyDeviceToDevice));
    GOOD(cudaMemcpy2DArrayToArray(array, 0, 1, other, 12 * 4, 3, 30 * 4, 10));
    GOOD(cudaMemcpy2DFromArrayAsync(&to[0], row, array, 0, 0, row, HEIGHT, cudaMemcpyDeviceToHost,
                                    0));
    GOOD(cudaDeviceSynchronize());
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            bool moved = x < 30 && y >= 1 && y < 11;
            int wanted = moved ? from[(y + 3) * WIDTH + x + 6] : from[y * WIDTH + x];
            if (to[y * WIDTH + x] != wanted)
                CHECK(to[y * WIDTH + x] == wanted);
        }
    EXPECT(cudaMemcpy2DToArray(array, 4, 0, &from[0], row, row, 1, cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);
    EXPECT(cudaMemcpy2DToArray(array, 2, 0, &from[0], row, 8, 1, cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);
    EXPECT(cudaMemcpy2DToArray(array, 0, 0, &from[0], row - 4, row, 2, cudaMemcpyHostToDevice),
           cudaErrorInvalidPitchValue);
    EXPECT(cudaMemcpy2DToArray(array, 0, 0, &from[0], row, row, 1, cudaMemcpyDeviceToHost),
           cudaErrorInvalidValue);
    GOOD(cudaFree(device));
    GOOD(cudaFreeArray(array));
    GOOD(cudaFreeArray(other));
}

static void volumes(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int2>();
    cudaExtent extent = make_cudaExtent(WIDTH, HEIGHT, DEPTH);
    cudaArray_t array;
    ints from = numbers(2 * WIDTH * HEIGHT * DEPTH, 7), to(from.size(), -1);
    GOOD(cudaMalloc3DArray(&array, &format, extent));
    cudaMemcpy3DParms in;
    std::memset(&in, 0, sizeof in);
    in.srcPtr = make_cudaPitchedPtr(&from[0], WIDTH * sizeof(int2), WIDTH, HEIGHT);
    in.dstArray = array;
    in.extent = extent;
    in.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&in));
    // The middle comes back.
    cudaMemcpy3DParms out;
    std::memset(&out, 0, sizeof out);
    out.srcArray = array;
    out.srcPos = make_cudaPos(10, 2, 1);
    out.dstPtr = make_cudaPitchedPtr(&to[0], WIDTH * sizeof(int2), WIDTH, HEIGHT);
    out.extent = make_cudaExtent(50, 20, 3);
    out.kind = cudaMemcpyDeviceToHost;
    GOOD(cudaMemcpy3DAsync(&out));
    GOOD(cudaDeviceSynchronize());
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH * 2; x++) {
                int at = (z * HEIGHT + y) * WIDTH * 2 + x;
                bool inside = x < 100 && y < 20 && z < 3;
                int wanted = inside ? from[at + (HEIGHT + 2) * WIDTH * 2 + 20] : -1;
                if (to[at] != wanted)
                    CHECK(to[at] == wanted);
            }
    out.extent.depth = DEPTH;
    EXPECT(cudaMemcpy3D(&out), cudaErrorInvalidValue);
    out.srcPtr = out.dstPtr;
    EXPECT(cudaMemcpy3D(&out), cudaErrorInvalidValue);
    GOOD(cudaFreeArray(array));
}

// Lines that go on in the next row. CUDA 13's headers call them deprecated.
static void lines(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    cudaArray_t array, other;
    std::vector<unsigned char> from(WIDTH * HEIGHT), to(from.size(), 0);
    for (size_t i = 0; i < from.size(); i++)
        from[i] = (unsigned char)(i * 11);
    GOOD(cudaMallocArray(&array, &format, WIDTH, HEIGHT));
    GOOD(cudaMallocArray(&other, &format, WIDTH, HEIGHT));
    GOOD(cudaMemcpyToArray(array, 0, 0, &from[0], from.size(), cudaMemcpyHostToDevice));
    GOOD(cudaMemcpyArrayToArray(other, 70, 1, array, 20, 2, 500));
    GOOD(cudaMemcpyFromArray(&to[0], other, 70, 1, 500, cudaMemcpyDeviceToHost));
    CHECK(std::memcmp(&to[0], &from[2 * WIDTH + 20], 500) == 0);
    GOOD(cudaMemcpyFromArray(&to[0], array, 0, 0, to.size(), cudaMemcpyDeviceToHost));
    CHECK(from == to);
    // The same in a stream, the middle of the text two rows further down.
    cudaStream_t stream;
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaMemcpyToArrayAsync(other, 3, 4, &from[0], 300, cudaMemcpyHostToDevice, stream));
    GOOD(cudaMemcpyFromArrayAsync(&to[0], other, 3, 4, 300, cudaMemcpyDeviceToHost, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(std::memcmp(&to[0], &from[0], 300) == 0);
    GOOD(cudaMemcpy2DToArrayAsync(other, 7, 9, &from[0], 30, 20, 5, cudaMemcpyHostToDevice,
                                  stream));
    GOOD(cudaMemcpy2DFromArrayAsync(&to[0], 30, other, 7, 9, 20, 5, cudaMemcpyDeviceToHost,
                                    stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(std::memcmp(&to[120], &from[120], 20) == 0 && std::memcmp(&to[0], &from[0], 20) == 0);
    GOOD(cudaStreamDestroy(stream));
    EXPECT(cudaMemcpyToArrayAsync(array, 1, 0, &from[0], from.size(), cudaMemcpyHostToDevice, 0),
           cudaErrorInvalidValue);
    EXPECT(cudaMemcpyToArray(array, 1, 0, &from[0], from.size(), cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);
    GOOD(cudaFreeArray(array));
    GOOD(cudaFreeArray(other));
}

static void levels(void)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmapped;
    cudaArray_t level, again;
    cudaExtent extent;
    GOOD(cudaMallocMipmappedArray(&mipmapped, &format, make_cudaExtent(20, 9, 0), 99));
    GOOD(cudaGetMipmappedArrayLevel(&level, mipmapped, 2));
    GOOD(cudaGetMipmappedArrayLevel(&again, mipmapped, 2));
    CHECK(level == again);
    GOOD(cudaArrayGetInfo(NULL, &extent, NULL, level));
    CHECK(extent.width == 5 && extent.height == 2 && extent.depth == 0);
    EXPECT(cudaGetMipmappedArrayLevel(&level, mipmapped, 5), cudaErrorInvalidValue);
    EXPECT(cudaFreeArray(again), cudaErrorInvalidValue);
    GOOD(cudaFreeMipmappedArray(mipmapped));
    EXPECT(cudaArrayGetInfo(NULL, &extent, NULL, again), cudaErrorInvalidResourceHandle);
}

int main()
{
    size_t before, after, total;
    GOOD(cudaMemGetInfo(&before, &total));
    information();
    refused();
    planes();
    volumes();
    lines();
    levels();
    GOOD(cudaMemGetInfo(&after, &total));
    CHECK(before == after);
    return verdict();
}
