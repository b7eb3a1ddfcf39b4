// Sharing with other processes and devices, of which there are none: the runtime API's functions.
#include "cuda/driver/driver_forward.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/memory/shared_handle.h"

WM_CUDA_ALIAS(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2);

WM_CUDA_API wm_driver_result cuIpcGetMemHandle(struct wm_shared_handle *handle,
                                               wm_driver_pointer pointer)
{
    WM_DRIVER_RETURN(cudaIpcGetMemHandle(handle, wm_driver_address(pointer)));
}

WM_CUDA_API wm_driver_result cuIpcOpenMemHandle_v2(wm_driver_pointer *pointer,
                                                   struct wm_shared_handle handle, unsigned flags)
{
    WM_DRIVER_RETURN(cudaIpcOpenMemHandle((void **)pointer, handle, flags));
}

WM_CUDA_API wm_driver_result cuIpcCloseMemHandle(wm_driver_pointer pointer)
{
    WM_DRIVER_RETURN(cudaIpcCloseMemHandle(wm_driver_address(pointer)));
}

WM_DRIVER_FORWARD(cuIpcGetEventHandle, cudaIpcGetEventHandle)
WM_DRIVER_FORWARD(cuIpcOpenEventHandle, cudaIpcOpenEventHandle)

// Of two devices: these need no context.
WM_CUDA_API wm_driver_result cuDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
    WM_DRIVER_RETURN_ANY(cudaDeviceGetP2PAttribute(value, attribute, from, to));
}

WM_CUDA_API wm_driver_result cuDeviceGetP2PAtomicCapabilities(unsigned *capabilities,
                                                              const int *operations, unsigned count,
                                                              int from, int to)
{
    WM_DRIVER_RETURN_ANY(
        cudaDeviceGetP2PAtomicCapabilities(capabilities, operations, count, from, to));
}
