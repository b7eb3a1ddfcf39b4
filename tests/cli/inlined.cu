// Accesses by functions of the toolkit's headers, called from functions that are inlined themselves.
#include <cstdio>
#include <cuda_runtime.h>

__device__ __forceinline__ int read_only(const int *from, int i)
{
    return __ldg(from + i); // a load of the program's own function
}

__global__ void count(int *bins, const int *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[read_only(from, i)], 1); // an atomic of the kernel
}

int main()
{
    int *bins, *from;
    cudaMalloc(&bins, 1024);
    cudaMalloc(&from, 4096);
    cudaMemset(bins, 0, 1024);
    cudaMemset(from, 0, 4096);
    count<<<4, 256>>>(bins, from, 1024);
    puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
    return 0;
}
