// Separate compilation (nvcc -rdc=true): the PTX of each file lies apart. Functions and variables of
// one are used by the other, and equal names that are each file's own stay apart.
#include "separate.h"

#include "check.h"

void launch_other(int *to);
void set_scale(int value);

static __device__ int own = 1;
__device__ int counters[4] = {1, 2, 3, 4};

__device__ static int times_ten(int x)
{
    return x * 100;
}

__global__ void first(int *to)
{
    to[threadIdx.x] = times_ten(own);
}

__global__ void crossing(int *to)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = weigh((int)threadIdx.x) + sum_of(tile_of<int>(), 32);
    atomicAdd(&far_counter, 1);
    to[threadIdx.x] = tile[threadIdx.x] + *far_pointer;
}

int main()
{
    int *device, host[64];
    GOOD(cudaMalloc((void **)&device, sizeof host));
    first<<<1, 32>>>(device);
    launch_other(device + 32);
    GOOD(cudaGetLastError());
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 100 && host[31] == 100 && host[32] == 40 && host[63] == 40);

    set_scale(3);
    crossing<<<1, 32>>>(device);
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    // weigh: x * scale + counters[x & 3]; the tile holds 32 times 2; far_pointer is &counters[2].
    CHECK(host[5] == 5 * 3 + 2 + 64 + 3 && host[31] == 31 * 3 + 4 + 64 + 3);
    int counted, *address;
    GOOD(cudaMemcpyFromSymbol(&counted, far_counter, sizeof counted));
    GOOD(cudaGetSymbolAddress((void **)&address, far_counter));
    CHECK(counted == 32 && address != NULL);
    GOOD(cudaMemset(address, 0, sizeof counted));
    launch_template(device);
    twice<int><<<1, 1>>>(device + 1, 7);
    GOOD(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    GOOD(cudaMemcpyFromSymbol(&counted, far_counter, sizeof counted));
    CHECK(host[0] == 42 && host[1] == 14 && counted == 0);
    return verdict();
}
