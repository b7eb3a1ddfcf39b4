// Functions about what no device here has: they check their arguments and say what CUDA says of a
// device, an array or a library without the feature.
#include "check.h"

#include <cstring>

#ifndef __NVCC__ // NVIDIA's headers have these
struct cudaArrayMemoryRequirements {
    size_t size, alignment;
    unsigned reserved[4];
};
struct cudaArraySparseProperties {
    unsigned words[16];
};
typedef struct CUlib_st *cudaLibrary_t;
typedef struct cudaAsyncCallbackEntry *cudaAsyncCallbackHandle_t;
typedef struct cudaAsyncNotificationInfo cudaAsyncNotificationInfo_t;
typedef void (*cudaAsyncCallback)(cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t);
extern "C" {
cudaError_t cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements *, cudaArray_t, int);
cudaError_t cudaMipmappedArrayGetMemoryRequirements(cudaArrayMemoryRequirements *,
                                                    cudaMipmappedArray_t, int);
cudaError_t cudaArrayGetSparseProperties(cudaArraySparseProperties *, cudaArray_t);
cudaError_t cudaMipmappedArrayGetSparseProperties(cudaArraySparseProperties *,
                                                  cudaMipmappedArray_t);
cudaError_t cudaArrayGetPlane(cudaArray_t *, cudaArray_t, unsigned);
cudaError_t cudaDeviceRegisterAsyncNotification(int, cudaAsyncCallback, void *,
                                                cudaAsyncCallbackHandle_t *);
cudaError_t cudaDeviceUnregisterAsyncNotification(int, cudaAsyncCallbackHandle_t);
cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned *, const int *, unsigned, int);
cudaError_t cudaLibraryLoadData(cudaLibrary_t *, const void *, void *, void **, unsigned, void *,
                                void **, unsigned);
cudaError_t cudaLibraryUnload(cudaLibrary_t);
cudaError_t cudaLibraryGetUnifiedFunction(void **, cudaLibrary_t, const char *);
cudaError_t cudaOccupancyMaxActiveClusters(int *, const void *, const cudaLaunchConfig_t *);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *, const void *, const cudaLaunchConfig_t *);
}
typedef int cudaAtomicOperation;
#endif

static void arrays()
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array, plane;
    cudaMipmappedArray_t levels;
    cudaArrayMemoryRequirements memory;
    cudaArraySparseProperties sparse;
    GOOD(cudaMallocArray(&array, &format, 16, 16));
    GOOD(cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(16, 16, 0), 2));
    EXPECT(cudaArrayGetMemoryRequirements(&memory, array, 0), cudaErrorInvalidValue);
    EXPECT(cudaArrayGetMemoryRequirements(&memory, array, 1), cudaErrorInvalidDevice);
    EXPECT(cudaMipmappedArrayGetMemoryRequirements(&memory, levels, 0), cudaErrorInvalidValue);
    EXPECT(cudaArrayGetSparseProperties(&sparse, array), cudaErrorInvalidValue);
    EXPECT(cudaMipmappedArrayGetSparseProperties(&sparse, levels), cudaErrorInvalidValue);
    EXPECT(cudaArrayGetPlane(&plane, array, 0), cudaErrorInvalidValue);
    EXPECT(cudaArrayGetPlane(&plane, (cudaArray_t)&format, 0), cudaErrorInvalidResourceHandle);
    GOOD(cudaFreeArray(array));
    GOOD(cudaFreeMipmappedArray(levels));
    EXPECT(cudaArrayGetSparseProperties(&sparse, array), cudaErrorInvalidResourceHandle);
}

static void called(cudaAsyncNotificationInfo_t *, void *argument, cudaAsyncCallbackHandle_t)
{
    ++*(int *)argument;
}

static void notifications()
{
    cudaAsyncCallbackHandle_t first, second;
    int calls = 0;
    GOOD(cudaDeviceRegisterAsyncNotification(0, called, &calls, &first));
    GOOD(cudaDeviceRegisterAsyncNotification(0, called, &calls, &second));
    CHECK(first != second);
    EXPECT(cudaDeviceRegisterAsyncNotification(1, called, &calls, &second),
           cudaErrorInvalidDevice);
    EXPECT(cudaDeviceRegisterAsyncNotification(0, nullptr, &calls, &second),
           cudaErrorInvalidValue);
    GOOD(cudaDeviceUnregisterAsyncNotification(0, first));
    EXPECT(cudaDeviceUnregisterAsyncNotification(0, first), cudaErrorInvalidValue);
    GOOD(cudaDeviceUnregisterAsyncNotification(0, second));
    CHECK(calls == 0);
}

static void atomics()
{
    const cudaAtomicOperation operations[2] = {(cudaAtomicOperation)0, (cudaAtomicOperation)5};
    unsigned capabilities[2] = {7, 7};
    int native = 9;
    GOOD(cudaDeviceGetAttribute(&native, cudaDevAttrHostNativeAtomicSupported, 0));
    GOOD(cudaDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 0));
    CHECK(native == 0 && capabilities[0] == 0 && capabilities[1] == 0);
    EXPECT(cudaDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 1),
           cudaErrorInvalidDevice);
    const cudaAtomicOperation beyond = (cudaAtomicOperation)13;
    EXPECT(cudaDeviceGetHostAtomicCapabilities(capabilities, &beyond, 1, 0), cudaErrorInvalidValue);
    EXPECT(cudaDeviceGetHostAtomicCapabilities(capabilities, operations, 0, 0),
           cudaErrorInvalidValue);
}

__global__ void kernel(int *to)
{
    to[threadIdx.x] = 1;
}

static void clusters()
{
    int processors = 0, blocks = 0, all = 0, size = 0;
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t configuration = {};
    const void *function = (const void *)kernel;
    configuration.gridDim = dim3(8);
    configuration.blockDim = dim3(256);
    configuration.attrs = &attribute;
    configuration.numAttrs = 1;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    GOOD(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
    GOOD(cudaOccupancyMaxActiveClusters(&all, function, &configuration));
    CHECK(all == blocks * processors && all > 0);
    GOOD(cudaOccupancyMaxPotentialClusterSize(&size, function, &configuration));
    CHECK(size == 1);
    attribute.val.clusterDim.x = 2; // none of two blocks
    GOOD(cudaOccupancyMaxActiveClusters(&all, function, &configuration));
    CHECK(all == 0);
    attribute.val.clusterDim.x = 0;
    EXPECT(cudaOccupancyMaxActiveClusters(&all, function, &configuration), cudaErrorInvalidValue);
    configuration.blockDim = dim3(0);
    EXPECT(cudaOccupancyMaxPotentialClusterSize(&size, function, &configuration),
           cudaErrorInvalidValue);
    EXPECT(cudaOccupancyMaxActiveClusters(nullptr, function, &configuration),
           cudaErrorInvalidValue);
}

static void libraries()
{
    cudaLibrary_t library;
    void *function;
    const char text[] = ".version 6.5\n.target sm_70\n.address_size 64\n.visible .entry nothing()\n"
                        "{\n    ret;\n}\n";
    GOOD(cudaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
    EXPECT(cudaLibraryGetUnifiedFunction(&function, library, "nothing"), cudaErrorSymbolNotFound);
    EXPECT(cudaLibraryGetUnifiedFunction(nullptr, library, "nothing"), cudaErrorInvalidValue);
    GOOD(cudaLibraryUnload(library));
}

int main()
{
    arrays();
    notifications();
    atomics();
    clusters();
    libraries();
    return verdict();
}
