// Functions of the runtime API that the driver API calls; their contracts are CUDA's.
#ifndef WM_CUDA_RUNTIME_FUNCTIONS_H
#define WM_CUDA_RUNTIME_FUNCTIONS_H

#include "cuda/cuda_types.h"

wm_cuda_status cudaCtxResetPersistingL2Cache(void);
wm_cuda_status cudaDeviceCanAccessPeer(int *can, int device, int peer);
wm_cuda_status cudaDeviceGetAttribute(int *value, int attribute, int device);
wm_cuda_status cudaDeviceGetByPCIBusId(int *device, const char *text);
wm_cuda_status cudaDeviceGetLimit(size_t *value, int limit);
wm_cuda_status cudaDeviceGetPCIBusId(char *text, int size, int device);
wm_cuda_status cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
wm_cuda_status cudaDeviceSetLimit(int limit, size_t value);
wm_cuda_status cudaDeviceSynchronize(void);
wm_cuda_status cudaDriverGetVersion(int *version);
wm_cuda_status cudaEventCreateWithFlags(wm_cuda_event_handle *event, unsigned flags);
wm_cuda_status cudaEventDestroy(wm_cuda_event_handle event);
wm_cuda_status cudaEventElapsedTime(float *milliseconds, wm_cuda_event_handle start,
                                    wm_cuda_event_handle end);
wm_cuda_status cudaEventQuery(wm_cuda_event_handle event);
wm_cuda_status cudaEventRecordWithFlags(wm_cuda_event_handle event, wm_cuda_stream_handle stream,
                                        unsigned flags);
wm_cuda_status cudaEventSynchronize(wm_cuda_event_handle event);
wm_cuda_status cudaFree(void *pointer);
wm_cuda_status cudaFreeAsync(void *pointer, wm_cuda_stream_handle stream);
wm_cuda_status cudaFreeHost(void *pointer);
wm_cuda_status cudaFuncGetAttributes(struct wm_cuda_function_attributes *attributes,
                                     const void *function);
wm_cuda_status cudaFuncGetName(const char **name, const void *function);
wm_cuda_status cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset,
                                    size_t *size);
wm_cuda_status cudaFuncSetAttribute(const void *function, int attribute, int value);
wm_cuda_status cudaFuncSetCacheConfig(const void *function, int config);
wm_cuda_status cudaFuncSetSharedMemConfig(const void *function, int config);
wm_cuda_status cudaHostAlloc(void **pointer, size_t size_bytes, unsigned flags);
wm_cuda_status cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
wm_cuda_status cudaHostGetFlags(unsigned *flags, void *host);
wm_cuda_status cudaHostRegister(void *pointer, size_t size_bytes, unsigned flags);
wm_cuda_status cudaHostUnregister(void *pointer);
wm_cuda_status cudaLaunchHostFunc(wm_cuda_stream_handle stream, wm_cuda_host_function *function,
                                  void *argument);
wm_cuda_status cudaLaunchKernelExC(const struct wm_cuda_launch_configuration *configuration,
                                   const void *function, void **arguments);
wm_cuda_status cudaOccupancyMaxActiveClusters(
    int *clusters, const void *function, const struct wm_cuda_launch_configuration *configuration);
wm_cuda_status cudaOccupancyMaxPotentialClusterSize(
    int *blocks, const void *function, const struct wm_cuda_launch_configuration *configuration);
wm_cuda_status cudaMalloc(void **pointer, size_t size_bytes);
wm_cuda_status cudaMallocAsync(void **pointer, size_t size_bytes, wm_cuda_stream_handle stream);
wm_cuda_status cudaMallocHost(void **pointer, size_t size_bytes);
wm_cuda_status cudaMallocManaged(void **pointer, size_t size_bytes, unsigned flags);
wm_cuda_status cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height);
wm_cuda_status cudaMemAdvise(const void *pointer, size_t bytes, int advice,
                             struct wm_cuda_location location);
wm_cuda_status cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
wm_cuda_status cudaMemcpy3D(const struct wm_cuda_copy3d *parameters);
wm_cuda_status cudaMemcpy3DAsync(const struct wm_cuda_copy3d *parameters,
                                 wm_cuda_stream_handle stream);
wm_cuda_status cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                               wm_cuda_stream_handle stream);
wm_cuda_status cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes);
wm_cuda_status cudaMemPrefetchAsync(const void *pointer, size_t bytes,
                                    struct wm_cuda_location location, unsigned flags,
                                    wm_cuda_stream_handle stream);
wm_cuda_status cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic_bytes,
                                                         const void *function, int blocks,
                                                         int threads);
wm_cuda_status cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int threads, size_t dynamic_bytes, unsigned flags);
wm_cuda_status cudaProfilerStart(void);
wm_cuda_status cudaProfilerStop(void);
wm_cuda_status cudaStreamAddCallback(wm_cuda_stream_handle stream,
                                     wm_cuda_stream_callback *callback, void *argument,
                                     unsigned flags);
wm_cuda_status cudaStreamAttachMemAsync(wm_cuda_stream_handle stream, void *pointer, size_t length,
                                        unsigned flags);
wm_cuda_status cudaStreamCreateWithPriority(wm_cuda_stream_handle *stream, unsigned flags,
                                            int priority);
wm_cuda_status cudaStreamDestroy(wm_cuda_stream_handle stream);
wm_cuda_status cudaStreamGetFlags(wm_cuda_stream_handle stream, unsigned *flags);
wm_cuda_status cudaStreamGetId(wm_cuda_stream_handle stream, unsigned long long *id);
wm_cuda_status cudaStreamGetPriority(wm_cuda_stream_handle stream, int *priority);
wm_cuda_status cudaStreamIsCapturing(wm_cuda_stream_handle stream, int *status);
wm_cuda_status cudaStreamQuery(wm_cuda_stream_handle stream);
wm_cuda_status cudaStreamSynchronize(wm_cuda_stream_handle stream);
wm_cuda_status cudaStreamWaitEvent(wm_cuda_stream_handle stream, wm_cuda_event_handle event,
                                   unsigned flags);

#endif
