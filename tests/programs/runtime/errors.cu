// Errors that stay with the call: their codes, and that the device goes on afterwards.
#include "check.h"

#include <cstdint>

#ifndef __NVCC__ // NVIDIA's header has it
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
extern "C" cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t);
#endif

__global__ void set(int *to, int value)
{
    to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void __launch_bounds__(64) bounded(int *to)
{
    to[threadIdx.x] = 1;
}

__global__ void shared_user(int *to)
{
    extern __shared__ int buffer[];
    buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    to[threadIdx.x] = buffer[blockDim.x - 1 - threadIdx.x];
}

static void launches(int *device)
{
    set<<<0, 32>>>(device, 1);
    EXPECT(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    GOOD(cudaGetLastError());
    set<<<1, 0>>>(device, 1);
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    set<<<1, 1025>>>(device, 1);
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    set<<<1, dim3(1, 1, 65)>>>(device, 1);
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    set<<<1, dim3(32, 32, 2)>>>(device, 1);
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    set<<<dim3(1, 65536), 1>>>(device, 1);
    EXPECT(cudaGetLastError(), cudaErrorInvalidConfiguration);
    bounded<<<1, 65>>>(device);
    EXPECT(cudaGetLastError(), cudaErrorLaunchOutOfResources);
    shared_user<<<1, 32, 48 * 1024 + 4>>>(device);
    EXPECT(cudaGetLastError(), cudaErrorInvalidValue);
    set<<<1, 32, 0, (cudaStream_t)0x1234>>>(device, 1);
    EXPECT(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    EXPECT(cudaLaunchKernel((const void *)launches, dim3(1), dim3(1), 0, 0, 0),
           cudaErrorInvalidDeviceFunction);
    EXPECT(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
    // None of it has hurt the device.
    set<<<1, 32>>>(device, 42);
    GOOD(cudaGetLastError());
    int host[32] = {0};
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 42 && host[31] == 42);
}

static void large_shared(int *device)
{
    int optin = 0;
    GOOD(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if (optin > 64 * 1024) {
        GOOD(cudaFuncSetAttribute((const void *)shared_user,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
        shared_user<<<1, 32, 64 * 1024>>>(device);
        GOOD(cudaGetLastError());
    }
    EXPECT(cudaFuncSetAttribute((const void *)shared_user,
                                cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1),
           cudaErrorInvalidValue);
    GOOD(cudaDeviceSynchronize());
    cudaGetLastError();
}

static void memory(int *device)
{
    int host[64], *pointer = 0;
    EXPECT(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(host, device, 128, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(device, host, 128, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    EXPECT(cudaMemcpy(device, host, 4, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    EXPECT(cudaMemcpy(0, device, 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    GOOD(cudaMemcpy(0, 0, 0, cudaMemcpyDeviceToHost));
    EXPECT(cudaMemset(device, 0, 4096), cudaErrorInvalidValue);
    EXPECT(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
    EXPECT(cudaMemset2D(device, 16, 0, 32, 4), cudaErrorInvalidValue);
    EXPECT(cudaFree(host), cudaErrorInvalidValue);
    EXPECT(cudaFree(device + 1), cudaErrorInvalidValue);
    GOOD(cudaFree(0));
    GOOD(cudaFreeHost(0));
    GOOD(cudaMalloc((void **)&pointer, 64));
    EXPECT(cudaFreeHost(pointer), cudaErrorInvalidValue);
    GOOD(cudaFree(pointer));
    EXPECT(cudaFree(pointer), cudaErrorInvalidValue);
    EXPECT(cudaMalloc((void **)&pointer, (size_t)1 << 60), cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError(), cudaErrorMemoryAllocation);
    GOOD(cudaMalloc((void **)&pointer, 0));
    CHECK(pointer == 0);
    EXPECT(cudaMalloc((void **)0, 4), cudaErrorInvalidValue);
    EXPECT(cudaMallocManaged((void **)&pointer, 0), cudaErrorInvalidValue);
    EXPECT(cudaHostUnregister(host), cudaErrorHostMemoryNotRegistered);
    GOOD(cudaHostRegister(host, sizeof host, 0));
    EXPECT(cudaHostRegister(host, sizeof host, 0), cudaErrorHostMemoryAlreadyRegistered);
    GOOD(cudaHostUnregister(host));
    cudaGetLastError();
}

static void handles(void)
{
    cudaEvent_t event;
    float time;
    EXPECT(cudaSetDevice(1), cudaErrorInvalidDevice);
    EXPECT(cudaSetDevice(-1), cudaErrorInvalidDevice);
    cudaDeviceProp properties;
    EXPECT(cudaGetDeviceProperties(&properties, 3), cudaErrorInvalidDevice);
    EXPECT(cudaStreamSynchronize((cudaStream_t)0x40), cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventRecord((cudaEvent_t)0x40), cudaErrorInvalidResourceHandle);
    GOOD(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    EXPECT(cudaEventElapsedTime(&time, event, event), cudaErrorInvalidResourceHandle);
    GOOD(cudaEventQuery(event));
    GOOD(cudaEventDestroy(event));
    EXPECT(cudaEventDestroy(event), cudaErrorInvalidResourceHandle);
    EXPECT(cudaStreamCreateWithFlags((cudaStream_t *)&event, 8), cudaErrorInvalidValue);
    EXPECT(cudaGraphicsUnregisterResource(0), 801);
    EXPECT(cudaGetLastError(), 801);
    cudaGetLastError();
}

int main()
{
    int *device;
    GOOD(cudaMalloc((void **)&device, 32 * sizeof(int)));
    launches(device);
    large_shared(device);
    memory(device);
    handles();
    CHECK(cudaGetErrorString(cudaErrorInvalidValue)[0] == 'i');
    GOOD(cudaFree(device));
    return verdict();
}
