// The command that begins or ends a profiler's range (cudaProfilerStart, cudaProfilerStop). Private
// to cuda/.
#ifndef WM_CUDA_DEVICE_PROFILER_RANGE_H
#define WM_CUDA_DEVICE_PROFILER_RANGE_H

#include <stdbool.h>

struct wm_cuda_process;

// A range begins or ends behind what has been issued. Where threads on CPU cores keep time, too, it
// has when this returns. False when the host is out of memory. With the process locked.
bool wm_cuda_push_range(struct wm_cuda_process *process, bool begins);

#endif
