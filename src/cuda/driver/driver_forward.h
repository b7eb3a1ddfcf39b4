// Functions of the driver API that have the runtime API's arguments under another name. Their
// sources include the generated cuda/driver/driver_prototypes.h too, which has those arguments.
#ifndef WM_CUDA_DRIVER_FORWARD_H
#define WM_CUDA_DRIVER_FORWARD_H

#include "cuda/driver/driver.h"

// WM_DRIVER_FORWARD(cuGraphDestroy, cudaGraphDestroy)
#define WM_DRIVER_FORWARD(name, runtime)               \
    wm_driver_result name runtime##_PARAMETERS         \
    {                                                  \
        WM_DRIVER_RETURN(runtime runtime##_ARGUMENTS); \
    }
// The same for functions that need cuInit alone.
#define WM_DRIVER_FORWARD_ANY(name, runtime)               \
    wm_driver_result name runtime##_PARAMETERS             \
    {                                                      \
        WM_DRIVER_RETURN_ANY(runtime runtime##_ARGUMENTS); \
    }
// To a function of ours, or of the runtime API that a macro defines: with its parameters.
#define WM_DRIVER_FORWARD_AS(name, runtime, parameters, arguments) \
    wm_cuda_status runtime parameters;                             \
    WM_CUDA_API wm_driver_result name parameters;                  \
    wm_driver_result name parameters                               \
    {                                                              \
        WM_DRIVER_RETURN(runtime arguments);                       \
    }

#endif
