// The functions of dynamic parallelism that kernels call (CUDA C++ Programming Guide, "Device
// Runtime API Reference"), over the launch that keeps what they issue.
#ifndef WM_CUDA_KERNEL_SERVICES_H
#define WM_CUDA_KERNEL_SERVICES_H

#include "exec/device_runtime/device_services.h"

// Does the call; `owner` is the launch's struct wm_cuda_kernel_launches. Locks the process.
uint64_t wm_cuda_kernel_service(void *owner, const struct wm_device_call *call);
// Whether work that the block issued has not completed.
bool wm_cuda_kernel_has_children(void *owner, uint64_t block);
// Forgets the errors of a launch's threads.
struct wm_cuda_thread_error;
void wm_cuda_thread_errors_free(struct wm_cuda_thread_error *errors);

#endif
