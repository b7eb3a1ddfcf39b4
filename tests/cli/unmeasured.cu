// A kernel that is advised, with what keeps the advice from being measured: check_unmeasured.py.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

constexpr unsigned TABLE = 96 * 256, ROUNDS = 4, BLOCK = 256;

__global__ void stream_beside_a_table(const float *table, const float *stream, float *out)
{
    float sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned k = threadIdx.x; k < TABLE; k += blockDim.x)
            sum += table[k] + stream[(blockIdx.x * ROUNDS + round) * TABLE + k];
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

__global__ void beyond(float *out)
{
    out[threadIdx.x * (size_t(1) << 40)] = 0;
}

int main(int count, char **arguments)
{
    const char *how = count > 1 ? arguments[1] : "plain";
    bool streams = strcmp(how, "streams") == 0;
    float *in, *out;
    cudaStream_t stream[2] = {};
    cudaMalloc(&in, sizeof *in * 5 * ROUNDS * TABLE);
    cudaMalloc(&out, sizeof *out * 8 * BLOCK);
    cudaMemset(in, 0, sizeof *in * 5 * ROUNDS * TABLE);
    for (unsigned i = 0; streams && i < 2; i++)
        cudaStreamCreate(&stream[i]);
    for (unsigned i = 0; i < (streams ? 2 : 1); i++)
        stream_beside_a_table<<<4, BLOCK, 0, stream[i]>>>(in, in + TABLE, out + 4 * i * BLOCK);
    if (strcmp(how, "fault") == 0)
        beyond<<<1, 32>>>(out);
    puts(cudaDeviceSynchronize() == cudaSuccess ? "PASS" : "FAIL");
    return 0;
}
