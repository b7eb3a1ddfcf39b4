// Streams and events of the driver API: the runtime API's.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_forward.h"
#include "cuda/driver/runtime_functions.h"
#include "cuda/stream/stream_table.h"

WM_CUDA_API wm_driver_result cuStreamCreate(wm_cuda_stream_handle *stream, unsigned flags);
WM_CUDA_API wm_driver_result cuStreamCreateWithPriority(wm_cuda_stream_handle *stream,
                                                        unsigned flags, int priority);
WM_CUDA_API wm_driver_result cuStreamDestroy_v2(wm_cuda_stream_handle stream);
WM_CUDA_API wm_driver_result cuStreamSynchronize(wm_cuda_stream_handle stream);
WM_CUDA_API wm_driver_result cuStreamQuery(wm_cuda_stream_handle stream);
WM_CUDA_API wm_driver_result cuStreamWaitEvent(wm_cuda_stream_handle stream,
                                               wm_cuda_event_handle event, unsigned flags);
WM_CUDA_API wm_driver_result cuStreamAddCallback(wm_cuda_stream_handle stream,
                                                 wm_cuda_stream_callback *callback, void *argument,
                                                 unsigned flags);
WM_CUDA_API wm_driver_result cuLaunchHostFunc(wm_cuda_stream_handle stream,
                                              wm_cuda_host_function *function, void *argument);
WM_CUDA_API wm_driver_result cuStreamGetPriority(wm_cuda_stream_handle stream, int *priority);
WM_CUDA_API wm_driver_result cuStreamGetFlags(wm_cuda_stream_handle stream, unsigned *flags);
WM_CUDA_API wm_driver_result cuStreamGetId(wm_cuda_stream_handle stream, unsigned long long *id);
WM_CUDA_API wm_driver_result cuStreamGetDevice(wm_cuda_stream_handle stream, int *device);
WM_CUDA_API wm_driver_result cuStreamGetCtx(wm_cuda_stream_handle stream,
                                            const struct wm_driver_context **context);
WM_CUDA_API wm_driver_result cuStreamIsCapturing(wm_cuda_stream_handle stream, int *status);
WM_CUDA_API wm_driver_result cuStreamAttachMemAsync(wm_cuda_stream_handle stream,
                                                    wm_driver_pointer pointer, size_t bytes,
                                                    unsigned flags);
WM_CUDA_API wm_driver_result cuEventCreate(wm_cuda_event_handle *event, unsigned flags);
WM_CUDA_API wm_driver_result cuEventDestroy_v2(wm_cuda_event_handle event);
WM_CUDA_API wm_driver_result cuEventRecord(wm_cuda_event_handle event,
                                           wm_cuda_stream_handle stream);
WM_CUDA_API wm_driver_result cuEventRecordWithFlags(wm_cuda_event_handle event,
                                                    wm_cuda_stream_handle stream, unsigned flags);
WM_CUDA_API wm_driver_result cuEventQuery(wm_cuda_event_handle event);
WM_CUDA_API wm_driver_result cuEventSynchronize(wm_cuda_event_handle event);
WM_CUDA_API wm_driver_result cuEventElapsedTime(float *milliseconds, wm_cuda_event_handle start,
                                                wm_cuda_event_handle end);
WM_CUDA_ALIAS(cuStreamDestroy, cuStreamDestroy_v2);
WM_CUDA_ALIAS(cuEventDestroy, cuEventDestroy_v2);
WM_DRIVER_PER_THREAD(cuStreamSynchronize_ptsz, cuStreamSynchronize, (wm_cuda_stream_handle stream),
                     (stream))
WM_DRIVER_PER_THREAD(cuStreamQuery_ptsz, cuStreamQuery, (wm_cuda_stream_handle stream), (stream))
WM_DRIVER_PER_THREAD(cuStreamWaitEvent_ptsz, cuStreamWaitEvent,
                     (wm_cuda_stream_handle stream, wm_cuda_event_handle event, unsigned flags),
                     (stream, event, flags))
WM_DRIVER_PER_THREAD(cuStreamAddCallback_ptsz, cuStreamAddCallback,
                     (wm_cuda_stream_handle stream, wm_cuda_stream_callback *callback,
                      void *argument, unsigned flags),
                     (stream, callback, argument, flags))
WM_DRIVER_PER_THREAD(cuLaunchHostFunc_ptsz, cuLaunchHostFunc,
                     (wm_cuda_stream_handle stream, wm_cuda_host_function *function,
                      void *argument),
                     (stream, function, argument))
