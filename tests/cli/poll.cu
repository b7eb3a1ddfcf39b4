// A warp polls a flag that another one of its block sets after a load from memory.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void poll(volatile int *flag, const int *data, int *seen)
{
    if (threadIdx.x == 0) {
        while (*flag == 0)
            ;
        *seen = *flag;
    } else if (threadIdx.x == 32) {
        int value = data[threadIdx.x * 1000];
        *flag = value + data[threadIdx.x * 2000];
    }
}

int main()
{
    int *flag, *data, *seen, result = 0;
    cudaMalloc(&flag, sizeof *flag);
    cudaMalloc(&seen, sizeof *seen);
    cudaMalloc(&data, 100000 * sizeof *data);
    cudaMemset(flag, 0, sizeof *flag);
    cudaMemset(data, 1, 100000 * sizeof *data);
    poll<<<1, 64>>>(flag, data, seen);
    cudaMemcpy(&result, seen, sizeof result, cudaMemcpyDeviceToHost);
    printf("poll: %s\n", result == 2 * 0x01010101 ? "PASS" : "FAIL");
    return result != 2 * 0x01010101;
}
