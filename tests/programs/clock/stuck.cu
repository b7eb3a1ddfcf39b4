// Two warps wait at two barriers, each for the other: no launch can end so.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void stuck(int *out)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;");
    else
        asm volatile("bar.sync 2, 64;");
    *out = 1;
}

int main()
{
    int *out;
    cudaMalloc(&out, sizeof *out);
    stuck<<<1, 64>>>(out);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(error));
    return error != cudaSuccess;
}
