// What the CUDA runtime's interface lays out for graphs and memory pools, declared by ourselves
// (see cuda_types.h).
#ifndef WM_CUDA_GRAPH_TYPES_H
#define WM_CUDA_GRAPH_TYPES_H

#include "cuda/cuda_types.h"

struct wm_cuda_graph;
struct wm_cuda_graph_node;
struct wm_cuda_graph_exec;
struct wm_cuda_user_object;

// cudaGraphNodeType
enum wm_cuda_work_kind {
    WM_CUDA_WORK_KERNEL = 0,
    WM_CUDA_WORK_COPY = 1,
    WM_CUDA_WORK_FILL = 2,
    WM_CUDA_WORK_HOST = 3,
    WM_CUDA_WORK_CHILD = 4,
    WM_CUDA_WORK_EMPTY = 5,
    WM_CUDA_WORK_EVENT_WAIT = 6,
    WM_CUDA_WORK_EVENT_RECORD = 7,
    WM_CUDA_WORK_ALLOCATE = 10, // 8 and 9 are of external semaphores
    WM_CUDA_WORK_FREE = 11,
    WM_CUDA_WORK_OPERATIONS = 12, // on words of memory: the driver API's alone
    WM_CUDA_WORK_CONDITIONAL = 13,
    WM_CUDA_WORK_KINDS = 14,
};

struct wm_cuda_kernel_parameters {
    void *function;
    struct wm_cuda_dim3 grid, block;
    unsigned dynamic_shared_bytes;
    void **arguments, **extra;
};

struct wm_cuda_fill_parameters {
    void *to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height; // in elements, and rows
};

struct wm_cuda_host_parameters {
    wm_cuda_host_function *function;
    void *argument;
};

enum {
    WM_CUDA_LOCATION_DEVICE = 1,
    WM_CUDA_LOCATION_HOST = 2,
    WM_CUDA_LOCATION_HOST_NUMA = 3,
    WM_CUDA_LOCATION_HOST_NUMA_CURRENT = 4,
};

struct wm_cuda_access {
    struct wm_cuda_location location;
    int flags;
};

struct wm_cuda_pool_properties {
    int allocation_type, handle_types;
    struct wm_cuda_location location;
    void *security_attributes;
    size_t max_bytes;
    unsigned short usage;
    unsigned char reserved[54];
};

struct wm_cuda_allocation_parameters {
    struct wm_cuda_pool_properties pool;
    const struct wm_cuda_access *accesses;
    size_t access_count, size_bytes;
    void *pointer;
};

enum wm_cuda_condition_type {
    WM_CUDA_CONDITION_IF,
    WM_CUDA_CONDITION_WHILE,
    WM_CUDA_CONDITION_SWITCH
};

struct wm_cuda_condition_parameters {
    unsigned long long handle;
    int type; // enum wm_cuda_condition_type
    unsigned size;
    struct wm_cuda_graph **graphs;
};

// CUDA_BATCH_MEM_OP_NODE_PARAMS, the driver API's.
union wm_cuda_memory_operation;
struct wm_cuda_operations_work {
    void *context; // as the program named it
    unsigned count;
    union wm_cuda_memory_operation *operations; // of work: owned
    unsigned flags;
};

struct wm_cuda_copy_node_parameters {
    int flags, reserved[3];
    struct wm_cuda_copy3d copy;
};

struct wm_cuda_child_parameters {
    struct wm_cuda_graph *graph;
    int ownership;
};

// Of a node of any kind: cudaGraphAddNode.
struct wm_cuda_node_parameters {
    int type; // enum wm_cuda_work_kind
    int reserved[3];
    union {
        long long words[29];
        struct wm_cuda_kernel_parameters kernel;
        struct wm_cuda_copy_node_parameters copy;
        struct wm_cuda_fill_parameters fill;
        struct wm_cuda_host_parameters host;
        struct wm_cuda_child_parameters child;
        wm_cuda_event_handle event;
        struct wm_cuda_allocation_parameters allocation;
        void *freed;
        struct wm_cuda_condition_parameters condition;
        struct wm_cuda_operations_work operations;
    };
    long long reserved_end;
};

struct wm_cuda_edge_data {
    unsigned char from_port, to_port, type, reserved[5];
};

struct wm_cuda_instantiate_parameters {
    unsigned long long flags;
    wm_cuda_stream_handle upload_stream;
    struct wm_cuda_graph_node *error_node;
    int result;
};

struct wm_cuda_update_result {
    int result;
    struct wm_cuda_graph_node *error_node, *error_from_node;
};

#endif
