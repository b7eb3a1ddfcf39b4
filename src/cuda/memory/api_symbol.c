// Variables of modules by the host address that stands for them.
#include "cuda/memory/copy_request.h"
#include "cuda/memory/symbol_place.h"
#include "cuda/runtime_prototypes.h"

WM_CUDA_PER_THREAD(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol)
WM_CUDA_PER_THREAD(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync)
WM_CUDA_PER_THREAD(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol)
WM_CUDA_PER_THREAD(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync)

WM_CUDA_API wm_cuda_status cudaGetSymbolAddress(void **address, const void *symbol)
{
    struct wm_cuda_process *process;
    uint64_t found = 0, size_bytes;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = address ? wm_cuda_symbol_resolve(process, symbol, &found, &size_bytes)
                         : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *address = (void *)(uintptr_t)found;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGetSymbolSize(size_t *size_bytes, const void *symbol)
{
    struct wm_cuda_process *process;
    uint64_t address, found = 0;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = size_bytes ? wm_cuda_symbol_resolve(process, symbol, &address, &found)
                            : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *size_bytes = found;
    return wm_cuda_leave(process, status);
}

// Copies between `other` and a part of a variable.
static wm_cuda_status copy_symbol(const void *symbol, uint64_t other, size_t bytes, size_t offset,
                                  int kind, bool to_symbol, wm_cuda_stream_handle stream,
                                  bool asynchronous)
{
    struct wm_cuda_process *process;
    uint64_t address = 0;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_symbol_place(process, symbol, to_symbol, kind, bytes, offset, &address);
    if (status == cudaSuccess) {
        struct wm_cuda_pitched_address inside = {.address = address}, outside = {.address = other};
        struct wm_cuda_copy_request request = {
            .to = to_symbol ? inside : outside,
            .from = to_symbol ? outside : inside,
            .box = {bytes, 1, 1},
            .kind = kind,
            .stream = stream,
            .asynchronous = asynchronous,
        };
        status = wm_cuda_copy(process, &request);
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                                              size_t offset, int kind)
{
    return copy_symbol(symbol, (uint64_t)(uintptr_t)from, bytes, offset, kind, true, NULL, false);
}

WM_CUDA_API wm_cuda_status cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                                   size_t bytes, size_t offset, int kind,
                                                   wm_cuda_stream_handle stream)
{
    return copy_symbol(symbol, (uint64_t)(uintptr_t)from, bytes, offset, kind, true, stream, true);
}

WM_CUDA_API wm_cuda_status cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                                size_t offset, int kind)
{
    return copy_symbol(symbol, (uint64_t)(uintptr_t)to, bytes, offset, kind, false, NULL, false);
}

WM_CUDA_API wm_cuda_status cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes,
                                                     size_t offset, int kind,
                                                     wm_cuda_stream_handle stream)
{
    return copy_symbol(symbol, (uint64_t)(uintptr_t)to, bytes, offset, kind, false, stream, true);
}
