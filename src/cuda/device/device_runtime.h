// What the process keeps for the functions that kernels call: the text that they printed, and, of
// each device, the heap of their malloc (CUDA C++ Programming Guide, "Formatted Output" and
// "Dynamic Global Memory Allocation and Operations"). With the process locked; for the current
// device.
#ifndef WM_CUDA_DEVICE_RUNTIME_H
#define WM_CUDA_DEVICE_RUNTIME_H

#include "cuda/cuda_types.h"
#include "cuda/device/kernel_launches.h"
#include "exec/device_runtime/device_heap.h"
#include "exec/device_runtime/device_output.h"

#include <stdbool.h>

struct wm_cuda_printed;
struct wm_cuda_process;
struct wm_kernel;

// Of a device. What its launches printed is the process's, in the order of launches.
struct wm_cuda_device_runtime {
    struct wm_device_heap heap;          // the worker's while commands run
    bool has_heap, has_printed;          // their limits are fixed
    struct wm_cuda_launch_pool launches; // the worker's while commands run
    uint64_t workspace;                  // of cooperative launches; 0: none was made yet
};

// Before a launch of the kernel: makes the heap if the kernel uses it, and what launches of its own
// need; for what these launch the heap is made at once.
wm_cuda_status wm_cuda_prepare_runtime(struct wm_cuda_process *process,
                                       const struct wm_kernel *kernel);
// A cooperative launch is about to be made: what its blocks wait for each other through. One serves
// all, as launches follow each other and leave it as it was.
wm_cuda_status wm_cuda_prepare_workspace(struct wm_cuda_process *process, uint64_t *address);
// A launch has printed: takes the output over, until the host waits for that command.
void wm_cuda_keep_printed(struct wm_cuda_process *process, const char *kernel, uint64_t sequence,
                          struct wm_device_output *output);
// Prints on the standard output what launches up to that command printed.
void wm_cuda_print(struct wm_cuda_process *process, uint64_t sequence);
// The device is reset; its memory has been dropped.
void wm_cuda_reset_runtime(struct wm_cuda_process *process);

#endif
