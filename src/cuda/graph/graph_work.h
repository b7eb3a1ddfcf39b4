// What a node of a graph does, and what of it a node owns. With the process locked.
#ifndef WM_CUDA_GRAPH_WORK_H
#define WM_CUDA_GRAPH_WORK_H

#include "cuda/device/device_commands.h"
#include "cuda/graph/graph_types.h"
#include "cuda/process.h"
#include "cuda/stream/memory_operations.h"

struct wm_cuda_graph_memory;

struct wm_cuda_kernel_work {
    struct wm_cuda_function *function;
    uint32_t device; // that was current when the node was made: it runs there
    void *handle;    // as the program named it
    struct wm_cuda_configuration configuration;
    uint8_t *block;   // owned: the parameters
    void **arguments; // owned: where in the block each is
    uint32_t block_bytes;
    struct wm_cuda_launch_attribute *attributes; // owned
    uint32_t attribute_count;
};

struct wm_cuda_allocation_work {
    struct wm_cuda_allocation_parameters parameters; // its accesses are owned
    struct wm_cuda_graph_memory *memory;             // a reference
};

struct wm_cuda_condition_work {
    unsigned long long handle;
    int type;
    unsigned size;
    struct wm_cuda_graph **graphs; // owned, and so is each
};

struct wm_cuda_work {
    enum wm_cuda_work_kind kind;
    union {
        struct wm_cuda_kernel_work kernel;
        struct wm_cuda_copy3d copy;
        struct wm_cuda_fill_parameters fill;
        struct wm_cuda_host_parameters host;
        struct wm_cuda_graph *child; // owned
        struct wm_cuda_event *event;
        struct wm_cuda_allocation_work allocation;
        uint64_t freed;
        struct wm_cuda_condition_work condition;
        struct wm_cuda_operations_work operations;
    };
};

// Makes work of what the program gave, checked with CUDA's codes; nothing is owned on failure.
wm_cuda_status wm_cuda_work_of_kernel(struct wm_cuda_process *process,
                                      const struct wm_cuda_kernel_parameters *parameters,
                                      struct wm_cuda_work *work);
wm_cuda_status wm_cuda_work_of_copy(struct wm_cuda_process *process,
                                    const struct wm_cuda_copy3d *parameters,
                                    struct wm_cuda_work *work);
wm_cuda_status wm_cuda_work_of_line(struct wm_cuda_process *process, uint64_t to, uint64_t from,
                                    size_t bytes, int kind, struct wm_cuda_work *work);
wm_cuda_status wm_cuda_work_of_fill(struct wm_cuda_process *process,
                                    const struct wm_cuda_fill_parameters *parameters,
                                    struct wm_cuda_work *work);
wm_cuda_status wm_cuda_work_of_host(const struct wm_cuda_host_parameters *parameters,
                                    struct wm_cuda_work *work);
wm_cuda_status wm_cuda_work_of_event(struct wm_cuda_process *process, struct wm_cuda_event *event,
                                     enum wm_cuda_work_kind kind, struct wm_cuda_work *work);
// A clone of the graph. 801 when it allocates or frees.
wm_cuda_status wm_cuda_work_of_child(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                     struct wm_cuda_work *work);
// Fills in the pointer of what the node will allocate.
wm_cuda_status wm_cuda_work_of_allocation(struct wm_cuda_process *process,
                                          struct wm_cuda_allocation_parameters *parameters,
                                          struct wm_cuda_work *work);
// 1 for an address that no node allocates.
wm_cuda_status wm_cuda_work_of_free(struct wm_cuda_process *process, uint64_t address,
                                    struct wm_cuda_work *work);
wm_cuda_status wm_cuda_work_of_operations(struct wm_cuda_process *process,
                                          const struct wm_cuda_operations_work *given,
                                          struct wm_cuda_work *work);
// The kernel's configuration and parameters, made by the caller who gives the block away.
wm_cuda_status wm_cuda_work_of_launch(struct wm_cuda_function *function, void *handle,
                                      const struct wm_cuda_configuration *configuration,
                                      const struct wm_kernel *kernel, uint8_t *block,
                                      struct wm_cuda_work *work);

// Checks a copy, of arrays or not, and says where its bytes lie.
wm_cuda_status wm_cuda_check_copy(struct wm_cuda_process *process,
                                  const struct wm_cuda_copy3d *parameters, bool *to_device,
                                  bool *from_device);
// A fill's rows as bytes; 1 for an element that is not 1, 2 or 4 bytes, or what overflows.
wm_cuda_status wm_cuda_fill_box(const struct wm_cuda_fill_parameters *parameters,
                                struct wm_cuda_pitched_address *to, struct wm_cuda_box *box);

// A deep copy; false when the host is out of memory. Graphs inside become `published`.
bool wm_cuda_work_copy(struct wm_cuda_process *process, const struct wm_cuda_work *from,
                       bool published, struct wm_cuda_work *to);
void wm_cuda_work_release(struct wm_cuda_process *process, struct wm_cuda_work *work);

// Sets an attribute of a kernel's launches: 1 for an unknown one, 801 for one that is not
// supported.
wm_cuda_status wm_cuda_work_set_attribute(struct wm_cuda_work *work,
                                          const struct wm_cuda_launch_attribute *attribute);

#endif
