// What nodes of graphs are made of in the driver API, where it differs from the runtime API
// (see driver_types.h).
#ifndef WM_CUDA_DRIVER_GRAPH_TYPES_H
#define WM_CUDA_DRIVER_GRAPH_TYPES_H

#include "cuda/driver/driver_types.h"
#include "cuda/graph/graph_types.h"

// CUDA_KERNEL_NODE_PARAMS: before CUDA 12 without the last two.
struct wm_driver_launch_of_node {
    wm_driver_function function;
    unsigned grid[3], block[3];
    unsigned dynamic_shared_bytes;
    void **arguments, **extra;
};
struct wm_driver_kernel_parameters {
    struct wm_driver_launch_of_node launch;
    wm_driver_function kernel; // where `function` is NULL
    wm_driver_context_handle context;
};
_Static_assert(sizeof(struct wm_driver_kernel_parameters) == 72, "CUDA_KERNEL_NODE_PARAMS_v2");

struct wm_driver_copy_node_parameters {
    int flags, reserved;
    wm_driver_context_handle context;
    struct wm_driver_copy3d copy;
};

struct wm_driver_fill_node_parameters {
    struct wm_cuda_fill_parameters fill;
    wm_driver_context_handle context;
};
_Static_assert(sizeof(struct wm_driver_fill_node_parameters) == 48, "CUDA_MEMSET_NODE_PARAMS_v2");

// CUgraphNodeParams: of a node of any kind.
struct wm_driver_node_parameters {
    int type; // enum wm_cuda_work_kind
    int reserved[3];
    union {
        long long words[29];
        struct wm_driver_kernel_parameters kernel;
        struct wm_driver_copy_node_parameters copy;
        struct wm_driver_fill_node_parameters fill;
        struct wm_cuda_host_parameters host;
        struct wm_cuda_child_parameters child;
        wm_cuda_event_handle event;
        struct wm_cuda_allocation_parameters allocation;
        void *freed;
        struct wm_cuda_condition_parameters condition; // and its context behind
        struct wm_cuda_operations_work operations;
    };
    long long reserved_end;
};
_Static_assert(sizeof(struct wm_driver_node_parameters) == 256, "CUgraphNodeParams");

#endif
