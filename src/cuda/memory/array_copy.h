// Copies from and to arrays: checked, then queued. With the process locked.
#ifndef WM_CUDA_ARRAY_COPY_H
#define WM_CUDA_ARRAY_COPY_H

#include "cuda/device/device_commands.h"
#include "cuda/memory/array_table.h"

// One side of a copy: a box of an array, or one of memory in rows.
struct wm_cuda_array_side {
    const struct wm_cuda_array *array; // NULL: memory
    uint64_t x;                        // of an array: in bytes
    uint64_t y, z;
    struct wm_cuda_pitched_address place; // of memory
};

struct wm_cuda_array_copy {
    struct wm_cuda_array_side to, from;
    struct wm_cuda_box box; // width in bytes
    int kind;               // enum wm_cuda_copy_kind
    wm_cuda_stream_handle stream;
    bool asynchronous;
};

// CUDA's codes: 1 for a box that is not wholly inside, is no whole number of texels, or on the
// wrong side; 12 for rows longer than their pitch; 21 for a direction that does not exist; 400
// for an array or a stream that is none. In a capture it becomes a node.
wm_cuda_status wm_cuda_copy_arrays(struct wm_cuda_process *process,
                                   const struct wm_cuda_array_copy *copy);
// The same without a stream, and where its bytes lie; and issued without waiting, for graphs.
wm_cuda_status wm_cuda_check_array_copy(const struct wm_cuda_process *process,
                                        const struct wm_cuda_array_copy *copy, bool *to_device,
                                        bool *from_device);
wm_cuda_status wm_cuda_issue_array_copy(struct wm_cuda_process *process,
                                        struct wm_cuda_stream *stream,
                                        const struct wm_cuda_array_copy *copy);
// cudaMemcpy3D where one side at least is an array: 1 for a side that is named twice or not at all.
wm_cuda_status wm_cuda_array_copy_of(const struct wm_cuda_process *process,
                                     const struct wm_cuda_copy3d *parameters,
                                     struct wm_cuda_array_copy *copy);
wm_cuda_status wm_cuda_copy_arrays_3d(struct wm_cuda_process *process,
                                      const struct wm_cuda_copy3d *parameters,
                                      wm_cuda_stream_handle stream, bool asynchronous);

#endif
