// Sharing with other processes and devices. There is one device, and its memory is this process's
// own: handles can be made, and opening one says why it cannot be.
#include "cuda/log.h"
#include "cuda/memory/allocation_table.h"
#include "cuda/stream/stream_table.h"

#include <string.h>
#include <unistd.h>

struct shared_handle {
    char reserved[64];
};
// What is in a handle of ours.
struct shared_object {
    char maker[8];
    pid_t process;
    uint64_t object;
};
_Static_assert(sizeof(struct shared_object) <= sizeof(struct shared_handle), "cudaIpcMemHandle_t");

WM_CUDA_API wm_cuda_status cudaIpcGetMemHandle(struct shared_handle *handle, void *pointer);
WM_CUDA_API wm_cuda_status cudaIpcOpenMemHandle(void **pointer, struct shared_handle handle,
                                                unsigned flags);
WM_CUDA_API wm_cuda_status cudaIpcCloseMemHandle(void *pointer);
WM_CUDA_API wm_cuda_status cudaIpcGetEventHandle(struct shared_handle *handle,
                                                 wm_cuda_event_handle event);
WM_CUDA_API wm_cuda_status cudaIpcOpenEventHandle(wm_cuda_event_handle *event,
                                                  struct shared_handle handle);
WM_CUDA_API wm_cuda_status cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to);
WM_CUDA_API wm_cuda_status cudaDeviceGetHostAtomicCapabilities(unsigned *capabilities,
                                                               const int *operations,
                                                               unsigned count, int device);
WM_CUDA_API wm_cuda_status cudaDeviceGetP2PAtomicCapabilities(unsigned *capabilities,
                                                              const int *operations, unsigned count,
                                                              int from, int to);

static const char maker[8] = "warpmem";

static void fill(struct shared_handle *handle, uint64_t object)
{
    struct shared_object shared = {.process = getpid(), .object = object};
    memcpy(shared.maker, maker, sizeof maker);
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &shared, sizeof shared);
}

wm_cuda_status cudaIpcGetMemHandle(struct shared_handle *handle, void *pointer)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        const struct wm_cuda_allocation *allocation =
            wm_cuda_allocation_of(process, (uint64_t)(uintptr_t)pointer);
        if (!handle || !allocation || allocation->kind != WM_ALLOCATION_DEVICE || allocation->pool)
            status = cudaErrorInvalidValue;
        else
            fill(handle, allocation->address);
    }
    return wm_cuda_leave(process, status);
}

wm_cuda_status cudaIpcGetEventHandle(struct shared_handle *handle, wm_cuda_event_handle event)
{
    enum { INTERPROCESS = 4 };
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess &&
        (!wm_cuda_event_known(process, event) || (event->flags & INTERPROCESS) == 0))
        status = cudaErrorInvalidResourceHandle;
    if (status == cudaSuccess && !handle)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        fill(handle, (uint64_t)(uintptr_t)event);
    return wm_cuda_leave(process, status);
}

// CUDA opens no handle in the process that made it; here, in no other either.
static wm_cuda_status open_shared(const void *to, const struct shared_handle *handle)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    struct shared_object shared;
    memcpy(&shared, handle, sizeof shared);
    if (status == cudaSuccess && !to) {
        status = cudaErrorInvalidValue;
    } else if (status == cudaSuccess && memcmp(shared.maker, maker, sizeof maker) != 0) {
        status = cudaErrorInvalidResourceHandle;
    } else if (status == cudaSuccess && shared.process == getpid()) {
        status = cudaErrorDeviceUninitialized;
    } else if (status == cudaSuccess) {
        wm_log_explain(WM_LOG_ERROR,
                       "a handle of process %ld cannot be opened: device memory and "
                       "events are not shared between processes\n",
                       (long)shared.process);
        status = cudaErrorNotSupported;
    }
    return wm_cuda_leave(process, status);
}

wm_cuda_status cudaIpcOpenMemHandle(void **pointer, struct shared_handle handle, unsigned flags)
{
    return flags == 1 ? open_shared(pointer, &handle) : wm_cuda_note(cudaErrorInvalidValue);
}

wm_cuda_status cudaIpcOpenEventHandle(wm_cuda_event_handle *event, struct shared_handle handle)
{
    return open_shared(event, &handle);
}

// Nothing has been opened.
wm_cuda_status cudaIpcCloseMemHandle(void *pointer)
{
    (void)pointer;
    return wm_cuda_note(cudaErrorInvalidValue);
}

// Attributes are of two devices, and there is one, which is no peer of itself.
static wm_cuda_status refuse_pair(bool arguments)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    if (status == cudaSuccess)
        status = arguments ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    return wm_cuda_leave(process, status);
}

wm_cuda_status cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
    (void)from, (void)to;
    return refuse_pair(value && attribute >= 1 && attribute <= 5);
}

wm_cuda_status cudaDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const int *operations,
                                                  unsigned count, int from, int to)
{
    (void)from, (void)to;
    return refuse_pair(capabilities && operations && count > 0);
}

// No link here carries atomics between host and device (attribute 86): none of any width.
wm_cuda_status cudaDeviceGetHostAtomicCapabilities(unsigned *capabilities, const int *operations,
                                                   unsigned count, int device)
{
    enum { OPERATIONS = 13 }; // cudaAtomicOperation
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_even_faulted(&process);
    if (status == cudaSuccess && (!capabilities || !operations || count == 0))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess && device != 0)
        status = cudaErrorInvalidDevice;
    for (unsigned i = 0; i < count && status == cudaSuccess; i++)
        if (operations[i] < 0 || operations[i] >= OPERATIONS)
            status = cudaErrorInvalidValue;
    for (unsigned i = 0; i < count && status == cudaSuccess; i++)
        capabilities[i] = 0;
    return wm_cuda_leave(process, status);
}
