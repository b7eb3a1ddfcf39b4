// What was said about ranges of managed memory can be asked for.
#include "check.h"

#include <cstring>

#ifndef __NVCC__ // NVIDIA's headers have these
enum cudaMemRangeAttribute {
    cudaMemRangeAttributeReadMostly = 1,
    cudaMemRangeAttributePreferredLocation = 2,
    cudaMemRangeAttributeAccessedBy = 3,
    cudaMemRangeAttributeLastPrefetchLocation = 4,
    cudaMemRangeAttributePreferredLocationType = 5,
    cudaMemRangeAttributePreferredLocationId = 6,
    cudaMemRangeAttributeLastPrefetchLocationType = 7,
    cudaMemRangeAttributeLastPrefetchLocationId = 8,
};
extern "C" {
cudaError_t cudaMemRangeGetAttribute(void *, size_t, enum cudaMemRangeAttribute, const void *,
                                     size_t);
cudaError_t cudaMemRangeGetAttributes(void **, size_t *, enum cudaMemRangeAttribute *, size_t,
                                      const void *, size_t);
}
#endif

static char *at;

static int value(enum cudaMemRangeAttribute attribute, size_t from, size_t bytes)
{
    int got = 99;
    GOOD(cudaMemRangeGetAttribute(&got, sizeof got, attribute, at + from, bytes));
    return got;
}

int main()
{
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    GOOD(cudaMallocManaged((void **)&at, 4096));
    CHECK(value(cudaMemRangeAttributeReadMostly, 0, 4096) == 0);
    CHECK(value(cudaMemRangeAttributePreferredLocation, 0, 4096) == cudaInvalidDeviceId);
    GOOD(cudaMemAdvise(at + 1024, 1024, cudaMemAdviseSetReadMostly, device));
    CHECK(value(cudaMemRangeAttributeReadMostly, 1024, 1024) == 1);
    CHECK(value(cudaMemRangeAttributeReadMostly, 1100, 10) == 1);
    CHECK(value(cudaMemRangeAttributeReadMostly, 1023, 2) == 0);
    CHECK(value(cudaMemRangeAttributeReadMostly, 2047, 2) == 0);
    // A second piece of advice across the first
    GOOD(cudaMemAdvise(at, 1536, cudaMemAdviseSetPreferredLocation, device));
    CHECK(value(cudaMemRangeAttributePreferredLocation, 0, 1536) == 0);
    CHECK(value(cudaMemRangeAttributePreferredLocation, 0, 1537) == cudaInvalidDeviceId);
    CHECK(value(cudaMemRangeAttributeReadMostly, 1024, 1024) == 1);
    GOOD(cudaMemAdvise(at + 1536, 512, cudaMemAdviseSetPreferredLocation, host));
    CHECK(value(cudaMemRangeAttributePreferredLocation, 1536, 512) == cudaCpuDeviceId);
    CHECK(value(cudaMemRangeAttributePreferredLocation, 1500, 100) == cudaInvalidDeviceId);
    CHECK(value(cudaMemRangeAttributePreferredLocationType, 1536, 512) == cudaMemLocationTypeHost);
    CHECK(value(cudaMemRangeAttributePreferredLocationId, 0, 1536) == 0);
    GOOD(cudaMemAdvise(at, 4096, cudaMemAdviseUnsetReadMostly, device));
    CHECK(value(cudaMemRangeAttributeReadMostly, 1024, 1024) == 0);
    GOOD(cudaMemAdvise(at, 4096, cudaMemAdviseUnsetPreferredLocation, device));
    CHECK(value(cudaMemRangeAttributePreferredLocation, 0, 16) == cudaInvalidDeviceId);
    GOOD(cudaMemPrefetchAsync(at, 4096, device, 0, 0));
    CHECK(value(cudaMemRangeAttributeLastPrefetchLocation, 0, 4096) == 0);
    GOOD(cudaMemPrefetchAsync(at + 2048, 2048, host, 0, 0));
    CHECK(value(cudaMemRangeAttributeLastPrefetchLocation, 2048, 2048) == cudaCpuDeviceId);
    CHECK(value(cudaMemRangeAttributeLastPrefetchLocationType, 0, 2048) ==
          cudaMemLocationTypeDevice);
    CHECK(value(cudaMemRangeAttributeLastPrefetchLocationId, 0, 2048) == 0);
    GOOD(cudaMemAdvise(at, 4096, cudaMemAdviseSetAccessedBy, host));
    GOOD(cudaMemAdvise(at, 2048, cudaMemAdviseSetAccessedBy, device));
    int users[3] = {9, 9, 9}, mostly = 9;
    void *data[2] = {users, &mostly};
    size_t sizes[2] = {sizeof users, sizeof mostly};
    enum cudaMemRangeAttribute wanted[2] = {cudaMemRangeAttributeAccessedBy,
                                            cudaMemRangeAttributeReadMostly};
    GOOD(cudaMemRangeGetAttributes(data, sizes, wanted, 2, at, 2048));
    CHECK(users[0] == 0 && users[1] == cudaCpuDeviceId && users[2] == cudaInvalidDeviceId);
    CHECK(mostly == 0);
    GOOD(cudaMemRangeGetAttributes(data, sizes, wanted, 1, at, 4096));
    CHECK(users[0] == cudaCpuDeviceId && users[1] == cudaInvalidDeviceId);
    EXPECT(cudaMemRangeGetAttribute(&mostly, 3, cudaMemRangeAttributeReadMostly, at, 16),
           cudaErrorInvalidValue);
    EXPECT(cudaMemRangeGetAttribute(&mostly, 4, (enum cudaMemRangeAttribute)9, at, 16),
           cudaErrorInvalidValue);
    EXPECT(cudaMemRangeGetAttribute(&mostly, 4, cudaMemRangeAttributeReadMostly, at, 4097),
           cudaErrorInvalidValue);
    // A stream that managed memory is kept for: one memory for all of them here.
    cudaStream_t stream;
    GOOD(cudaStreamCreate(&stream));
    GOOD(cudaStreamAttachMemAsync(stream, at, 4096, cudaMemAttachSingle));
    GOOD(cudaStreamAttachMemAsync(stream, at, 0, cudaMemAttachGlobal));
    EXPECT(cudaStreamAttachMemAsync(stream, at, 0, 3), cudaErrorInvalidValue);
    EXPECT(cudaStreamAttachMemAsync(stream, at, 5000, cudaMemAttachHost), cudaErrorInvalidValue);
    EXPECT(cudaStreamAttachMemAsync(stream, &mostly, 0, cudaMemAttachHost), cudaErrorInvalidValue);
    GOOD(cudaStreamDestroy(stream));
    // Memory that is allocated there later knows nothing of it.
    GOOD(cudaMemAdvise(at, 4096, cudaMemAdviseSetReadMostly, device));
    GOOD(cudaFree(at));
    GOOD(cudaMallocManaged((void **)&at, 4096));
    CHECK(value(cudaMemRangeAttributeReadMostly, 0, 4096) == 0);
    GOOD(cudaFree(at));
    return verdict();
}
