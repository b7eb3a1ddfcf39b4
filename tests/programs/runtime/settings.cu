// What programs ask and set once: devices and their bus, peers, preferences, flags, attributes of
// functions and of streams, the driver's functions by name.
#include "check.h"

#include <cstring>
#include <cuda_profiler_api.h>

#ifndef __NVCC__ // NVIDIA's headers have these
enum { cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound };
typedef int cudaDriverEntryPointQueryResult;
extern "C" {
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaSetValidDevices(int *, int);
cudaError_t cudaFuncGetName(const char **, const void *);
cudaError_t cudaFuncGetParamInfo(const void *, size_t, size_t *, size_t *);
cudaError_t cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t cudaGetDriverEntryPoint(const char *, void **, unsigned long long,
                                    cudaDriverEntryPointQueryResult *);
cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned *, const int *, unsigned, int, int);
}
#define OPERATIONS const int
#else
#define OPERATIONS const cudaAtomicOperation
#endif

__global__ void kernel(double *to, int number, char letter)
{
    __shared__ double kept[32];
    kept[threadIdx.x % 32] = number + letter;
    __syncthreads();
    to[threadIdx.x] = kept[threadIdx.x % 32];
}

static const void *of_kernel = (const void *)kernel;

static void devices()
{
    char bus[32] = "", shorter[8];
    int device = 9, valid[] = {0}, absent[] = {0, 1};
    GOOD(cudaInitDevice(0, 0, 0));
    EXPECT(cudaInitDevice(1, 0, 0), cudaErrorInvalidDevice);
    EXPECT(cudaInitDevice(0, 0, 2), cudaErrorInvalidValue);
    GOOD(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    CHECK(std::strlen(bus) == 12);
    GOOD(cudaDeviceGetByPCIBusId(&device, bus));
    CHECK(device == 0);
    EXPECT(cudaDeviceGetPCIBusId(shorter, sizeof shorter, 0), cudaErrorInvalidValue);
    EXPECT(cudaDeviceGetByPCIBusId(&device, "0000:77:00.0"), cudaErrorInvalidDevice);
    cudaDeviceProp wanted = {};
    device = 9;
    GOOD(cudaChooseDevice(&device, &wanted));
    CHECK(device == 0);
    EXPECT(cudaChooseDevice(&device, nullptr), cudaErrorInvalidValue);
    GOOD(cudaSetValidDevices(valid, 1));
    EXPECT(cudaSetValidDevices(absent, 2), cudaErrorInvalidDevice);
    EXPECT(cudaSetValidDevices(nullptr, 1), cudaErrorInvalidValue);
}

static void peers()
{
    unsigned capabilities[1];
    OPERATIONS operations[1] = {};
    EXPECT(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
    EXPECT(cudaDeviceDisablePeerAccess(1), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceGetP2PAtomicCapabilities(capabilities, operations, 1, 0, 1),
           cudaErrorInvalidDevice);
    EXPECT(cudaDeviceGetP2PAtomicCapabilities(capabilities, operations, 0, 0, 0),
           cudaErrorInvalidValue);
}

static void preferences()
{
    unsigned flags = 0;
    cudaFuncCache cache = cudaFuncCachePreferL1;
    cudaSharedMemConfig banks = cudaSharedMemBankSizeEightByte;
    GOOD(cudaSetDeviceFlags(cudaDeviceScheduleSpin));
    GOOD(cudaGetDeviceFlags(&flags));
    CHECK(flags == (cudaDeviceScheduleSpin | cudaDeviceMapHost));
    EXPECT(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield),
           cudaErrorInvalidValue);
    EXPECT(cudaSetDeviceFlags(1024), cudaErrorInvalidValue);
    EXPECT(cudaGetDeviceFlags(nullptr), cudaErrorInvalidValue);
    // Preferences of caches and banks: the machine file says what there is.
    GOOD(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    GOOD(cudaDeviceGetCacheConfig(&cache));
    CHECK(cache == cudaFuncCachePreferNone);
    EXPECT(cudaDeviceSetCacheConfig((cudaFuncCache)4), cudaErrorInvalidValue);
    GOOD(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    GOOD(cudaDeviceGetSharedMemConfig(&banks));
    CHECK(banks == cudaSharedMemBankSizeFourByte);
    EXPECT(cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)3), cudaErrorInvalidValue);
    GOOD(cudaFuncSetSharedMemConfig(of_kernel, cudaSharedMemBankSizeFourByte));
    EXPECT(cudaFuncSetSharedMemConfig(of_kernel, (cudaSharedMemConfig)3), cudaErrorInvalidValue);
    EXPECT(cudaFuncSetSharedMemConfig(&flags, cudaSharedMemBankSizeFourByte),
           cudaErrorInvalidDeviceFunction);
    GOOD(cudaCtxResetPersistingL2Cache());
    GOOD(cudaProfilerStart());
    GOOD(cudaProfilerStop());
}

static void kernels()
{
    const char *name = nullptr;
    cudaKernel_t handle = nullptr;
    size_t offset = 0, bytes = 0, shared = 0;
    int blocks = 0, fewer = 0;
    GOOD(cudaFuncGetName(&name, of_kernel));
    CHECK(name && std::strcmp(name, "_Z6kernelPdic") == 0);
    EXPECT(cudaFuncGetName(&name, &name), cudaErrorInvalidDeviceFunction);
    GOOD(cudaGetKernel(&handle, of_kernel));
    CHECK(handle != nullptr);
    EXPECT(cudaGetKernel(&handle, &handle), cudaErrorInvalidDeviceFunction);
    GOOD(cudaFuncGetParamInfo(of_kernel, 2, &offset, &bytes));
    CHECK(offset == 12 && bytes == 1);
    EXPECT(cudaFuncGetParamInfo(of_kernel, 3, &offset, &bytes), cudaErrorInvalidValue);
    // A handle is as good as the function.
    GOOD(cudaFuncGetParamInfo((const void *)handle, 1, &offset, nullptr));
    CHECK(offset == 8);
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, 256, 0,
                                                                cudaOccupancyDefault));
    CHECK(blocks == 2048 / 256);
    EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, 256, 0, 2),
           cudaErrorInvalidValue);
    // As much as leaves room for that many blocks, and no more.
    GOOD(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, kernel, 4, 256));
    CHECK(shared > 0);
    GOOD(cudaFuncSetAttribute(of_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, shared));
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fewer, kernel, 256, shared + 1024));
    CHECK(blocks == 4 && fewer == 3);
    EXPECT(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, kernel, 9, 256),
           cudaErrorInvalidValue);
}

