// What the files of the separately compiled program share.
#ifndef SEPARATE_H
#define SEPARATE_H

extern __device__ int far_counter, *far_pointer;
__device__ int weigh(int x);
__device__ int sum_of(const int *values, int count);

// Both come with every file that uses them, and are one.
template <typename T> __device__ __noinline__ T *tile_of()
{
    __shared__ T values[32];
    values[threadIdx.x] = 2;
    __syncthreads();
    return values;
}

template <typename T> __global__ void twice(T *to, T value)
{
    *to = value + value;
}

void launch_template(int *to);

#endif
