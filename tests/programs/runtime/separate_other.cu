#include "separate.h"

static __device__ int own = 4;
__device__ int far_counter;
extern __device__ int counters[4];
__device__ int *far_pointer = &counters[2];
__constant__ int scale = 1;

__device__ static int times_ten(int x)
{
    return x * 10;
}

__device__ int weigh(int x)
{
    return x * scale + counters[x & 3];
}

__global__ void second(int *to)
{
    to[threadIdx.x] = times_ten(own);
}

void launch_other(int *to)
{
    second<<<1, 32>>>(to);
}

void launch_template(int *to)
{
    twice<int><<<1, 1>>>(to, 21);
}

void set_scale(int value)
{
    cudaMemcpyToSymbol(scale, &value, sizeof value);
}
