// What stops a kernel: the code at the next call that waits, the same for every call after it, and
// a fresh device after cudaDeviceReset. The argument says which fault.
#include "check.h"

#include <cstring>

__global__ void store(int *to, long offset)
{
    *(int *)((char *)to + offset) = 1;
}

__global__ void trap(void)
{
    asm volatile("trap;");
}

__global__ void count(int *to)
{
    atomicAdd(to, 1);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "bounds";
    int *device, *other, wanted = cudaErrorIllegalAddress;
    GOOD(cudaMalloc((void **)&device, 256));
    GOOD(cudaMalloc((void **)&other, 256));
    if (!std::strcmp(kind, "bounds")) {
        store<<<1, 1>>>(device, 1L << 33);
    } else if (!std::strcmp(kind, "null")) {
        store<<<1, 1>>>((int *)0, 0);
    } else if (!std::strcmp(kind, "freed")) {
        GOOD(cudaFree(other));
        store<<<1, 1>>>(other, 0);
    } else if (!std::strcmp(kind, "misaligned")) {
        store<<<1, 1>>>(device, 2);
        wanted = cudaErrorMisalignedAddress;
    } else if (!std::strcmp(kind, "trap")) {
        trap<<<1, 1>>>();
        wanted = cudaErrorLaunchFailure;
    }
    GOOD(cudaGetLastError());    // the launch itself was right
    count<<<1, 32>>>(device);    // behind the fault: never runs
    GOOD(cudaGetLastError());
    EXPECT(cudaDeviceSynchronize(), wanted);
    EXPECT(cudaGetLastError(), wanted);
    void *pointer;
    EXPECT(cudaMalloc(&pointer, 4), wanted);
    EXPECT(cudaMemcpy(&wanted, device, 4, cudaMemcpyDeviceToHost), wanted);
    count<<<1, 32>>>(device);
    EXPECT(cudaGetLastError(), wanted);
    EXPECT(cudaFree(device), wanted);
    GOOD(cudaDeviceReset());
    cudaGetLastError();
    int result = -1;
    GOOD(cudaMalloc((void **)&device, 256));
    GOOD(cudaMemset(device, 0, 256));
    count<<<2, 32>>>(device);
    GOOD(cudaMemcpy(&result, device, 4, cudaMemcpyDeviceToHost));
    CHECK(result == 64);
    return verdict();
}
