// Cooperative launches: all blocks are there at once and wait for each other, as NVIDIA's header does
// (where nvcc has it) and by a barrier of our own over the same two registers.
#include "check.h"

#ifdef __NVCC__
#include <cooperative_groups.h>
#endif

// As grids wait: the first block adds what makes the top bit flip when all others have added one.
__device__ void wait_for_grid()
{
    unsigned high, low;
    asm volatile("mov.b32 %0, %%envreg1;" : "=r"(high));
    asm volatile("mov.b32 %0, %%envreg2;" : "=r"(low));
    unsigned *barrier = (unsigned *)((unsigned long long)high << 32 | low) + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned others = gridDim.x - 1;
        unsigned old = atomicAdd(barrier, blockIdx.x == 0 ? 0x80000000u - others : 1u);
        while (((old ^ *(volatile unsigned *)barrier) & 0x80000000u) == 0)
            ;
    }
    __syncthreads();
}

// In each round a block adds its left neighbour's number of the round before to its own.
__global__ void rounds(unsigned *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        unsigned *from = numbers + (i % 2) * gridDim.x, *to = numbers + (1 - i % 2) * gridDim.x;
        if (threadIdx.x == 0)
            to[blockIdx.x] = from[blockIdx.x] + from[(blockIdx.x + gridDim.x - 1) % gridDim.x];
#ifdef __NVCC__
        if (i % 3 == 0)
            cooperative_groups::this_grid().sync();
        else
#endif
            wait_for_grid();
    }
}

__global__ void workspace(unsigned long long *found)
{
    unsigned high, low;
    asm volatile("mov.b32 %0, %%envreg1;" : "=r"(high));
    asm volatile("mov.b32 %0, %%envreg2;" : "=r"(low));
    *found = (unsigned long long)high << 32 | low;
}

static void check_rounds(unsigned blocks)
{
    enum { COUNT = 7 };
    unsigned *numbers, *wanted = new unsigned[2 * blocks], *results = new unsigned[blocks];
    int count = COUNT;
    GOOD(cudaMalloc((void **)&numbers, 2 * blocks * sizeof *numbers));
    for (unsigned i = 0; i < blocks; i++)
        wanted[i] = i * i + 1;
    GOOD(cudaMemcpy(numbers, wanted, blocks * sizeof *numbers, cudaMemcpyHostToDevice));
    void *arguments[] = {&numbers, &count};
    GOOD(cudaLaunchCooperativeKernel((const void *)rounds, dim3(blocks), dim3(64), arguments, 0, 0));
    for (int i = 0; i < COUNT; i++)
        for (unsigned j = 0; j < blocks; j++)
            wanted[(1 - i % 2) * blocks + j] =
                wanted[i % 2 * blocks + j] + wanted[i % 2 * blocks + (j + blocks - 1) % blocks];
    GOOD(cudaMemcpy(results, numbers + COUNT % 2 * blocks, blocks * sizeof *results,
                    cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < blocks; i++)
        CHECK(results[i] == wanted[COUNT % 2 * blocks + i]);
    GOOD(cudaFree(numbers));
    delete[] wanted;
    delete[] results;
}

int main()
{
    int each, supported;
    cudaDeviceProp properties;
    GOOD(cudaGetDeviceProperties(&properties, 0));
    GOOD(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    CHECK(supported == 1 && properties.cooperativeLaunch == 1);
    GOOD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, (const void *)rounds, 64, 0));
    unsigned most = (unsigned)(each * properties.multiProcessorCount);
    check_rounds(1);
    check_rounds(3);
    check_rounds(most);

    int count = 1;
    unsigned *numbers = 0;
    void *arguments[] = {&numbers, &count};
    EXPECT(cudaLaunchCooperativeKernel((const void *)rounds, dim3(most + 1), dim3(64), arguments, 0, 0),
           cudaErrorCooperativeLaunchTooLarge);
    EXPECT(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);

    // Other launches have no workspace, by which a kernel knows that it must not wait.
    unsigned long long *found, result = 1;
    GOOD(cudaMalloc((void **)&found, sizeof *found));
    workspace<<<1, 1>>>(found);
    GOOD(cudaMemcpy(&result, found, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(result == 0);
    void *given[] = {&found};
    GOOD(cudaLaunchCooperativeKernel((const void *)workspace, dim3(1), dim3(1), given, 0, 0));
    GOOD(cudaMemcpy(&result, found, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(result != 0);
    return verdict();
}
