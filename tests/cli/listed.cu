// Two modules, PART 1 and PART 2, whose kernels have one symbol. What the first loads, with .cg, is
// used again; what the second loads is a stream, a sector of a line, which is better off without L1.
#include <cstdio>

#if PART == 1
#define LOAD "ld.global.cg.f32 %0, [%1];"
#else
#define LOAD "ld.global.f32 %0, [%1];"
#endif

static __global__ void turn(const float *table, int stride, int step, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 16; k++) {
        float value;
        asm(LOAD : "=f"(value) : "l"(&table[i * stride + k * step]));
        sum += value;
    }
    out[i] = sum;
}

void launch_second(const float *table, float *out);

#if PART == 1
int main()
{
    const size_t bytes = 16 * 1024 * 32 * sizeof(float);
    float *table, *out;
    cudaMalloc(&table, bytes);
    cudaMalloc(&out, 1024 * sizeof(float));
    cudaMemset(table, 0, bytes);
    turn<<<4, 256>>>(table, 1, 32, out);
    launch_second(table, out);
    bool failed = cudaDeviceSynchronize() != cudaSuccess;
    printf("listed: %s\n", failed ? "FAIL" : "PASS");
    return failed;
}
#else
void launch_second(const float *table, float *out)
{
    turn<<<4, 256>>>(table, 32, 1024 * 32, out);
}
#endif
