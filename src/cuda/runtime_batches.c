// Batches, which CUDA 13 declares without the index of what failed, and functions that only one of
// the versions has. Compiled once for each library, with WM_CUDART_MAJOR.
#include "cuda/memory/api_batch.h"
#include "cuda/runtime_prototypes.h"

#if WM_CUDART_MAJOR == 13
#define FAILED_PARAMETER
#define FAILED_ARGUMENT
#define REPORT_FAILED(failed) (void)(failed)
#else
#define FAILED_PARAMETER size_t *fail_index,
#define FAILED_ARGUMENT fail_index,
#define REPORT_FAILED(failed) \
    if (fail_index)           \
    *fail_index = (failed)
#endif

WM_CUDA_API wm_cuda_status cudaMemcpyBatchAsync(void *const *to, const void *const *from,
                                                const size_t *bytes, size_t count,
                                                const struct wm_cuda_batch_attributes *attributes,
                                                const size_t *first, size_t attribute_count,
                                                FAILED_PARAMETER wm_cuda_stream_handle stream);
WM_CUDA_API wm_cuda_status cudaMemcpy3DBatchAsync(size_t count,
                                                  const struct wm_cuda_batch_copy3d *copies,
                                                  FAILED_PARAMETER unsigned long long flags,
                                                  wm_cuda_stream_handle stream);
WM_CUDA_VARIANT(wm_cuda_status, cudaMemcpyBatchAsync_ptsz, cudaMemcpyBatchAsync,
                (void *const *to, const void *const *from, const size_t *bytes, size_t count,
                 const struct wm_cuda_batch_attributes *attributes, const size_t *first,
                 size_t attribute_count, FAILED_PARAMETER wm_cuda_stream_handle stream),
                (to, from, bytes, count, attributes, first, attribute_count,
                 FAILED_ARGUMENT stream))
WM_CUDA_VARIANT(wm_cuda_status, cudaMemcpy3DBatchAsync_ptsz, cudaMemcpy3DBatchAsync,
                (size_t count, const struct wm_cuda_batch_copy3d *copies,
                 FAILED_PARAMETER unsigned long long flags, wm_cuda_stream_handle stream),
                (count, copies, FAILED_ARGUMENT flags, stream))

wm_cuda_status cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *bytes,
                                    size_t count, const struct wm_cuda_batch_attributes *attributes,
                                    const size_t *first, size_t attribute_count,
                                    FAILED_PARAMETER wm_cuda_stream_handle stream)
{
    struct wm_cuda_copy_batch batch = {to, from, bytes, count, attributes, first, attribute_count};
    size_t failed;
    wm_cuda_status status = wm_cuda_copy_batch(&batch, &failed, stream);
    REPORT_FAILED(failed);
    return status;
}

wm_cuda_status cudaMemcpy3DBatchAsync(size_t count, const struct wm_cuda_batch_copy3d *copies,
                                      FAILED_PARAMETER unsigned long long flags,
                                      wm_cuda_stream_handle stream)
{
    size_t failed;
    wm_cuda_status status = wm_cuda_copy_boxes(copies, count, flags, &failed, stream);
    REPORT_FAILED(failed);
    return status;
}

#if WM_CUDART_MAJOR == 13
WM_CUDA_PER_THREAD(cudaMemDiscardBatchAsync_ptsz, cudaMemDiscardBatchAsync)

WM_CUDA_API wm_cuda_status cudaMemDiscardBatchAsync(void **pointers, size_t *bytes, size_t count,
                                                    unsigned long long flags,
                                                    wm_cuda_stream_handle stream)
{
    struct wm_cuda_range_batch batch = {
        .pointers = pointers, .bytes = bytes, .count = count, .flags = flags};
    return wm_cuda_check_ranges(&batch, stream);
}

static wm_cuda_status prefetch(const struct wm_cuda_range_batch *batch,
                               wm_cuda_stream_handle stream)
{
    if (!batch->locations || !batch->first_of_location || batch->location_count == 0)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    return wm_cuda_check_ranges(batch, stream);
}

WM_CUDA_PER_THREAD(cudaMemPrefetchBatchAsync_ptsz, cudaMemPrefetchBatchAsync)
WM_CUDA_API wm_cuda_status cudaMemPrefetchBatchAsync(void **pointers, size_t *bytes, size_t count,
                                                     struct wm_cuda_location *locations,
                                                     size_t *first, size_t location_count,
                                                     unsigned long long flags,
                                                     wm_cuda_stream_handle stream)
{
    return prefetch(&(struct wm_cuda_range_batch){pointers, bytes, count, locations, first,
                                                  location_count, flags},
                    stream);
}

WM_CUDA_PER_THREAD(cudaMemDiscardAndPrefetchBatchAsync_ptsz, cudaMemDiscardAndPrefetchBatchAsync)
WM_CUDA_API wm_cuda_status cudaMemDiscardAndPrefetchBatchAsync(
    void **pointers, size_t *bytes, size_t count, struct wm_cuda_location *locations, size_t *first,
    size_t location_count, unsigned long long flags, wm_cuda_stream_handle stream)
{
    return prefetch(&(struct wm_cuda_range_batch){pointers, bytes, count, locations, first,
                                                  location_count, flags},
                    stream);
}
#else
WM_CUDA_API wm_cuda_status cudaThreadGetLimit(size_t *value, int limit)
{
    return cudaDeviceGetLimit(value, limit);
}

WM_CUDA_API wm_cuda_status cudaThreadSetLimit(int limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

WM_CUDA_API wm_cuda_status cudaThreadGetCacheConfig(int *config)
{
    return cudaDeviceGetCacheConfig(config);
}

WM_CUDA_API wm_cuda_status cudaThreadSetCacheConfig(int config)
{
    return cudaDeviceSetCacheConfig(config);
}
#endif
