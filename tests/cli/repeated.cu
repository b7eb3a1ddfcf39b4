// Eleven launches that are refused for the same reason, and one for another.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void empty() {}

int main()
{
    for (int i = 0; i < 11; i++)
        empty<<<1, 1025 + i>>>();
    empty<<<1, 32, 1 << 20>>>();
    puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
    return 0;
}
