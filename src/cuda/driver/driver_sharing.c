// Sharing with other processes and devices, of which there are none: the runtime API's functions.
#include "cuda/driver/driver_forward.h"

struct shared_handle {
    char reserved[64];
};

WM_CUDA_API wm_driver_result cuIpcGetMemHandle(struct shared_handle *handle,
                                               wm_driver_pointer pointer);
WM_CUDA_API wm_driver_result cuIpcOpenMemHandle_v2(wm_driver_pointer *pointer,
                                                   struct shared_handle handle, unsigned flags);
WM_CUDA_API wm_driver_result cuIpcCloseMemHandle(wm_driver_pointer pointer);
WM_CUDA_ALIAS(cuIpcOpenMemHandle, cuIpcOpenMemHandle_v2);

wm_cuda_status cudaIpcGetMemHandle(struct shared_handle *handle, void *pointer);
wm_cuda_status cudaIpcOpenMemHandle(void **pointer, struct shared_handle handle, unsigned flags);
wm_cuda_status cudaIpcCloseMemHandle(void *pointer);

wm_driver_result cuIpcGetMemHandle(struct shared_handle *handle, wm_driver_pointer pointer)
{
    WM_DRIVER_RETURN(cudaIpcGetMemHandle(handle, wm_driver_address(pointer)));
}

wm_driver_result cuIpcOpenMemHandle_v2(wm_driver_pointer *pointer, struct shared_handle handle,
                                       unsigned flags)
{
    WM_DRIVER_RETURN(cudaIpcOpenMemHandle((void **)pointer, handle, flags));
}

wm_driver_result cuIpcCloseMemHandle(wm_driver_pointer pointer)
{
    WM_DRIVER_RETURN(cudaIpcCloseMemHandle(wm_driver_address(pointer)));
}

WM_DRIVER_FORWARD(cuIpcGetEventHandle, cudaIpcGetEventHandle,
                  (struct shared_handle * handle, wm_cuda_event_handle event), (handle, event))
WM_DRIVER_FORWARD(cuIpcOpenEventHandle, cudaIpcOpenEventHandle,
                  (wm_cuda_event_handle * event, struct shared_handle handle), (event, handle))

// Of two devices: these need no context.
WM_CUDA_API wm_driver_result cuDeviceGetP2PAttribute(int *value, int attribute, int from, int to);
WM_CUDA_API wm_driver_result cuDeviceGetP2PAtomicCapabilities(unsigned *capabilities,
                                                              const int *operations, unsigned count,
                                                              int from, int to);
wm_cuda_status cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to);
wm_cuda_status cudaDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const int *operations,
                                                  unsigned count, int from, int to);

wm_driver_result cuDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
    WM_DRIVER_RETURN_ANY(cudaDeviceGetP2PAttribute(value, attribute, from, to));
}

wm_driver_result cuDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const int *operations,
                                                  unsigned count, int from, int to)
{
    WM_DRIVER_RETURN_ANY(
        cudaDeviceGetP2PAtomicCapabilities(capabilities, operations, count, from, to));
}
