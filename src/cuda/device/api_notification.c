// Notifications from the device. There is one kind, that a process uses more memory than it was
// granted, and no process here is granted less than the device has: a callback is kept and is never
// called.
#include "cuda/process.h"

#include <stdlib.h>

struct notification {
    struct notification *next;
};
typedef void notification_function(void *information, void *argument, struct notification *handle);

WM_CUDA_API wm_cuda_status cudaDeviceRegisterAsyncNotification(int device,
                                                               notification_function *function,
                                                               void *argument,
                                                               struct notification **handle);
WM_CUDA_API wm_cuda_status cudaDeviceUnregisterAsyncNotification(int device,
                                                                 struct notification *handle);

static struct notification *registered; // guarded by the process's mutex

wm_cuda_status cudaDeviceRegisterAsyncNotification(int device, notification_function *function,
                                                   void *argument, struct notification **handle)
{
    (void)argument;
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && (!function || !handle))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess && device != 0)
        status = cudaErrorInvalidDevice;
    struct notification *made = status == cudaSuccess ? malloc(sizeof *made) : NULL;
    if (status == cudaSuccess && !made)
        status = cudaErrorMemoryAllocation;
    if (made) {
        made->next = registered;
        registered = made;
        *handle = made;
    }
    return wm_cuda_leave(process, status);
}

wm_cuda_status cudaDeviceUnregisterAsyncNotification(int device, struct notification *handle)
{
    struct wm_cuda_process *process;
    struct notification **link = &registered;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && device != 0)
        status = cudaErrorInvalidDevice;
    while (status == cudaSuccess && *link && *link != handle)
        link = &(*link)->next;
    if (status == cudaSuccess && !*link)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        *link = handle->next;
        free(handle);
    }
    return wm_cuda_leave(process, status);
}
