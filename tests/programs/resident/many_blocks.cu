// A grid of any size over the same data: what grows with it is the number of blocks alone.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 64

__global__ void many_blocks(unsigned *cells)
{
    __shared__ unsigned part[32];
    part[threadIdx.x & 31] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&cells[blockIdx.x % CELLS], part[31] - 30);
}

int main(int argc, char **argv)
{
    unsigned blocks = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
    unsigned *cells, result[CELLS], sum = 0;
    cudaMalloc((void **)&cells, sizeof result);
    cudaMemset(cells, 0, sizeof result);
    many_blocks<<<blocks, 64>>>(cells);
    if (cudaMemcpy(result, cells, sizeof result, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    // part[31] was written by lanes 31 and 63: one of the two is there, whichever came last.
    for (unsigned i = 0; i < CELLS; i++)
        sum += result[i];
    int right = sum >= blocks && sum <= 33 * blocks;
    printf("many_blocks: %s\n", right ? "PASS" : "FAIL");
    return !right;
}
