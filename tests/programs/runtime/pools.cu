// Memory pools: what they count, how they are chosen, and what they refuse.
#include "check.h"

#include <cstring>

__global__ void fill(int *at, int value)
{
    at[threadIdx.x] = value;
}

static unsigned long long bytes(cudaMemPool_t pool, enum cudaMemPoolAttr attribute)
{
    unsigned long long value = 77;
    GOOD(cudaMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

static cudaStream_t stream;

static cudaMemPoolProps properties(size_t most)
{
    cudaMemPoolProps props;
    std::memset(&props, 0, sizeof props);
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.maxSize = most;
    return props;
}

static void counting(void)
{
    cudaMemPool_t pool, current;
    int *a, *b, host[64];
    GOOD(cudaDeviceGetDefaultMemPool(&pool, 0));
    GOOD(cudaDeviceGetMemPool(&current, 0));
    CHECK(pool == current);
    EXPECT(cudaDeviceGetMemPool(&current, 1), cudaErrorInvalidDevice);
    CHECK(bytes(pool, cudaMemPoolAttrReleaseThreshold) == 0);
    GOOD(cudaMallocAsync((void **)&a, 1000, stream));
    GOOD(cudaMallocAsync((void **)&b, 500, stream));
    fill<<<1, 64, 0, stream>>>(a, 5);
    GOOD(cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, stream));
    GOOD(cudaStreamSynchronize(stream));
    CHECK(host[0] == 5 && host[63] == 5);
    CHECK(bytes(pool, cudaMemPoolAttrUsedMemCurrent) == 1500);
    CHECK(bytes(pool, cudaMemPoolAttrReservedMemCurrent) == 1500);
    GOOD(cudaFreeAsync(a, stream));
    CHECK(bytes(pool, cudaMemPoolAttrUsedMemCurrent) == 500);
    CHECK(bytes(pool, cudaMemPoolAttrReservedMemCurrent) == 1500);
    GOOD(cudaStreamSynchronize(stream)); // what is above the threshold goes
    CHECK(bytes(pool, cudaMemPoolAttrReservedMemCurrent) == 500);
    unsigned long long threshold = 1200, zero = 0, other = 1;
    GOOD(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    GOOD(cudaMallocAsync((void **)&a, 2000, stream));
    GOOD(cudaFree(a)); // waits
    CHECK(bytes(pool, cudaMemPoolAttrUsedMemCurrent) == 500);
    GOOD(cudaDeviceSynchronize());
    CHECK(bytes(pool, cudaMemPoolAttrReservedMemCurrent) == 1200);
    GOOD(cudaMemPoolTrimTo(pool, 800));
    CHECK(bytes(pool, cudaMemPoolAttrReservedMemCurrent) == 800);
    GOOD(cudaMemPoolTrimTo(pool, 0));
    CHECK(bytes(pool, cudaMemPoolAttrReservedMemCurrent) == 500);
    CHECK(bytes(pool, cudaMemPoolAttrUsedMemHigh) == 2500);
    CHECK(bytes(pool, cudaMemPoolAttrReservedMemHigh) == 2500);
    GOOD(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    GOOD(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &zero));
    CHECK(bytes(pool, cudaMemPoolAttrUsedMemHigh) == 500);
    CHECK(bytes(pool, cudaMemPoolAttrReservedMemHigh) == 500);
    EXPECT(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &other),
           cudaErrorInvalidValue);
    EXPECT(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &zero),
           cudaErrorInvalidValue);
    EXPECT(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)9, &zero), cudaErrorInvalidValue);
    int reuse = 9;
    GOOD(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
    CHECK(reuse == 1);
    reuse = 0;
    GOOD(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
    reuse = 9;
    GOOD(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &reuse));
    CHECK(reuse == 0);
    GOOD(cudaFreeAsync(b, stream));
    EXPECT(cudaFreeAsync(b, stream), cudaErrorInvalidValue);
    EXPECT(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
    cudaGetLastError();
}

static void own_pools(void)
{
    cudaMemPool_t pool, first, current;
    int *a, *b;
    cudaMemPoolProps props = properties(4096);
    GOOD(cudaDeviceGetDefaultMemPool(&first, 0));
    GOOD(cudaMemPoolCreate(&pool, &props));
    GOOD(cudaMallocFromPoolAsync((void **)&a, 4000, pool, stream));
    EXPECT(cudaMallocFromPoolAsync((void **)&b, 97, pool, stream), cudaErrorMemoryAllocation);
    GOOD(cudaMallocAsync(&b, 96, pool, stream)); // the form of C++
    CHECK(bytes(pool, cudaMemPoolAttrUsedMemCurrent) == 4096);
    CHECK(bytes(first, cudaMemPoolAttrUsedMemCurrent) == 0);
    GOOD(cudaFreeAsync(b, stream));
    GOOD(cudaDeviceSetMemPool(0, pool));
    GOOD(cudaDeviceGetMemPool(&current, 0));
    CHECK(current == pool);
    GOOD(cudaMallocAsync((void **)&b, 90, stream));
    CHECK(bytes(pool, cudaMemPoolAttrUsedMemCurrent) == 4090);
    // Destroyed, it lives until its last allocation goes.
    GOOD(cudaMemPoolDestroy(pool));
    EXPECT(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
    EXPECT(cudaMallocFromPoolAsync((void **)&b, 9, pool, stream), cudaErrorInvalidValue);
    GOOD(cudaDeviceGetMemPool(&current, 0));
    CHECK(current == first);
    fill<<<1, 64, 0, stream>>>(a, 1);
    GOOD(cudaFreeAsync(a, stream));
    GOOD(cudaFreeAsync(b, stream));
    GOOD(cudaDeviceSynchronize());
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    GOOD(cudaMemGetDefaultMemPool(&current, &here, cudaMemAllocationTypePinned));
    CHECK(current == first);
    GOOD(cudaMemPoolCreate(&pool, &props));
    GOOD(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, pool));
    GOOD(cudaMemGetMemPool(&current, &here, cudaMemAllocationTypePinned));
    CHECK(current == pool);
    EXPECT(cudaMemGetMemPool(&current, &host, cudaMemAllocationTypePinned), cudaErrorNotSupported);
    EXPECT(cudaMemSetMemPool(&here, cudaMemAllocationTypeInvalid, pool), cudaErrorInvalidValue);
    GOOD(cudaMemPoolDestroy(pool));
    cudaGetLastError();
}

static void refused(void)
{
    cudaMemPool_t pool;
    cudaMemPoolProps props = properties(0);
    props.handleTypes = cudaMemHandleTypeWin32;
    EXPECT(cudaMemPoolCreate(&pool, &props), cudaErrorNotSupported);
    props = properties(0);
    props.location.id = 3;
    EXPECT(cudaMemPoolCreate(&pool, &props), cudaErrorInvalidDevice);
    props.allocType = cudaMemAllocationTypeInvalid;
    EXPECT(cudaMemPoolCreate(&pool, &props), cudaErrorInvalidValue);
    GOOD(cudaDeviceGetDefaultMemPool(&pool, 0));
    cudaMemAccessDesc access;
    std::memset(&access, 0, sizeof access);
    access.location.type = cudaMemLocationTypeDevice;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    GOOD(cudaMemPoolSetAccess(pool, &access, 1));
    access.flags = cudaMemAccessFlagsProtNone;
    EXPECT(cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidValue);
    access.location.id = 1;
    EXPECT(cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidDevice);
    enum cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    access.location.id = 0;
    GOOD(cudaMemPoolGetAccess(&flags, pool, &access.location));
    CHECK(flags == cudaMemAccessFlagsProtReadWrite);
    access.location.type = cudaMemLocationTypeHost;
    GOOD(cudaMemPoolGetAccess(&flags, pool, &access.location));
    CHECK(flags == cudaMemAccessFlagsProtNone);
    int handle;
    EXPECT(cudaMemPoolExportToShareableHandle(&handle, pool, cudaMemHandleTypePosixFileDescriptor, 0),
           cudaErrorInvalidValue); // it was not made for that
    EXPECT(cudaMemPoolImportFromShareableHandle(&pool, &handle, cudaMemHandleTypePosixFileDescriptor,
                                                0),
           cudaErrorInvalidValue); // no descriptor
    cudaMemPoolPtrExportData data;
    void *pointer;
    EXPECT(cudaMemPoolExportPointer(&data, &handle), cudaErrorInvalidValue);
    EXPECT(cudaMemPoolImportPointer(&pointer, pool, &data), cudaErrorInvalidValue);
    int supported = 0;
    GOOD(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    CHECK(supported == 1);
    cudaDeviceProp device;
    GOOD(cudaGetDeviceProperties(&device, 0));
    CHECK(device.memoryPoolsSupported == 1 && device.memoryPoolSupportedHandleTypes == 1);
    cudaGetLastError();
}

int main()
{
    GOOD(cudaStreamCreate(&stream));
    counting();
    GOOD(cudaDeviceSynchronize());
    own_pools();
    refused();
    GOOD(cudaDeviceReset());
    cudaMemPool_t pool;
    GOOD(cudaDeviceGetDefaultMemPool(&pool, 0)); // a new device has a new one
    CHECK(bytes(pool, cudaMemPoolAttrReleaseThreshold) == 0);
    return verdict();
}
