// Notifications from the device. There is one kind, that a process uses more memory than it was
// granted, and no process here is granted less than the device has: a callback is kept and is never
// called.
#include "cuda/process.h"
#include "cuda/runtime_prototypes.h"

#include <stdlib.h>

struct wm_cuda_notification {
    struct wm_cuda_notification *next;
};

static struct wm_cuda_notification *registered; // guarded by the process's mutex

WM_CUDA_API wm_cuda_status
cudaDeviceRegisterAsyncNotification(int device, wm_cuda_notification_function *function,
                                    void *argument, struct wm_cuda_notification **handle)
{
    (void)argument;
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && (!function || !handle))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_check_device(process, device);
    struct wm_cuda_notification *made = status == cudaSuccess ? malloc(sizeof *made) : NULL;
    if (status == cudaSuccess && !made)
        status = cudaErrorMemoryAllocation;
    if (made) {
        made->next = registered;
        registered = made;
        *handle = made;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status
cudaDeviceUnregisterAsyncNotification(int device, struct wm_cuda_notification *handle)
{
    struct wm_cuda_process *process;
    struct wm_cuda_notification **link = &registered;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_check_device(process, device);
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
