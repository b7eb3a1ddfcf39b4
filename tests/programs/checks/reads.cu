// Reads of memory that nothing has written, and what is never freed; the lines that the test looks
// for are marked.
#include <cstring>
#include <cuda_runtime.h>

__global__ void copy(const int *from, int *to, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i]; // LINE: global
}

__global__ void halo(int *to)
{
    __shared__ int tile[66];
    tile[threadIdx.x + 1] = threadIdx.x;
    __syncthreads();
    to[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 2]; // LINE: shared
}

__device__ int variable;
__global__ void count(void)
{
    atomicAdd(&variable, 1);
}

__device__ void *kept[2];
__global__ void keep(void)
{
    kept[threadIdx.x] = malloc(100);
}

static void forget(void)
{
    void *lost;
    for (int i = 0; i < 3; i++)
        cudaMalloc(&lost, 1000); // LINE: leak
}

int main(int argument_count, char **arguments)
{
    enum { COUNT = 256 };
    bool bad = argument_count > 1 && std::strcmp(arguments[1], "bad") == 0;
    int host[COUNT] = {0}, *from, *middle, *to;
    cudaMalloc(&from, sizeof host);
    cudaMalloc(&middle, sizeof host);
    cudaMalloc(&to, sizeof host);
    // Half of it is never written; the copy on the device knows.
    cudaMemcpy(from, host, bad ? sizeof host / 2 : sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(middle, from, sizeof host, cudaMemcpyDeviceToDevice);
    copy<<<2, 128>>>(middle, to, COUNT);
    copy<<<2, 128>>>(to, from, COUNT); // what a kernel writes is written
    count<<<1, 64>>>();
    if (bad) {
        halo<<<1, 64>>>(to);
        keep<<<1, 2>>>();
        forget();
        cudaStream_t stream;
        cudaStreamCreate(&stream);
    }
    cudaError_t status = cudaDeviceSynchronize();
    cudaFree(from);
    cudaFree(middle);
    cudaFree(to);
    return status == cudaSuccess ? 0 : 3;
}
