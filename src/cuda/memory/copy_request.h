// Copies and fills that API functions request: arguments checked against what is allocated,
// directions decided, then queued. With the process locked.
#ifndef WM_CUDA_COPY_REQUEST_H
#define WM_CUDA_COPY_REQUEST_H

#include "cuda/device/device_commands.h"

struct wm_cuda_copy_request {
    struct wm_cuda_pitched_address to, from;
    struct wm_cuda_box box;
    int kind; // enum wm_cuda_copy_kind
    wm_cuda_stream_handle stream;
    bool asynchronous;
};

// A copy whose arguments have been checked, or a fill: then `from` is not used.
struct wm_cuda_copy_plan {
    struct wm_cuda_pitched_address to, from;
    struct wm_cuda_box box;
    bool empty;                  // a success that does nothing
    bool to_device, from_device; // where the bytes live
    bool to_host, from_pageable; // `to_host`: in memory that the host may look at at any time
    bool to_pageable, inside;    // `inside`: both sides are device memory
};

// Where a box begins and how it is laid out, from the parameters of cudaMemcpy3D. 12 for rows
// longer than their pitch, 801 for arrays.
wm_cuda_status wm_cuda_copy3d_request(const struct wm_cuda_copy3d *parameters,
                                      struct wm_cuda_copy_request *request);
// The place of a position in a pitched allocation; false when it is outside every address space.
bool wm_cuda_place_of(const struct wm_cuda_pitched_pointer *pointer,
                      const struct wm_cuda_position *position,
                      struct wm_cuda_pitched_address *place);
// Bytes from the first to the last of a box, which is not empty, laid out at `place`; false on
// overflow.
bool wm_cuda_span_of(const struct wm_cuda_pitched_address *place, const struct wm_cuda_box *box,
                     uint64_t *span);

// Whether a copy between devices may have `address` on that one: 101 for a number that is no
// device's, 1 for memory of another device.
wm_cuda_status wm_cuda_check_peer(const struct wm_cuda_process *process, uint64_t address,
                                  int device);

// Checks without issuing anything, with the codes below but for the stream's.
wm_cuda_status wm_cuda_plan_copy(struct wm_cuda_process *process,
                                 const struct wm_cuda_copy_request *request,
                                 struct wm_cuda_copy_plan *plan);
wm_cuda_status wm_cuda_plan_fill(struct wm_cuda_process *process,
                                 const struct wm_cuda_pitched_address *to,
                                 const struct wm_cuda_box *box, struct wm_cuda_copy_plan *plan);

// CUDA's codes: 1 for a range that is not wholly inside an allocation, or on the wrong side; 21 for
// a direction that does not exist; 400 for a stream.
wm_cuda_status wm_cuda_copy(struct wm_cuda_process *process,
                            const struct wm_cuda_copy_request *request);
wm_cuda_status wm_cuda_fill(struct wm_cuda_process *process,
                            const struct wm_cuda_pitched_address *to, const struct wm_cuda_box *box,
                            struct wm_cuda_element element, wm_cuda_stream_handle stream,
                            bool asynchronous);

#endif