static void streams()
{
    cudaStream_t first, second;
    unsigned flags = 9;
    int device = 9;
    unsigned long long one = 0, two = 0;
    GOOD(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    GOOD(cudaStreamCreate(&second));
    GOOD(cudaStreamGetFlags(first, &flags));
    CHECK(flags == cudaStreamNonBlocking);
    GOOD(cudaStreamGetFlags(second, &flags));
    CHECK(flags == cudaStreamDefault);
    GOOD(cudaStreamGetId(first, &one));
    GOOD(cudaStreamGetId(second, &two));
    CHECK(one != two);
    GOOD(cudaStreamGetDevice(first, &device));
    CHECK(device == 0);
    EXPECT(cudaStreamGetFlags(first, nullptr), cudaErrorInvalidValue);
    EXPECT(cudaStreamGetId(first, nullptr), cudaErrorInvalidValue);
    EXPECT(cudaStreamGetDevice(first, nullptr), cudaErrorInvalidValue);
    GOOD(cudaStreamDestroy(first));
    EXPECT(cudaStreamGetFlags(first, &flags), cudaErrorInvalidResourceHandle);
    GOOD(cudaStreamDestroy(second));
}

static void names()
{
    void *function = nullptr;
    int version = 0;
    cudaDriverEntryPointQueryResult query;
    GOOD(cudaGetDriverEntryPoint("cuDriverGetVersion", &function, 0, &query));
    CHECK(query == cudaDriverEntryPointSuccess && function);
    if (function)
        EXPECT(((int (*)(int *))function)(&version), 0);
    CHECK(version >= 12000);
    GOOD(cudaGetDriverEntryPoint("cuNothing", &function, 0, &query));
    CHECK(query == cudaDriverEntryPointSymbolNotFound && !function);
    CHECK(std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
    CHECK(std::strcmp(cudaGetErrorName((cudaError_t)54321), "unrecognized error code") == 0);
}

int main()
{
    devices();
    peers();
    preferences();
    kernels();
    streams();
    names();
    return verdict();
}
