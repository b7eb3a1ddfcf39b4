#include "cuda/memory/symbol_place.h"

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

wm_cuda_status wm_cuda_symbol_resolve(struct wm_cuda_process *process, const void *symbol,
                                      uint64_t *address, uint64_t *size_bytes)
{
    struct wm_cuda_variable *variable = find_variable(process, symbol);
    if (!variable)
        return cudaErrorInvalidSymbol;
    return wm_cuda_variable_address(process, variable, address, size_bytes);
}

wm_cuda_status wm_cuda_symbol_place(struct wm_cuda_process *process, const void *symbol,
                                    bool to_symbol, int kind, uint64_t bytes, uint64_t offset,
                                    uint64_t *address)
{
    uint64_t begin, size_bytes;
    int outward = to_symbol ? WM_CUDA_HOST_TO_DEVICE : WM_CUDA_DEVICE_TO_HOST;
    if (kind != outward && kind != WM_CUDA_DEVICE_TO_DEVICE && kind != WM_CUDA_COPY_DEFAULT)
        return cudaErrorInvalidMemcpyDirection;
    wm_cuda_status status = wm_cuda_symbol_resolve(process, symbol, &begin, &size_bytes);
    if (status != cudaSuccess)
        return status;
    if (offset > size_bytes || bytes > size_bytes - offset)
        return cudaErrorInvalidValue;
    *address = begin + offset;
    return cudaSuccess;
}
