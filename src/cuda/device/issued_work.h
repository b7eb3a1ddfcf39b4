// What a kernel's thread has issued: a launch, a copy, a fill. Private to cuda/device/.
#ifndef WM_CUDA_ISSUED_WORK_H
#define WM_CUDA_ISSUED_WORK_H

#include "cuda/device/device_commands.h"

// Streams that are no handles (cuda_device_runtime_api.h): work of the one begins when the grid
// and all else that it launched have completed; the other orders nothing.
enum { WM_STREAM_TAIL_LAUNCH = 3, WM_STREAM_FIRE_AND_FORGET = 4 };

enum wm_cuda_issued_kind {
    WM_ISSUED_KERNEL,
    WM_ISSUED_COPY,
    WM_ISSUED_FILL,
    WM_ISSUED_GRAPH,
    WM_ISSUED_ORDER, // nothing, but behind all that its block issued before
};

struct wm_cuda_issued_work {
    struct wm_cuda_issued_work *next;
    enum wm_cuda_issued_kind kind;
    bool tail;
    bool under_way;         // of a family
    uint64_t block, stream; // that issued it, and where
    uint64_t buffer;        // of parameters, in device memory; 0: given back
    struct wm_cuda_graph_exec *exec;
    struct wm_launch launch;
    struct wm_cuda_pitched_address to, from;
    struct wm_cuda_box box;
    uint32_t value;
    uint8_t parameters[];
};

// Takes it out of the list of what was issued, and frees it.
void wm_cuda_issued_free(struct wm_cuda_kernel_launches *launches,
                         struct wm_cuda_issued_work *work);

#endif
