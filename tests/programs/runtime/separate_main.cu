// Separate compilation (nvcc -rdc=true): the PTX of each file lies apart, and each has kernels.
#include "check.h"

void launch_other(int *to);

__global__ void first(int *to)
{
    to[threadIdx.x] = 1;
}

int main()
{
    int *device, host[64];
    GOOD(cudaMalloc((void **)&device, sizeof host));
    first<<<1, 32>>>(device);
    launch_other(device + 32);
    GOOD(cudaGetLastError());
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 1 && host[31] == 1 && host[32] == 40 && host[63] == 40);
    return verdict();
}
