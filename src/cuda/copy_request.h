// Copies and fills as API functions ask for them: arguments checked against what is allocated,
// directions settled, then queued. With the process locked.
#ifndef WM_CUDA_COPY_REQUEST_H
#define WM_CUDA_COPY_REQUEST_H

#include "cuda/device_commands.h"

struct wm_cuda_copy_request {
    struct wm_cuda_place to, from;
    struct wm_cuda_box box;
    int kind; // enum wm_cuda_copy_kind
    wm_cuda_stream_handle stream;
    bool asynchronous;
};

// CUDA's codes: 1 for a range that is not wholly inside an allocation, or on the wrong side; 21 for
// a direction that does not exist; 400 for a stream.
wm_cuda_status wm_cuda_copy(struct wm_cuda_process *process,
                            const struct wm_cuda_copy_request *request);
wm_cuda_status wm_cuda_fill(struct wm_cuda_process *process, const struct wm_cuda_place *to,
                            const struct wm_cuda_box *box, int value, wm_cuda_stream_handle stream,
                            bool asynchronous);

#endif