WM_DRIVER_PER_THREAD(cuStreamGetPriority_ptsz, cuStreamGetPriority,
                     (wm_cuda_stream_handle stream, int *priority), (stream, priority))
WM_DRIVER_PER_THREAD(cuStreamGetFlags_ptsz, cuStreamGetFlags,
                     (wm_cuda_stream_handle stream, unsigned *flags), (stream, flags))
WM_DRIVER_PER_THREAD(cuStreamGetId_ptsz, cuStreamGetId,
                     (wm_cuda_stream_handle stream, unsigned long long *id), (stream, id))
WM_DRIVER_PER_THREAD(cuStreamGetDevice_ptsz, cuStreamGetDevice,
                     (wm_cuda_stream_handle stream, int *device), (stream, device))
WM_CUDA_API wm_driver_result cuStreamGetCtx_v2(wm_cuda_stream_handle stream,
                                               const struct wm_driver_context **context,
                                               void **part);
WM_DRIVER_PER_THREAD(cuStreamGetCtx_ptsz, cuStreamGetCtx,
                     (wm_cuda_stream_handle stream, const struct wm_driver_context **context),
                     (stream, context))
WM_DRIVER_PER_THREAD(cuStreamGetCtx_v2_ptsz, cuStreamGetCtx_v2,
                     (wm_cuda_stream_handle stream, const struct wm_driver_context **context,
                      void **part),
                     (stream, context, part))
WM_DRIVER_PER_THREAD(cuStreamIsCapturing_ptsz, cuStreamIsCapturing,
                     (wm_cuda_stream_handle stream, int *status), (stream, status))
WM_DRIVER_PER_THREAD(cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync,
                     (wm_cuda_stream_handle stream, wm_driver_pointer pointer, size_t bytes,
                      unsigned flags),
                     (stream, pointer, bytes, flags))
WM_DRIVER_PER_THREAD(cuEventRecord_ptsz, cuEventRecord,
                     (wm_cuda_event_handle event, wm_cuda_stream_handle stream), (event, stream))
WM_DRIVER_PER_THREAD(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags,
                     (wm_cuda_event_handle event, wm_cuda_stream_handle stream, unsigned flags),
                     (event, stream, flags))
WM_CUDA_ALIAS(cuEventElapsedTime_v2, cuEventElapsedTime);

wm_driver_result cuStreamCreate(wm_cuda_stream_handle *stream, unsigned flags)
{
    WM_DRIVER_RETURN(cudaStreamCreateWithPriority(stream, flags, 0));
}

wm_driver_result cuStreamCreateWithPriority(wm_cuda_stream_handle *stream, unsigned flags,
                                            int priority)
{
    WM_DRIVER_RETURN(cudaStreamCreateWithPriority(stream, flags, priority));
}

wm_driver_result cuStreamDestroy_v2(wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(cudaStreamDestroy(stream));
}

wm_driver_result cuStreamSynchronize(wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(cudaStreamSynchronize(stream));
}

wm_driver_result cuStreamQuery(wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(cudaStreamQuery(stream));
}

wm_driver_result cuStreamWaitEvent(wm_cuda_stream_handle stream, wm_cuda_event_handle event,
                                   unsigned flags)
{
    WM_DRIVER_RETURN(cudaStreamWaitEvent(stream, event, flags));
}

// The callback gets a result of the driver API: for what a stream can end with, its numbers are the
// runtime's.
wm_driver_result cuStreamAddCallback(wm_cuda_stream_handle stream,
                                     wm_cuda_stream_callback *callback, void *argument,
                                     unsigned flags)
{
    WM_DRIVER_RETURN(cudaStreamAddCallback(stream, callback, argument, flags));
}

wm_driver_result cuLaunchHostFunc(wm_cuda_stream_handle stream, wm_cuda_host_function *function,
                                  void *argument)
{
    WM_DRIVER_RETURN(cudaLaunchHostFunc(stream, function, argument));
}

wm_driver_result cuStreamGetPriority(wm_cuda_stream_handle stream, int *priority)
{
    WM_DRIVER_RETURN(cudaStreamGetPriority(stream, priority));
}

wm_driver_result cuStreamGetFlags(wm_cuda_stream_handle stream, unsigned *flags)
{
    WM_DRIVER_RETURN(cudaStreamGetFlags(stream, flags));
}

wm_driver_result cuStreamGetId(wm_cuda_stream_handle stream, unsigned long long *id)
{
    WM_DRIVER_RETURN(cudaStreamGetId(stream, id));
}

