// Batches, whose functions CUDA 12 and 13 declare differently (runtime_batches.c).
#ifndef WM_CUDA_API_BATCH_H
#define WM_CUDA_API_BATCH_H

#include "cuda/memory/copy_request.h"

struct wm_cuda_batch_attributes {
    int source_order; // cudaMemcpySrcAccessOrder
    struct wm_cuda_location source_hint, destination_hint;
    unsigned flags;
};
_Static_assert(sizeof(struct wm_cuda_batch_attributes) == 24, "cudaMemcpyAttributes");

struct wm_cuda_batch_operand {
    int type;
    void *pointer;
    size_t row_bytes, slice_rows;
    struct wm_cuda_location hint;
};
struct wm_cuda_batch_copy3d {
    struct wm_cuda_batch_operand from, to;
    struct wm_cuda_extent extent;
    int source_order;
    unsigned flags;
};
_Static_assert(sizeof(struct wm_cuda_batch_copy3d) == 112, "cudaMemcpy3DBatchOp");

struct wm_cuda_copy_batch {
    void *const *to;
    const void *const *from;
    const size_t *bytes;
    size_t count;
    const struct wm_cuda_batch_attributes *attributes;
    const size_t *first_of_attribute;
    size_t attribute_count;
};
struct wm_cuda_range_batch {
    void *const *pointers;
    const size_t *bytes;
    size_t count;
    const struct wm_cuda_location *locations;
    const size_t *first_of_location;
    size_t location_count;
    unsigned long long flags;
};

// *failed is the copy that the status is about, or SIZE_MAX.
wm_cuda_status wm_cuda_copy_batch(const struct wm_cuda_copy_batch *batch, size_t *failed,
                                  wm_cuda_stream_handle handle);
wm_cuda_status wm_cuda_copy_boxes(const struct wm_cuda_batch_copy3d *copies, size_t count,
                                  unsigned long long flags, size_t *failed,
                                  wm_cuda_stream_handle handle);
wm_cuda_status wm_cuda_check_ranges(const struct wm_cuda_range_batch *batch,
                                    wm_cuda_stream_handle handle);

#endif
