// One warp reads a line four times, each time when it has what it read before: from DRAM, from L1,
// from L2 past L1, and from shared memory.
#include <cstdio>

__global__ void levels(const int *in, int *out)
{
    __shared__ int kept[32];
    int first, second, third;
    const int *at = in + threadIdx.x;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(first) : "l"(at) : "memory");
    at += first;
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(second) : "l"(at) : "memory");
    at += second;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(third) : "l"(at) : "memory");
    kept[threadIdx.x] = third;
    __syncthreads();
    out[threadIdx.x] = kept[threadIdx.x ^ 1];
}

int main()
{
    int host[32] = {0}, *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    levels<<<1, 32>>>(in, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    std::puts(host[31] == 0 ? "PASS" : "FAIL");
    return host[31] != 0;
}
