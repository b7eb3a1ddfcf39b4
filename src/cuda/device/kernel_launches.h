// Work that kernels launch (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"): each launch of
// a kernel that does so keeps what its threads issue, and it is executed when that kernel has
// ended, in the order in which it was issued, with all that it launches itself; what went to the
// tail stream comes last. The parent has completed when all of it has. That is one of the orders
// that CUDA allows: a child may begin any time after its launch. Where a kernel may wait for its
// children (cudaDeviceSynchronize) they run concurrently with it: launch_tree.h.
//
// Thread rules: the worker's, while it executes the parent; it locks the process itself.
#ifndef WM_CUDA_KERNEL_LAUNCHES_H
#define WM_CUDA_KERNEL_LAUNCHES_H

#include "cuda/cuda_types.h"
#include "exec/device_runtime/device_heap.h"
#include "exec/device_runtime/device_services.h"
#include "exec/exec.h"

struct wm_cuda_box;
struct wm_cuda_command;
struct wm_cuda_configuration;
struct wm_cuda_launch_tree;
struct wm_cuda_graph_exec;
struct wm_cuda_graph_run;
struct wm_cuda_function;
struct wm_cuda_process;
struct wm_cuda_issued_work;
struct wm_cuda_pitched_address;
struct wm_cuda_thread_error;

// A text in device memory, which stays there: text_of in kernel_services.c.
struct wm_cuda_device_text {
    struct wm_cuda_device_text *next;
    const char *text; // static
    uint64_t address;
};

// What all launches of a device share.
struct wm_cuda_launch_pool {
    struct wm_device_heap heap;        // parameter buffers, and texts of errors
    struct wm_cuda_device_text *texts; // owned: those that kernels have read
    bool has_heap;                     // cudaLimitDevRuntimePendingLaunchCount is fixed
    uint64_t handles;                  // streams and events that kernels have made
    uint64_t explained; // hash of the refusal that was printed last: a loop's is printed once
};

// Of one launch.
struct wm_cuda_kernel_launches {
    struct wm_cuda_process *process;
    struct wm_device_services services;
    uint32_t device;                          // that it is on
    uint32_t depth;                           // of the grid: 1 of one that the host launched
    struct wm_cuda_graph_run *run;            // borrowed: what it is a kernel of; NULL: of no graph
    struct wm_cuda_launch_tree *family;       // borrowed; NULL: what it launches waits for its end
    uint64_t block;                           // whose thread calls
    struct wm_cuda_issued_work *requested;    // owned: with a buffer, and not launched yet
    struct wm_cuda_issued_work *first, **end; // owned: issued, in order
    struct wm_cuda_thread_error *errors;      // owned: the last of each thread that has one
};

// With the process locked and the worker not using memory: a kernel that launches kernels is about
// to be launched. 2 when memory for parameters is exhausted.
wm_cuda_status wm_cuda_prepare_kernel_launches(struct wm_cuda_process *process);
void wm_cuda_kernel_launches_init(struct wm_cuda_kernel_launches *launches,
                                  struct wm_cuda_process *process, uint32_t device, uint32_t depth,
                                  struct wm_cuda_launch_tree *family);
void wm_cuda_kernel_launches_release(struct wm_cuda_kernel_launches *launches);
// The parent has ended, with the process locked: what it issued goes into the queue right behind
// `after`, for stream number `stream`, with the parent's priority.
void wm_cuda_issue_kernel_launches(struct wm_cuda_kernel_launches *launches,
                                   struct wm_cuda_command *after, uint64_t stream, int priority);

// For kernel_services.c: with the process locked.
//
// A buffer for the parameters of a kernel at a device address; 0 and *status when it cannot be
// launched so.
uint64_t wm_cuda_request_launch(struct wm_cuda_kernel_launches *launches,
                                const struct wm_kernel *caller, uint64_t address,
                                const struct wm_cuda_configuration *configuration,
                                wm_cuda_status *status);
uint64_t wm_cuda_request_buffer(struct wm_cuda_kernel_launches *launches, uint64_t bytes);
// Gives a buffer that a launch was requested with back: nothing is launched. Harmless when there is
// no such buffer any more.
void wm_cuda_cancel_launch(struct wm_cuda_kernel_launches *launches, uint64_t buffer);
// Issues the launch that a buffer was requested for.
wm_cuda_status wm_cuda_issue_launch(struct wm_cuda_kernel_launches *launches, uint64_t buffer,
                                    uint64_t stream);
// A copy of a box of bytes, or a fill with a byte: 1 where the kernel has no such memory.
wm_cuda_status wm_cuda_issue_copy(struct wm_cuda_kernel_launches *launches,
                                  const struct wm_cuda_pitched_address *to,
                                  const struct wm_cuda_pitched_address *from,
                                  const struct wm_cuda_box *box, uint64_t stream);
wm_cuda_status wm_cuda_issue_fill(struct wm_cuda_kernel_launches *launches,
                                  const struct wm_cuda_pitched_address *to,
                                  const struct wm_cuda_box *box, uint32_t value, uint64_t stream);
// What comes later in the stream of the calling block is behind all that the block issued before.
wm_cuda_status wm_cuda_issue_order(struct wm_cuda_kernel_launches *launches, uint64_t stream);
// An executable graph that is to run when the grid has ended.
wm_cuda_status wm_cuda_issue_graph(struct wm_cuda_kernel_launches *launches,
                                   struct wm_cuda_graph_exec *exec);
// Prints why a call was refused, once where one reason follows itself.
void wm_cuda_explain_call(struct wm_cuda_kernel_launches *launches, const struct wm_kernel *caller,
                          struct wm_error *error);
// Whether anything that the block issued has not completed, aside of tail launches; of launches of
// a family.
bool wm_cuda_has_issued(const struct wm_cuda_kernel_launches *launches, uint64_t block);
// The loaded kernel at a device address as a function of the registry, or in `own` when the host
// has not registered it.
wm_cuda_status wm_cuda_launched_function(struct wm_cuda_process *process,
                                         const struct wm_kernel *caller, uint64_t address,
                                         struct wm_cuda_function *own,
                                         struct wm_cuda_function **function,
                                         struct wm_error *error);

#endif
