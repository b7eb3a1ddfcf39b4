// What compiled programs call before main and around a launch (crt/host_runtime.h is the contract):
// registration of device code, and the launch configuration between <<< >>>.
#include "cuda/runtime_prototypes.h"
#include "cuda/texture/references.h"

#include <string.h>

// The handle that programs pass around is our binary. The constructor that calls us has no way to
// fail: without memory the binary is not known, and its kernels are invalid functions.
WM_CUDA_API void **__cudaRegisterFatBinary(void *wrapper)
{
    struct wm_cuda_process *process = wm_cuda_lock();
    void *binary = wm_cuda_registry_add_binary(&process->registry, wrapper);
    wm_cuda_unlock(process);
    return binary;
}

WM_CUDA_API void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

WM_CUDA_API void __cudaUnregisterFatBinary(void **handle)
{
    struct wm_cuda_binary *binary = (void *)handle;
    if (!binary)
        return;
    struct wm_cuda_process *process = wm_cuda_lock();
    wm_cuda_references_drop(process, binary);
    wm_cuda_registry_drop_binary(&process->registry, binary);
    wm_cuda_unlock(process);
}

WM_CUDA_API void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                        const char *name, int thread_limit, void *thread,
                                        void *block, struct wm_cuda_dim3 *block_dimensions,
                                        struct wm_cuda_dim3 *grid_dimensions, int *warp_size)
{
    (void)device, (void)thread_limit, (void)thread, (void)block, (void)block_dimensions;
    (void)grid_dimensions, (void)warp_size;
    if (!handle || !host || !name)
        return;
    struct wm_cuda_process *process = wm_cuda_lock();
    (void)wm_cuda_registry_add_function(&process->registry, (void *)handle, host, name);
    wm_cuda_unlock(process);
}

static void register_variable(void **handle, const void *host, void **cell, const char *name,
                              size_t size_bytes, int constant)
{
    if (!handle || !host || !name)
        return;
    struct wm_cuda_process *process = wm_cuda_lock();
    (void)wm_cuda_registry_add_variable(&process->registry, (void *)handle, host, cell, name,
                                        size_bytes, constant != 0);
    wm_cuda_unlock(process);
}

WM_CUDA_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                   int is_extern, size_t size_bytes, int constant, int global)
{
    (void)device, (void)is_extern, (void)global;
    register_variable(handle, host, NULL, name, size_bytes, constant);
}

WM_CUDA_API void __cudaRegisterManagedVar(void **handle, void **cell, char *device,
                                          const char *name, int is_extern, size_t size_bytes,
                                          int constant, int global)
{
    (void)device, (void)is_extern, (void)global;
    register_variable(handle, cell, cell, name, size_bytes, constant);
}

// Host variables visible to device code need heterogeneous memory management, which no machine
// here claims (pageableMemoryAccess is 0): nothing to remember.
WM_CUDA_API void __cudaRegisterHostVar(void **handle, const char *name, char *host,
                                       size_t size_bytes)
{
    (void)handle, (void)name, (void)host, (void)size_bytes;
}

// Host code is about to touch a managed variable through its cell. 1 when it may.
WM_CUDA_API char __cudaInitModule(void **handle)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = handle ? wm_cuda_binary_load(process, (void *)handle) : cudaErrorInvalidValue;
    return wm_cuda_leave(process, status) == cudaSuccess;
}

WM_CUDA_API unsigned __cudaPushCallConfiguration(struct wm_cuda_dim3 grid,
                                                 struct wm_cuda_dim3 block,
                                                 size_t dynamic_shared_bytes, void *stream)
{
    struct wm_cuda_thread *thread = wm_cuda_thread();
    if (thread->configuration_count == WM_CUDA_CONFIGURATION_DEPTH)
        return wm_cuda_set_last_error(cudaErrorMemoryAllocation);
    thread->configurations[thread->configuration_count++] = (struct wm_cuda_configuration){
        .grid = grid,
        .block = block,
        .dynamic_shared_bytes = dynamic_shared_bytes,
        .stream = stream,
    };
    return cudaSuccess;
}

WM_CUDA_API wm_cuda_status __cudaPopCallConfiguration(struct wm_cuda_dim3 *grid,
                                                      struct wm_cuda_dim3 *block,
                                                      size_t *dynamic_shared_bytes, void *stream)
{
    struct wm_cuda_thread *thread = wm_cuda_thread();
    if (thread->configuration_count == 0)
        return wm_cuda_set_last_error(cudaErrorMissingConfiguration);
    const struct wm_cuda_configuration *top =
        &thread->configurations[--thread->configuration_count];
    *grid = top->grid;
    *block = top->block;
    *dynamic_shared_bytes = top->dynamic_shared_bytes;
    memcpy(stream, &top->stream, sizeof top->stream);
    return cudaSuccess;
}

// CUDA 11 and older: references to textures and surfaces. The binding says what may be bound; the
// dimensions here are those of fetches.
static void register_reference(void **handle, const void *host, const char *name, bool surface,
                               bool to_float)
{
    if (!handle || !host || !name)
        return;
    struct wm_cuda_process *process = wm_cuda_lock();
    (void)wm_cuda_reference_add(process, (void *)handle, host, name, surface, to_float);
    wm_cuda_unlock(process);
}

WM_CUDA_API void __cudaRegisterTexture(void **handle, const void *host, const void **device,
                                       const char *name, int dimensions, int normalized,
                                       int is_extern)
{
    (void)device, (void)dimensions, (void)is_extern;
    register_reference(handle, host, name, false, normalized != 0);
}

WM_CUDA_API void __cudaRegisterSurface(void **handle, const void *host, const void **device,
                                       const char *name, int dimensions, int is_extern)
{
    (void)device, (void)dimensions, (void)is_extern;
    register_reference(handle, host, name, true, false);
}
