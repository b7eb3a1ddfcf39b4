// A kernel whose blocks take so many KB of shared memory as the first argument says, and which reads a
// table of the second argument's KB again and again; then one that reads once. With "prefer" the first
// asks for the most shared memory itself.
#include <cstdio>
#include <cstdlib>
#include <cstring>

const int threads = 256, blocks = 64;

__global__ void staged(const float *table, int count, float *out)
{
    extern __shared__ float stage[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 32; k++)
        sum += table[(i * 7 + k * 2048) % count];
    stage[threadIdx.x] = sum;
    __syncthreads();
    out[i] = stage[threadIdx.x ^ 1];
}

__global__ void streamed(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

int main(int argc, char **argv)
{
    int shared = argc > 1 ? atoi(argv[1]) * 1024 : 0, count = argc > 2 ? atoi(argv[2]) * 256 : 4096;
    float *table, *out;
    cudaMalloc(&table, count * sizeof(float));
    cudaMemset(table, 0, count * sizeof(float));
    cudaMalloc(&out, threads * blocks * sizeof(float));
    cudaMemset(out, 0, threads * blocks * sizeof(float));
    if (argc > 3 && strcmp(argv[3], "prefer") == 0)
        cudaFuncSetAttribute(staged, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
    staged<<<blocks, threads, shared < 1024 ? 1024 : shared>>>(table, count, out);
    streamed<<<blocks, threads>>>(out, out);
    bool wrong = cudaDeviceSynchronize() != cudaSuccess;
    printf("partitioned: %s\n", wrong ? "FAIL" : "PASS");
    return wrong;
}
