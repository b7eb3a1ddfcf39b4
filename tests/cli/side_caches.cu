// One block reads through whatever stands beside L1: a table of constants, one word for all, words
// that the kernel promises not to write.
#include <cstdio>

__constant__ float weights[16];

__global__ void sum(const float *in, const float *scale, float *out)
{
    float value = 0.0f;
    for (int i = 0; i < 16; i++)
        value += weights[i] * __ldg(in + 32 * i + threadIdx.x);
    out[threadIdx.x] = value * scale[0];
}

int main()
{
    float host[16 * 32], *in, *out, *scale, two = 2.0f;
    for (int i = 0; i < 16 * 32; i++)
        host[i] = 1.0f;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, 32 * sizeof(float));
    cudaMalloc(&scale, sizeof two);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(scale, &two, sizeof two, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(weights, host, sizeof weights);
    for (int i = 0; i < 2; i++)
        sum<<<4, 32>>>(in, scale, out);
    cudaMemcpy(host, out, 32 * sizeof(float), cudaMemcpyDeviceToHost);
    std::puts(host[31] == 32.0f ? "PASS" : "FAIL");
    return host[31] != 32.0f;
}
