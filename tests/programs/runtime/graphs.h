// What the programs about graphs share: kernels, nodes that launch them, and a stream.
#ifndef GRAPHS_H
#define GRAPHS_H

#include "check.h"

#include <cstring>

enum { COUNT = 256, BYTES = COUNT * sizeof(int) };

__device__ int table[4];

__global__ void add(int *to, const int *from, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] + value;
}

__global__ void scale(int *at, int by)
{
    at[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}

__global__ void append(int *list, int *length, int value)
{
    list[(*length)++] = value;
}

static int *a, *b, host_in[COUNT], host_out[COUNT];
static cudaStream_t stream;

static cudaKernelNodeParams kernel_node(void *function, void **arguments, int threads = 64,
                                        int blocks = COUNT / 64)
{
    cudaKernelNodeParams params;
    std::memset(&params, 0, sizeof params);
    params.func = function;
    params.gridDim = dim3(blocks);
    params.blockDim = dim3(threads);
    params.kernelParams = arguments;
    return params;
}

static void run(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    GOOD(cudaGraphInstantiate(&exec, graph, 0));
    GOOD(cudaGraphLaunch(exec, stream));
    GOOD(cudaGraphExecDestroy(exec)); // what was launched goes on
    GOOD(cudaStreamSynchronize(stream));
}

#endif
