// Functions of the driver API that have the runtime API's arguments under another name.
#ifndef WM_CUDA_DRIVER_FORWARD_H
#define WM_CUDA_DRIVER_FORWARD_H

#include "cuda/driver/driver.h"

// WM_DRIVER_FORWARD(cuGraphDestroy, cudaGraphDestroy, (struct wm_cuda_graph *graph), (graph))
#define WM_DRIVER_FORWARD(name, runtime, parameters, arguments) \
    wm_cuda_status runtime parameters;                          \
    WM_CUDA_API wm_driver_result name parameters;               \
    wm_driver_result name parameters                            \
    {                                                           \
        WM_DRIVER_RETURN(runtime arguments);                    \
    }
// The same for functions that need cuInit alone.
#define WM_DRIVER_FORWARD_ANY(name, runtime, parameters, arguments) \
    wm_cuda_status runtime parameters;                              \
    WM_CUDA_API wm_driver_result name parameters;                   \
    wm_driver_result name parameters                                \
    {                                                               \
        WM_DRIVER_RETURN_ANY(runtime arguments);                    \
    }

#endif
