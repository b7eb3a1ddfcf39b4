// One SM after the other loads a number that no cache has at first: it comes from memory, from the
// L1 of the SM before, from L2, which has had to take it, and from the SM's own L1.
#include <cuda_runtime.h>

#define LOAD(name)                                                                         \
    extern "C" __global__ void name(const int *number, int *found, unsigned block)         \
    {                                                                                      \
        if (blockIdx.x == block && *number != 0)                                           \
            *found = 1;                                                                    \
    }
LOAD(memory)
LOAD(owner)
LOAD(l2)
LOAD(l1)

int main()
{
    int *number;
    cudaMalloc(&number, 256);
    memory<<<4, 1>>>(number, number + 32, 0);
    owner<<<4, 1>>>(number, number + 32, 1);
    l2<<<4, 1>>>(number, number + 32, 2);
    l1<<<4, 1>>>(number, number + 32, 2);
    return cudaDeviceSynchronize() != cudaSuccess;
}
