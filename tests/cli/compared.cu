// Two kernels, of which warpmem compare is to find out what an edit changed. With -DAFTER the first one
// has a line more above its accesses, reads its column instead of its row, and no longer writes
// `marks`; the second is as it was; `dropped` is gone, and `added` is new.
#include <cstdio>
#include <cuda_runtime.h>

enum { SIDE = 64 };

__global__ void edited(const float *from, float *to, int *marks)
{
#ifdef AFTER
    if (blockIdx.x == SIDE)
        return;
    int column = blockIdx.x, row = threadIdx.x;
#else
    int column = threadIdx.x, row = blockIdx.x;
    marks[row * SIDE + column] = row;
#endif
    to[blockIdx.x * SIDE + threadIdx.x] = from[row * SIDE + column] + 1;
}

__global__ void same(const float *from, float *to)
{
    to[blockIdx.x * SIDE + threadIdx.x] = 2 * from[blockIdx.x * SIDE + threadIdx.x];
}

#ifdef AFTER
__global__ void added(float *to)
#else
__global__ void dropped(float *to)
#endif
{
    to[threadIdx.x] = 1;
}

int main()
{
    float *from, *to;
    int *marks;
    cudaMalloc(&from, SIDE * SIDE * sizeof *from);
    cudaMalloc(&to, SIDE * SIDE * sizeof *to);
    cudaMalloc(&marks, SIDE * SIDE * sizeof *marks);
    edited<<<SIDE, SIDE>>>(from, to, marks);
    same<<<SIDE, SIDE>>>(from, to);
#ifdef AFTER
    added<<<1, SIDE>>>(to);
#else
    dropped<<<1, SIDE>>>(to);
#endif
    std::puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
}
