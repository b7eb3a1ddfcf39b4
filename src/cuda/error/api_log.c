// The log of errors (CUDA 13, "Error Log Management Functions"): both APIs' is the same.
#include "cuda/error/log.h"
#include "cuda/process.h"
#include "cuda/runtime_prototypes.h"

#include <stdlib.h>

enum { ALL_BYTES = (WM_LOG_MESSAGES + 1) * WM_LOG_MESSAGE_BYTES };

// Errors of these functions are no news: they would change what is dumped.
static wm_cuda_status keep(wm_cuda_status status)
{
    if (status != cudaSuccess)
        wm_cuda_thread()->last_error = status;
    return status;
}

WM_CUDA_API wm_cuda_status cudaLogsRegisterCallback(wm_log_callback *callback, void *data,
                                                    struct wm_log_listener **handle)
{
    if (!callback)
        return keep(cudaErrorInvalidValue);
    struct wm_log_listener *listener = wm_log_listen(callback, data);
    if (!listener)
        return keep(cudaErrorMemoryAllocation);
    if (handle)
        *handle = listener;
    return cudaSuccess;
}

WM_CUDA_API wm_cuda_status cudaLogsUnregisterCallback(struct wm_log_listener *handle)
{
    return keep(wm_log_forget(handle) ? cudaSuccess : cudaErrorInvalidValue);
}

WM_CUDA_API wm_cuda_status cudaLogsCurrent(unsigned *iterator, unsigned flags)
{
    if (!iterator || flags != 0)
        return keep(cudaErrorInvalidValue);
    *iterator = wm_log_next();
    return cudaSuccess;
}

WM_CUDA_API wm_cuda_status cudaLogsDumpToFile(unsigned *iterator, const char *path, unsigned flags)
{
    size_t bytes;
    if (!path || flags != 0)
        return keep(cudaErrorInvalidValue);
    char *text = malloc(ALL_BYTES);
    if (!text)
        return keep(cudaErrorMemoryAllocation);
    unsigned next = iterator ? *iterator : 0;
    (void)wm_log_dump(iterator ? &next : NULL, text, ALL_BYTES, &bytes);
    wm_cuda_status status = wm_log_save(path, text, bytes) ? cudaSuccess : cudaErrorInvalidValue;
    free(text);
    if (status == cudaSuccess && iterator)
        *iterator = next;
    return keep(status);
}

WM_CUDA_API wm_cuda_status cudaLogsDumpToMemory(unsigned *iterator, char *buffer, size_t *size,
                                                unsigned flags)
{
    size_t bytes;
    if (!buffer || !size || *size == 0 || flags != 0)
        return keep(cudaErrorInvalidValue);
    bool fits = wm_log_dump(iterator, buffer, *size, &bytes);
    *size = fits ? bytes : 0;
    return keep(fits ? cudaSuccess : cudaErrorInvalidValue);
}
