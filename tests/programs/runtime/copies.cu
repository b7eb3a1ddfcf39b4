// Copies and fills in one, two and three dimensions, against the same done by the host.
#include "check.h"

#include <cstring>
#include <vector>

enum { WIDTH = 100, HEIGHT = 7, DEPTH = 3, HOST_PITCH = 120 };

static void planes(void)
{
    std::vector<unsigned char> from(HOST_PITCH * HEIGHT), to(HOST_PITCH * HEIGHT, 0);
    for (size_t i = 0; i < from.size(); i++)
        from[i] = (unsigned char)(i * 7);
    char *device;
    size_t pitch = 0;
    GOOD(cudaMallocPitch((void **)&device, &pitch, WIDTH, HEIGHT));
    CHECK(pitch >= WIDTH && pitch % 32 == 0);
    GOOD(cudaMemset2D(device, pitch, 0xee, WIDTH, HEIGHT));
    GOOD(cudaMemcpy2D(device, pitch, from.data(), HOST_PITCH, WIDTH - 1, HEIGHT,
                      cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy2DAsync(to.data(), HOST_PITCH, device, pitch, WIDTH, HEIGHT,
                           cudaMemcpyDeviceToHost, 0));
    GOOD(cudaDeviceSynchronize());
    for (int y = 0; y < HEIGHT; y++) {
        CHECK(std::memcmp(&to[y * HOST_PITCH], &from[y * HOST_PITCH], WIDTH - 1) == 0);
        CHECK(to[y * HOST_PITCH + WIDTH - 1] == 0xee && to[y * HOST_PITCH + WIDTH] == 0);
    }
    EXPECT(cudaMemcpy2D(device, WIDTH - 1, from.data(), HOST_PITCH, WIDTH, 1,
                        cudaMemcpyHostToDevice),
           cudaErrorInvalidPitchValue);
    EXPECT(cudaMemcpy2D(device, pitch, from.data(), HOST_PITCH, WIDTH, HEIGHT + 1,
                        cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);
    GOOD(cudaFree(device));
}

static void volumes(void)
{
    std::vector<unsigned char> from(WIDTH * HEIGHT * DEPTH), to(from.size(), 0);
    for (size_t i = 0; i < from.size(); i++)
        from[i] = (unsigned char)(i * 13 + 1);
    cudaPitchedPtr device;
    cudaExtent extent = {WIDTH, HEIGHT, DEPTH};
    GOOD(cudaMalloc3D(&device, extent));
    GOOD(cudaMemset3D(device, 0, extent));
    cudaMemcpy3DParms in;
    std::memset(&in, 0, sizeof in);
    in.srcPtr.ptr = from.data();
    in.srcPtr.pitch = in.srcPtr.xsize = WIDTH;
    in.srcPtr.ysize = HEIGHT;
    in.dstPtr = device;
    in.extent = extent;
    in.kind = cudaMemcpyHostToDevice;
    GOOD(cudaMemcpy3D(&in));
    // Only the middle comes back.
    cudaMemcpy3DParms out;
    std::memset(&out, 0, sizeof out);
    out.srcPtr = device;
    out.srcPos.x = 10, out.srcPos.y = 2, out.srcPos.z = 1;
    out.dstPtr.ptr = to.data();
    out.dstPtr.pitch = out.dstPtr.xsize = WIDTH;
    out.dstPtr.ysize = HEIGHT;
    out.dstPos = out.srcPos;
    out.extent.width = 50, out.extent.height = 3, out.extent.depth = 2;
    out.kind = cudaMemcpyDeviceToHost;
    GOOD(cudaMemcpy3D(&out));
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                size_t i = ((size_t)z * HEIGHT + y) * WIDTH + x;
                bool inside = x >= 10 && x < 60 && y >= 2 && y < 5 && z >= 1;
                if (to[i] != (inside ? from[i] : 0)) {
                    CHECK(!"a byte of the volume is wrong");
                    return;
                }
            }
    GOOD(cudaFree(device.ptr));
}

static void lines(void)
{
    std::vector<int> host(100000), back(100000);
    int *a, *b;
    size_t bytes = host.size() * sizeof(int);
    for (size_t i = 0; i < host.size(); i++)
        host[i] = (int)(i * 2654435761u);
    GOOD(cudaMalloc((void **)&a, bytes));
    GOOD(cudaMalloc((void **)&b, bytes));
    GOOD(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
    GOOD(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
    GOOD(cudaMemset(a, 0, bytes));
    GOOD(cudaMemcpy(back.data(), b, bytes, cudaMemcpyDefault));
    CHECK(back == host);
    GOOD(cudaMemcpy(back.data(), a, bytes, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 0 && back[99999] == 0);
    GOOD(cudaMemcpy(back.data(), host.data(), bytes, cudaMemcpyHostToHost));
    CHECK(back == host);
    GOOD(cudaFree(a));
    GOOD(cudaFree(b));
}

// From a device to a device, of which there is one; and pinned memory, which both sides reach.
static void peers(void)
{
    int *a, *b, *pinned;
    cudaPointerAttributes attributes;
    GOOD(cudaMalloc((void **)&a, 4096));
    GOOD(cudaMalloc((void **)&b, 4096));
    GOOD(cudaMallocHost((void **)&pinned, 4096));
    GOOD(cudaPointerGetAttributes(&attributes, pinned));
    CHECK(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == pinned);
    for (int i = 0; i < 1024; i++)
        pinned[i] = i * 7;
    GOOD(cudaMemcpyAsync(a, pinned, 4096, cudaMemcpyHostToDevice, 0));
    GOOD(cudaMemcpyPeer(b, 0, a, 0, 2048));
    GOOD(cudaMemcpyPeerAsync(b + 512, 0, a + 256, 0, 1024, 0));
    GOOD(cudaMemcpy(pinned, b, 3072, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 768; i++)
        CHECK(pinned[i] == (i < 512 ? i : i - 256) * 7);
    EXPECT(cudaMemcpyPeer(b, 1, a, 0, 16), cudaErrorInvalidDevice);
    EXPECT(cudaMemcpyPeerAsync(b, 0, a, 2, 16, 0), cudaErrorInvalidDevice);
    EXPECT(cudaMemcpyPeer(b, 0, a, 0, 4097), cudaErrorInvalidValue);
    GOOD(cudaFreeHost(pinned));
    GOOD(cudaFree(a));
    GOOD(cudaFree(b));
}

int main()
{
    lines();
    peers();
    planes();
    volumes();
    cudaGetLastError();
    return verdict();
}
