// Many launches of some length: a recording of it is being written for a while (check_killed.py).
#include <cstdio>

__global__ void turn(unsigned *data, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned round = 0; round < rounds; round++)
        data[(i * 97u + round * data[i % 64]) % 4096u] += round;
}

int main()
{
    unsigned *data;
    cudaMalloc(&data, 4096 * sizeof *data);
    cudaMemset(data, 1, 4096 * sizeof *data);
    for (unsigned launch = 0; launch < 60; launch++)
        turn<<<24, 64>>>(data, 20 + launch % 7);
    bool good = cudaDeviceSynchronize() == cudaSuccess;
    printf("%s\n", good ? "done" : "failed");
    return !good;
}
