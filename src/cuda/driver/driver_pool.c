// Memory pools of the driver API, and what graphs allocate: the runtime API's.
#include "cuda/driver/driver_forward.h"
#include "cuda/graph/graph_types.h"

typedef struct wm_cuda_pool *pool_handle;

WM_DRIVER_FORWARD(cuMemPoolCreate, cudaMemPoolCreate,
                  (pool_handle * pool, const struct wm_cuda_pool_properties *properties),
                  (pool, properties))
WM_DRIVER_FORWARD(cuMemPoolDestroy, cudaMemPoolDestroy, (pool_handle pool), (pool))
WM_DRIVER_FORWARD(cuMemPoolTrimTo, cudaMemPoolTrimTo, (pool_handle pool, size_t keep_bytes),
                  (pool, keep_bytes))
WM_DRIVER_FORWARD(cuMemPoolGetAttribute, cudaMemPoolGetAttribute,
                  (pool_handle pool, int attribute, void *value), (pool, attribute, value))
WM_DRIVER_FORWARD(cuMemPoolSetAttribute, cudaMemPoolSetAttribute,
                  (pool_handle pool, int attribute, void *value), (pool, attribute, value))
WM_DRIVER_FORWARD(cuMemPoolSetAccess, cudaMemPoolSetAccess,
                  (pool_handle pool, const struct wm_cuda_access *accesses, size_t count),
                  (pool, accesses, count))
WM_DRIVER_FORWARD(cuMemPoolGetAccess, cudaMemPoolGetAccess,
                  (int *flags, pool_handle pool, const struct wm_cuda_location *location),
                  (flags, pool, location))
WM_DRIVER_FORWARD(cuMemPoolExportPointer, cudaMemPoolExportPointer, (void *data, void *pointer),
                  (data, pointer))
WM_DRIVER_FORWARD(cuMemPoolImportPointer, cudaMemPoolImportPointer,
                  (void **pointer, pool_handle pool, void *data), (pointer, pool, data))
WM_DRIVER_FORWARD(cuMemAllocFromPoolAsync, cudaMallocFromPoolAsync,
                  (void **pointer, size_t size_bytes, pool_handle pool,
                   wm_cuda_stream_handle stream),
                  (pointer, size_bytes, pool, stream))
WM_DRIVER_FORWARD(cuMemGetDefaultMemPool, cudaMemGetDefaultMemPool,
                  (pool_handle * pool, const struct wm_cuda_location *location, int type),
                  (pool, location, type))
WM_DRIVER_FORWARD(cuMemGetMemPool, cudaMemGetMemPool,
                  (pool_handle * pool, const struct wm_cuda_location *location, int type),
                  (pool, location, type))
WM_DRIVER_FORWARD(cuMemSetMemPool, cudaMemSetMemPool,
                  (const struct wm_cuda_location *location, int type, pool_handle pool),
                  (location, type, pool))
WM_DRIVER_PER_THREAD(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync,
                     (void **pointer, size_t size_bytes, pool_handle pool,
                      wm_cuda_stream_handle stream),
                     (pointer, size_bytes, pool, stream))

// The runtime API has 32 flags, of which neither API defines any.
wm_cuda_status cudaMemPoolExportToShareableHandle(void *handle, pool_handle pool, int type,
                                                  unsigned flags);
wm_cuda_status cudaMemPoolImportFromShareableHandle(pool_handle *pool, void *handle, int type,
                                                    unsigned flags);
WM_CUDA_API wm_driver_result cuMemPoolExportToShareableHandle(void *handle, pool_handle pool,
                                                              int type, unsigned long long flags);
WM_CUDA_API wm_driver_result cuMemPoolImportFromShareableHandle(pool_handle *pool, void *handle,
                                                                int type, unsigned long long flags);

wm_driver_result cuMemPoolExportToShareableHandle(void *handle, pool_handle pool, int type,
                                                  unsigned long long flags)
{
    WM_DRIVER_RETURN(flags ? cudaErrorInvalidValue
                           : cudaMemPoolExportToShareableHandle(handle, pool, type, 0));
}

wm_driver_result cuMemPoolImportFromShareableHandle(pool_handle *pool, void *handle, int type,
                                                    unsigned long long flags)
{
    WM_DRIVER_RETURN(flags ? cudaErrorInvalidValue
                           : cudaMemPoolImportFromShareableHandle(pool, handle, type, 0));
}

// ---- By device: with cuInit alone --------------------------------------------------------------

WM_DRIVER_FORWARD_ANY(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool,
                      (pool_handle * pool, int device), (pool, device))
WM_DRIVER_FORWARD_ANY(cuDeviceGetMemPool, cudaDeviceGetMemPool, (pool_handle * pool, int device),
                      (pool, device))
WM_DRIVER_FORWARD_ANY(cuDeviceSetMemPool, cudaDeviceSetMemPool, (int device, pool_handle pool),
                      (device, pool))
WM_DRIVER_FORWARD_ANY(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim, (int device), (device))
WM_DRIVER_FORWARD_ANY(cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute,
                      (int device, int attribute, void *value), (device, attribute, value))
WM_DRIVER_FORWARD_ANY(cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute,
                      (int device, int attribute, void *value), (device, attribute, value))
