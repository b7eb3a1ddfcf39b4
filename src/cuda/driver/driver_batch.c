// Several copies, or ranges of managed memory, with one call; and what is known of such a range.
#include "cuda/driver/driver_forward.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/memory/api_batch.h"

// Pointers of the device have the size of a pointer here, so lists of them are the runtime API's.
WM_DRIVER_PER_THREAD(cuMemcpyBatchAsync_ptsz, cuMemcpyBatchAsync)
WM_DRIVER_PER_THREAD(cuMemcpyBatchAsync_v2_ptsz, cuMemcpyBatchAsync_v2)
WM_DRIVER_PER_THREAD(cuMemcpy3DBatchAsync_ptsz, cuMemcpy3DBatchAsync)
WM_DRIVER_PER_THREAD(cuMemcpy3DBatchAsync_v2_ptsz, cuMemcpy3DBatchAsync_v2)

// Of CUDA 12: with the index of what was wrong.
WM_CUDA_API wm_driver_result cuMemcpyBatchAsync(void *const *to, const void *const *from,
                                                const size_t *bytes, size_t count,
                                                const struct wm_cuda_batch_attributes *attributes,
                                                const size_t *first, size_t attribute_count,
                                                size_t *failed, wm_cuda_stream_handle stream)
{
    struct wm_cuda_copy_batch batch = {to, from, bytes, count, attributes, first, attribute_count};
    size_t index;
    WM_DRIVER_RETURN(wm_cuda_copy_batch(&batch, failed ? failed : &index, stream));
}

WM_CUDA_API wm_driver_result
cuMemcpyBatchAsync_v2(void *const *to, const void *const *from, const size_t *bytes, size_t count,
                      const struct wm_cuda_batch_attributes *attributes, const size_t *first,
                      size_t attribute_count, wm_cuda_stream_handle stream)
{
    return cuMemcpyBatchAsync(to, from, bytes, count, attributes, first, attribute_count, NULL,
                              stream);
}

WM_CUDA_API wm_driver_result cuMemcpy3DBatchAsync(size_t count,
                                                  const struct wm_cuda_batch_copy3d *copies,
                                                  size_t *failed, unsigned long long flags,
                                                  wm_cuda_stream_handle stream)
{
    size_t index;
    WM_DRIVER_RETURN(wm_cuda_copy_boxes(copies, count, flags, failed ? failed : &index, stream));
}

WM_CUDA_API wm_driver_result cuMemcpy3DBatchAsync_v2(size_t count,
                                                     const struct wm_cuda_batch_copy3d *copies,
                                                     unsigned long long flags,
                                                     wm_cuda_stream_handle stream)
{
    return cuMemcpy3DBatchAsync(count, copies, NULL, flags, stream);
}

WM_DRIVER_FORWARD(cuMemPrefetchBatchAsync, cudaMemPrefetchBatchAsync)
WM_DRIVER_PER_THREAD(cuMemPrefetchBatchAsync_ptsz, cuMemPrefetchBatchAsync)
WM_DRIVER_FORWARD(cuMemDiscardAndPrefetchBatchAsync, cudaMemDiscardAndPrefetchBatchAsync)
WM_DRIVER_PER_THREAD(cuMemDiscardAndPrefetchBatchAsync_ptsz, cuMemDiscardAndPrefetchBatchAsync)
WM_DRIVER_FORWARD(cuMemDiscardBatchAsync, cudaMemDiscardBatchAsync)
WM_DRIVER_PER_THREAD(cuMemDiscardBatchAsync_ptsz, cuMemDiscardBatchAsync)

WM_CUDA_API wm_driver_result cuMemRangeGetAttribute(void *data, size_t data_bytes, int attribute,
                                                    wm_driver_pointer pointer, size_t bytes)
{
    WM_DRIVER_RETURN(
        cudaMemRangeGetAttribute(data, data_bytes, attribute, wm_driver_address(pointer), bytes));
}

WM_CUDA_API wm_driver_result cuMemRangeGetAttributes(void **data, size_t *data_bytes,
                                                     int *attributes, size_t count,
                                                     wm_driver_pointer pointer, size_t bytes)
{
    WM_DRIVER_RETURN(cudaMemRangeGetAttributes(data, data_bytes, attributes, count,
                                               wm_driver_address(pointer), bytes));
}
