// Two lines that meet in one set of a small L1, loaded by turns.
#include <stdio.h>

__global__ void turns(const volatile float *a, float *sum, int apart, int times)
{
    const float *x = (const float *)a;
    float total = 0;
    for (int i = 0; i < times; i++)
        total += __ldca(x + threadIdx.x) + __ldca(x + apart + threadIdx.x);
    sum[threadIdx.x] = total;
}

int main(void)
{
    enum { LANES = 32, APART = 1024, TIMES = 10 };
    static float a[APART + LANES], sum[LANES];
    for (int i = 0; i < APART + LANES; i++)
        a[i] = (float)(i % 7);
    float *device_a, *device_sum;
    if (cudaMalloc(&device_a, sizeof a) != cudaSuccess ||
        cudaMalloc(&device_sum, sizeof sum) != cudaSuccess)
        return 1;
    cudaMemcpy(device_a, a, sizeof a, cudaMemcpyHostToDevice);
    turns<<<1, LANES>>>(device_a, device_sum, APART, TIMES);
    cudaMemcpy(sum, device_sum, sizeof sum, cudaMemcpyDeviceToHost);
    for (int i = 0; i < LANES; i++)
        if (sum[i] != TIMES * (a[i] + a[APART + i]))
            return 1;
    puts("PASS");
    return 0;
}
