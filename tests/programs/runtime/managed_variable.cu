// Managed variables: host code reads and writes them before and after kernels do.
#include "check.h"

__device__ __managed__ int number = 5;
__device__ __managed__ float list[16];

__global__ void change(void)
{
    list[threadIdx.x] = (float)(number * (int)threadIdx.x);
}

int main()
{
    CHECK(number == 5);
    number = 7;
    change<<<1, 16>>>();
    GOOD(cudaDeviceSynchronize());
    CHECK(list[15] == 105.0f);
    int value = 9;
    GOOD(cudaMemcpyToSymbol(number, &value, sizeof value));
    CHECK(number == 9);
    return verdict();
}
