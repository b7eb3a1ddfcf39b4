// What the device says of itself: properties, attributes and occupancy agree with each other.
#include "check.h"

#include <cstring>

__global__ void plain(int *to)
{
    to[threadIdx.x] = 1;
}

__global__ void heavy(int *to)
{
    __shared__ int buffer[8192]; // 32 KiB
    buffer[threadIdx.x] = to[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

__global__ void architecture(int *to)
{
#ifdef __CUDA_ARCH__
    *to = __CUDA_ARCH__ / 10;
#endif
}

static int attribute(cudaDeviceAttr which)
{
    int value = -1;
    GOOD(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

int main()
{
    int count = 0, device = -1, version = 0, driver = 0, can = -1;
    cudaDeviceProp p;
    std::memset(&p, 0xff, sizeof p);
    GOOD(cudaGetDeviceCount(&count));
    GOOD(cudaGetDevice(&device));
    CHECK(count == 1 && device == 0);
    GOOD(cudaGetDeviceProperties(&p, 0));
    GOOD(cudaRuntimeGetVersion(&version));
    GOOD(cudaDriverGetVersion(&driver));
    CHECK(version >= 12000 && driver >= version);
    std::printf("%s %d.%d\n", p.name, p.major, p.minor);
    CHECK(p.major == attribute(cudaDevAttrComputeCapabilityMajor));
    CHECK(p.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount));
    CHECK((int)p.sharedMemPerBlock == attribute(cudaDevAttrMaxSharedMemoryPerBlock));
    CHECK(p.warpSize == 32 && p.warpSize == attribute(cudaDevAttrWarpSize));
    CHECK(p.l2CacheSize == attribute(cudaDevAttrL2CacheSize) && p.l2CacheSize > 0);
    CHECK(p.memoryBusWidth == attribute(cudaDevAttrGlobalMemoryBusWidth));
    CHECK(p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[2] == 64);
    CHECK(p.managedMemory && p.unifiedAddressing && p.canMapHostMemory);
    CHECK(attribute(cudaDevAttrClockRate) > 100000);
    EXPECT(cudaDeviceGetAttribute(&can, (cudaDeviceAttr)9999, 0), cudaErrorInvalidValue);
    size_t free_bytes, total_bytes, before;
    GOOD(cudaMemGetInfo(&before, &total_bytes));
    CHECK(total_bytes == p.totalGlobalMem && before <= total_bytes);
    void *pointer;
    GOOD(cudaMalloc(&pointer, 1 << 20));
    GOOD(cudaMemGetInfo(&free_bytes, &total_bytes));
    CHECK(before - free_bytes >= 1 << 20);
    GOOD(cudaFree(pointer));
    GOOD(cudaDeviceCanAccessPeer(&can, 0, 0));
    CHECK(can == 0);

    cudaFuncAttributes a;
    int blocks = -1, fewer = -1;
    GOOD(cudaFuncGetAttributes(&a, (const void *)heavy));
    CHECK(a.sharedSizeBytes == 32768 && a.maxThreadsPerBlock == 1024 && a.numRegs > 0);
    // Libraries choose by the version of the code that was taken, not by the device.
    int *device_version, compiled = 0;
    GOOD(cudaMalloc((void **)&device_version, sizeof(int)));
    architecture<<<1, 1>>>(device_version);
    GOOD(cudaMemcpy(&compiled, device_version, sizeof compiled, cudaMemcpyDeviceToHost));
    CHECK(a.ptxVersion == compiled && a.binaryVersion >= compiled);
    GOOD(cudaFuncSetCacheConfig((const void *)heavy, cudaFuncCachePreferShared));
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)plain, 256, 0));
    CHECK(blocks >= 1 && blocks * 256 <= p.maxThreadsPerMultiProcessor);
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, (const void *)heavy, 256, 0));
    CHECK(fewer >= 1 && fewer * 32768 <= (int)p.sharedMemPerMultiprocessor);
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)plain, 2048, 0));
    CHECK(blocks == 0);
    size_t limit = 0;
    GOOD(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));
    GOOD(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    CHECK(limit == 1 << 24);
    cudaGetLastError();
    return verdict();
}