static wm_cuda_status context_of(wm_cuda_stream_handle stream,
                                 const struct wm_driver_context **context)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *resolved;
    wm_cuda_status status = wm_cuda_enter_stream(&process, stream, &resolved);
    if (status == cudaSuccess && !context)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        bool fixed = (uintptr_t)stream <= 2; // the default streams: the current context's
        *context = fixed               ? wm_driver_current()
                   : resolved->context ? resolved->context
                                       : wm_driver_primary();
    }
    return wm_cuda_leave(process, status);
}

wm_driver_result cuStreamGetCtx(wm_cuda_stream_handle stream,
                                const struct wm_driver_context **context)
{
    WM_DRIVER_RETURN(context_of(stream, context));
}

// Contexts on a part of the device are none.
wm_driver_result cuStreamGetCtx_v2(wm_cuda_stream_handle stream,
                                   const struct wm_driver_context **context, void **part)
{
    if (part)
        *part = NULL;
    return cuStreamGetCtx(stream, context);
}

WM_DRIVER_FORWARD(cuStreamGetAttribute, cudaStreamGetAttribute,
                  (wm_cuda_stream_handle stream, int attribute, void *value),
                  (stream, attribute, value))
WM_DRIVER_FORWARD(cuStreamSetAttribute, cudaStreamSetAttribute,
                  (wm_cuda_stream_handle stream, int attribute, const void *value),
                  (stream, attribute, value))
WM_DRIVER_FORWARD(cuStreamCopyAttributes, cudaStreamCopyAttributes,
                  (wm_cuda_stream_handle to, wm_cuda_stream_handle from), (to, from))
WM_DRIVER_PER_THREAD(cuStreamGetAttribute_ptsz, cuStreamGetAttribute,
                     (wm_cuda_stream_handle stream, int attribute, void *value),
                     (stream, attribute, value))
WM_DRIVER_PER_THREAD(cuStreamSetAttribute_ptsz, cuStreamSetAttribute,
                     (wm_cuda_stream_handle stream, int attribute, const void *value),
                     (stream, attribute, value))
WM_DRIVER_PER_THREAD(cuStreamCopyAttributes_ptsz, cuStreamCopyAttributes,
                     (wm_cuda_stream_handle to, wm_cuda_stream_handle from), (to, from))

wm_driver_result cuStreamGetDevice(wm_cuda_stream_handle stream, int *device)
{
    const struct wm_driver_context *context;
    wm_driver_result result = cuStreamGetCtx(stream, &context);
    if (result == CUDA_SUCCESS && device)
        *device = 0;
    return result ? result : device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

wm_driver_result cuStreamIsCapturing(wm_cuda_stream_handle stream, int *status)
{
    WM_DRIVER_RETURN(cudaStreamIsCapturing(stream, status));
}

wm_driver_result cuStreamAttachMemAsync(wm_cuda_stream_handle stream, wm_driver_pointer pointer,
                                        size_t bytes, unsigned flags)
{
    WM_DRIVER_RETURN(cudaStreamAttachMemAsync(stream, (void *)(uintptr_t)pointer, bytes, flags));
}

wm_driver_result cuEventCreate(wm_cuda_event_handle *event, unsigned flags)
{
    WM_DRIVER_RETURN(cudaEventCreateWithFlags(event, flags));
}

wm_driver_result cuEventDestroy_v2(wm_cuda_event_handle event)
{
    WM_DRIVER_RETURN(cudaEventDestroy(event));
}

wm_driver_result cuEventRecordWithFlags(wm_cuda_event_handle event, wm_cuda_stream_handle stream,
                                        unsigned flags)
{
    WM_DRIVER_RETURN(cudaEventRecordWithFlags(event, stream, flags));
}

wm_driver_result cuEventRecord(wm_cuda_event_handle event, wm_cuda_stream_handle stream)
{
    return cuEventRecordWithFlags(event, stream, 0);
}

wm_driver_result cuEventQuery(wm_cuda_event_handle event)
{
    WM_DRIVER_RETURN(cudaEventQuery(event));
}

wm_driver_result cuEventSynchronize(wm_cuda_event_handle event)
{
    WM_DRIVER_RETURN(cudaEventSynchronize(event));
}

wm_driver_result cuEventElapsedTime(float *milliseconds, wm_cuda_event_handle start,
                                    wm_cuda_event_handle end)
{
    WM_DRIVER_RETURN(cudaEventElapsedTime(milliseconds, start, end));
}
