// Variables of modules by the host address that stands for them.
#include "cuda/copy_request.h"

WM_CUDA_API wm_cuda_status cudaGetSymbolAddress(void **address, const void *symbol);
WM_CUDA_API wm_cuda_status cudaGetSymbolSize(size_t *size_bytes, const void *symbol);
WM_CUDA_API wm_cuda_status cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes,
                                              size_t offset, int kind);
WM_CUDA_API wm_cuda_status cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                                   size_t bytes, size_t offset, int kind,
                                                   wm_cuda_stream_handle stream);
WM_CUDA_API wm_cuda_status cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                                size_t offset, int kind);
WM_CUDA_API wm_cuda_status cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes,
                                                     size_t offset, int kind,
                                                     wm_cuda_stream_handle stream);

WM_CUDA_ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);
WM_CUDA_ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);
WM_CUDA_ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);
WM_CUDA_ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);

// A managed variable is known by its cell, and also by what host code sees: the cell's content.
static struct wm_cuda_variable *find_variable(struct wm_cuda_process *process, const void *symbol)
{
    struct wm_cuda_variable *variable = wm_cuda_registry_variable(&process->registry, symbol);
    if (variable || !symbol)
        return variable;
    for (uint32_t i = 0; i < process->registry.variable_count; i++) {
        variable = process->registry.variables[i];
        if (variable->host && variable->managed_cell && *variable->managed_cell == symbol)
            return variable;
    }
    return NULL;
}

static wm_cuda_status resolve(struct wm_cuda_process *process, const void *symbol,
                              uint64_t *address, uint64_t *size_bytes)
{
    struct wm_cuda_variable *variable = find_variable(process, symbol);
    if (!variable)
        return cudaErrorInvalidSymbol;
    return wm_cuda_variable_address(process, variable, address, size_bytes);
}

wm_cuda_status cudaGetSymbolAddress(void **address, const void *symbol)
{
    struct wm_cuda_process *process;
    uint64_t found = 0, size_bytes;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = address ? resolve(process, symbol, &found, &size_bytes) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *address = (void *)(uintptr_t)found;
    return wm_cuda_leave(process, status);
}

wm_cuda_status cudaGetSymbolSize(size_t *size_bytes, const void *symbol)
{
    struct wm_cuda_process *process;
    uint64_t address, found = 0;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = size_bytes ? resolve(process, symbol, &address, &found) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *size_bytes = found;
    return wm_cuda_leave(process, status);
}

// Copies between `other` and a part of a variable. `kind` must have the variable on the device.
static wm_cuda_status copy_symbol(const void *symbol, uint64_t other, size_t bytes, size_t offset,
                                  int kind, bool to_symbol, wm_cuda_stream_handle stream,
                                  bool asynchronous)
{
    struct wm_cuda_process *process;
    uint64_t address = 0, size_bytes = 0;
    wm_cuda_status status = wm_cuda_enter(&process);
    int outward = to_symbol ? WM_CUDA_HOST_TO_DEVICE : WM_CUDA_DEVICE_TO_HOST;
    bool known =
        kind == outward || kind == WM_CUDA_DEVICE_TO_DEVICE || kind == WM_CUDA_COPY_DEFAULT;
    if (status == cudaSuccess && !known)
        status = cudaErrorInvalidMemcpyDirection;
    if (status == cudaSuccess)
        status = resolve(process, symbol, &address, &size_bytes);
    if (status == cudaSuccess && (offset > size_bytes || bytes > size_bytes - offset))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        struct wm_cuda_place inside = {.address = address + offset}, outside = {.address = other};
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

wm_cuda_status cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                                  int kind)
{
    return copy_symbol(symbol, (uint64_t)(uintptr_t)from, bytes, offset, kind, true, NULL, false);
}

wm_cuda_status cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes,
                                       size_t offset, int kind, wm_cuda_stream_handle stream)
{
    return copy_symbol(symbol, (uint64_t)(uintptr_t)from, bytes, offset, kind, true, stream, true);
}

wm_cuda_status cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                    int kind)
{
    return copy_symbol(symbol, (uint64_t)(uintptr_t)to, bytes, offset, kind, false, NULL, false);
}

wm_cuda_status cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                         int kind, wm_cuda_stream_handle stream)
{
    return copy_symbol(symbol, (uint64_t)(uintptr_t)to, bytes, offset, kind, false, stream, true);
}
