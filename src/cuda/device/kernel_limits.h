// The limits of launches on the described machine, and what fits on an SM.
#ifndef WM_CUDA_KERNEL_LIMITS_H
#define WM_CUDA_KERNEL_LIMITS_H

#include "cuda/process.h"
#include "sm/occupancy.h"

// The largest dimensions of blocks and grids for the machine's compute capability (CUDA C++
// Programming Guide, "Technical Specifications per Compute Capability").
struct wm_cuda_dim3 wm_cuda_max_block(const struct wm_machine *machine);
struct wm_cuda_dim3 wm_cuda_max_grid(const struct wm_machine *machine);
// Shared memory that a block may have without an attribute that raises it (48 KiB, or all).
uint64_t wm_cuda_default_shared_bytes(const struct wm_machine *machine);

// Whether the machine has a limit (cudaLimit), for the host and for kernels: 1 for what is none,
// 215 for one that it lacks. Kernels wait for what they launched on machines below compute
// capability 9.0; L2 is set aside on machines that can (device.persisting_l2).
wm_cuda_status wm_cuda_check_limit(const struct wm_machine *machine, int limit);

// Checks a launch of a kernel that has been loaded: 9 for dimensions, 1 for shared memory, 701 for
// more threads than the kernel was compiled for. `error` says both numbers.
wm_cuda_status wm_cuda_check_launch(const struct wm_cuda_process *process,
                                    const struct wm_cuda_function *function,
                                    const struct wm_cuda_configuration *configuration,
                                    struct wm_error *error);
// Checks that all blocks of a cooperative launch are on the machine at once, as they may wait for
// each other: 720 when they are more.
wm_cuda_status wm_cuda_check_cooperative(const struct wm_cuda_process *process,
                                         const struct wm_cuda_function *function,
                                         const struct wm_cuda_configuration *configuration,
                                         struct wm_error *error);
// Blocks of `threads` that one SM holds, with the carve-out that the program prefers; 0 when none
// fits.
uint32_t wm_cuda_blocks_per_sm(const struct wm_cuda_process *process,
                               const struct wm_cuda_function *function, uint32_t threads,
                               uint64_t dynamic_shared_bytes);
// What cudaFuncGetAttributes says of a kernel that has been loaded.
struct wm_cuda_function_attributes wm_cuda_attributes_of(const struct wm_cuda_process *process,
                                                         const struct wm_cuda_function *function);

#endif
