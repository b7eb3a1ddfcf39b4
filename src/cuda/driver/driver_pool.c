// Memory pools of the driver API, and what graphs allocate: the runtime API's.
#include "cuda/driver/driver_forward.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/graph/graph_types.h"

typedef struct wm_cuda_pool *pool_handle;

WM_DRIVER_FORWARD(cuMemPoolCreate, cudaMemPoolCreate)
WM_DRIVER_FORWARD(cuMemPoolDestroy, cudaMemPoolDestroy)
WM_DRIVER_FORWARD(cuMemPoolTrimTo, cudaMemPoolTrimTo)
WM_DRIVER_FORWARD(cuMemPoolGetAttribute, cudaMemPoolGetAttribute)
WM_DRIVER_FORWARD(cuMemPoolSetAttribute, cudaMemPoolSetAttribute)
WM_DRIVER_FORWARD(cuMemPoolSetAccess, cudaMemPoolSetAccess)
WM_DRIVER_FORWARD(cuMemPoolGetAccess, cudaMemPoolGetAccess)
WM_DRIVER_FORWARD(cuMemPoolExportPointer, cudaMemPoolExportPointer)
WM_DRIVER_FORWARD(cuMemPoolImportPointer, cudaMemPoolImportPointer)
WM_DRIVER_FORWARD(cuMemAllocFromPoolAsync, cudaMallocFromPoolAsync)
WM_DRIVER_FORWARD(cuMemGetDefaultMemPool, cudaMemGetDefaultMemPool)
WM_DRIVER_FORWARD(cuMemGetMemPool, cudaMemGetMemPool)
WM_DRIVER_FORWARD(cuMemSetMemPool, cudaMemSetMemPool)
WM_DRIVER_PER_THREAD(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync)

// The runtime API has 32 flags, of which neither API defines any.
WM_CUDA_API wm_driver_result cuMemPoolExportToShareableHandle(void *handle, pool_handle pool,
                                                              int type, unsigned long long flags)
{
    WM_DRIVER_RETURN(flags ? cudaErrorInvalidValue
                           : cudaMemPoolExportToShareableHandle(handle, pool, type, 0));
}

WM_CUDA_API wm_driver_result cuMemPoolImportFromShareableHandle(pool_handle *pool, void *handle,
                                                                int type, unsigned long long flags)
{
    WM_DRIVER_RETURN(flags ? cudaErrorInvalidValue
                           : cudaMemPoolImportFromShareableHandle(pool, handle, type, 0));
}

// ---- By device: with cuInit alone --------------------------------------------------------------

WM_DRIVER_FORWARD_ANY(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool)
WM_DRIVER_FORWARD_ANY(cuDeviceGetMemPool, cudaDeviceGetMemPool)
WM_DRIVER_FORWARD_ANY(cuDeviceSetMemPool, cudaDeviceSetMemPool)
WM_DRIVER_FORWARD_ANY(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim)
WM_DRIVER_FORWARD_ANY(cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute)
WM_DRIVER_FORWARD_ANY(cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute)
