// A machine of one GPU: a second device is none, and nothing is its peer.
#include "../runtime/check.h"

__global__ void put(int *to)
{
    to[threadIdx.x] = threadIdx.x;
}

int main(void)
{
    int count = 0, can = -1, *memory;
    cudaPointerAttributes is;
    GOOD(cudaGetDeviceCount(&count));
    CHECK(count == 1);
    EXPECT(cudaSetDevice(1), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceCanAccessPeer(&can, 0, 1), cudaErrorInvalidDevice);
    GOOD(cudaDeviceCanAccessPeer(&can, 0, 0));
    CHECK(can == 0);
    EXPECT(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
    GOOD(cudaMalloc(&memory, 128));
    EXPECT(cudaMemcpyPeer(memory, 1, memory, 0, 64), cudaErrorInvalidDevice);
    GOOD(cudaPointerGetAttributes(&is, memory));
    CHECK(is.device == 0);
    cudaGetLastError();
    put<<<1, 32>>>(memory);
    GOOD(cudaDeviceSynchronize());
    GOOD(cudaFree(memory));
    return verdict();
}
