// The typed forms of the runtime API that C++ programs use: cudaMalloc(&pointer, …) without a cast,
// symbols and kernels by name, and the search for the best block size (CUDA Runtime API reference,
// "C++ API Routines"). Part of <cuda_runtime.h>.
#ifndef WARPMEM_CUDA_RUNTIME_TEMPLATES_H
#define WARPMEM_CUDA_RUNTIME_TEMPLATES_H

#include "cuda_runtime_api.h"

#ifdef __cplusplus

template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t size)
{
    return ::cudaMalloc((void **)(void *)pointer, size);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **pointer, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)pointer, size, flags);
}
static inline cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t xsize,
                                                 size_t ysize)
{
    return cudaPitchedPtr{pointer, pitch, xsize, ysize};
}
static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    return cudaExtent{width, height, depth};
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    return cudaPos{x, y, z};
}
template <class T> static inline cudaError_t cudaMallocHost(T **pointer, size_t size)
{
    return ::cudaMallocHost((void **)(void *)pointer, size);
}
template <class T>
static inline cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc((void **)(void *)pointer, size, flags);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc((void **)(void *)pointer, size, flags);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)pointer, size, stream);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                          cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)pointer, size, pool, stream);
}

// The host shadow of a __device__ or __constant__ variable stands for the variable.
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t count,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol((const void *)&symbol, from, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t count,
                                               size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, count, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t count,
                                                  size_t offset = 0,
                                                  enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                                  cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, count, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(
    void *to, const T &symbol, size_t count, size_t offset = 0,
    enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, count, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **pointer, const T &symbol)
{
    return ::cudaGetSymbolAddress(pointer, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
    return ::cudaGetSymbolSize(size, (const void *)&symbol);
}

template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                         const cudaGraphNode_t *dependencies,
                                                         size_t count, const T &symbol,
                                                         const void *source, size_t bytes,
                                                         size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, dependencies, count, (const void *)&symbol,
                                            source, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                           const cudaGraphNode_t *dependencies,
                                                           size_t count, void *destination,
                                                           const T &symbol, size_t bytes,
                                                           size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, dependencies, count, destination,
                                              (const void *)&symbol, bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node,
                                                               const T &symbol, const void *source,
                                                               size_t bytes, size_t offset,
                                                               enum cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, (const void *)&symbol, source, bytes,
                                                  offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node,
                                                                 void *destination, const T &symbol,
                                                                 size_t bytes, size_t offset,
                                                                 enum cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, destination, (const void *)&symbol, bytes,
                                                    offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t exec, cudaGraphNode_t node, const T &symbol, const void *source, size_t bytes,
    size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, node, (const void *)&symbol, source,
                                                      bytes, offset, kind);
}
template <class T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t exec, cudaGraphNode_t node, void *destination, const T &symbol, size_t bytes,
    size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, node, destination,
                                                        (const void *)&symbol, bytes, offset, kind);
}
// The form of CUDA 11: what it would log is in the returned code.
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                               cudaGraphNode_t *broken, char *log, size_t log_bytes)
{
    (void)broken, (void)log, (void)log_bytes;
    return ::cudaGraphInstantiate(exec, graph, 0);
}

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}

template <class T>
static inline cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                           size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)function, grid, block, arguments, shared_bytes, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block,
                                                      void **arguments, size_t shared_bytes = 0,
                                                      cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)function, grid, block, arguments,
                                         shared_bytes, stream);
}

template <class T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *function)
{
    return ::cudaFuncGetAttributes(attributes, (const void *)function);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *function, enum cudaFuncAttribute attribute,
                                               int value)
{
    return ::cudaFuncSetAttribute((const void *)function, attribute, value);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *function, enum cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig((const void *)function, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T function,
                                                                        int block_threads,
                                                                        size_t shared_bytes)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)function,
                                                           block_threads, shared_bytes);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, T function, int block_threads, size_t shared_bytes, unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, (const void *)function, block_threads, shared_bytes, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes,
                                                                    T *function, int blocks,
                                                                    int block_threads)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(shared_bytes, (const void *)function, blocks,
                                                       block_threads);
}

// The block size that keeps the most threads on a multiprocessor, and the number of blocks that
// fill the device: every multiple of the warp is tried, largest first; of equals the first wins.
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid_blocks, int *block_threads,
                                                             T function, size_t shared_bytes = 0,
                                                             int limit = 0)
{
    int device, processors, warp;
    cudaFuncAttributes attributes;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    if (error == cudaSuccess)
        error = ::cudaFuncGetAttributes(&attributes, (const void *)function);
    if (error != cudaSuccess)
        return error;
    int most = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < most)
        most = limit;
    int best_threads = 0, best_blocks = 0;
    for (int threads = most / warp * warp; threads > 0; threads -= warp) {
        int blocks;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function,
                                                                threads, shared_bytes);
        if (error != cudaSuccess)
            return error;
        if (blocks * threads > best_blocks * best_threads) {
            best_blocks = blocks;
            best_threads = threads;
        }
    }
    *grid_blocks = best_blocks * processors;
    *block_threads = best_threads;
    return cudaSuccess;
}

#endif

#endif
