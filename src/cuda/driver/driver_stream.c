// Streams and events of the driver API: the runtime API's.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_forward.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/stream/stream_table.h"

WM_CUDA_ALIAS(cuStreamDestroy, cuStreamDestroy_v2);
WM_CUDA_ALIAS(cuEventDestroy, cuEventDestroy_v2);
WM_DRIVER_PER_THREAD(cuStreamSynchronize_ptsz, cuStreamSynchronize)
WM_DRIVER_PER_THREAD(cuStreamQuery_ptsz, cuStreamQuery)
WM_DRIVER_PER_THREAD(cuStreamWaitEvent_ptsz, cuStreamWaitEvent)
WM_DRIVER_PER_THREAD(cuStreamAddCallback_ptsz, cuStreamAddCallback)
WM_DRIVER_PER_THREAD(cuLaunchHostFunc_ptsz, cuLaunchHostFunc)
WM_DRIVER_PER_THREAD(cuStreamGetPriority_ptsz, cuStreamGetPriority)
WM_DRIVER_PER_THREAD(cuStreamGetFlags_ptsz, cuStreamGetFlags)
WM_DRIVER_PER_THREAD(cuStreamGetId_ptsz, cuStreamGetId)
WM_DRIVER_PER_THREAD(cuStreamGetDevice_ptsz, cuStreamGetDevice)
WM_DRIVER_PER_THREAD(cuStreamGetCtx_ptsz, cuStreamGetCtx)
WM_DRIVER_PER_THREAD(cuStreamGetCtx_v2_ptsz, cuStreamGetCtx_v2)
WM_DRIVER_PER_THREAD(cuStreamIsCapturing_ptsz, cuStreamIsCapturing)
WM_DRIVER_PER_THREAD(cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync)
WM_DRIVER_PER_THREAD(cuEventRecord_ptsz, cuEventRecord)
WM_DRIVER_PER_THREAD(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags)
WM_CUDA_ALIAS(cuEventElapsedTime_v2, cuEventElapsedTime);

WM_CUDA_API wm_driver_result cuStreamCreate(wm_cuda_stream_handle *stream, unsigned flags)
{
    WM_DRIVER_RETURN(cudaStreamCreateWithPriority(stream, flags, 0));
}

WM_CUDA_API wm_driver_result cuStreamCreateWithPriority(wm_cuda_stream_handle *stream,
                                                        unsigned flags, int priority)
{
    WM_DRIVER_RETURN(cudaStreamCreateWithPriority(stream, flags, priority));
}

WM_CUDA_API wm_driver_result cuStreamDestroy_v2(wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(cudaStreamDestroy(stream));
}

WM_CUDA_API wm_driver_result cuStreamSynchronize(wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(cudaStreamSynchronize(stream));
}

WM_CUDA_API wm_driver_result cuStreamQuery(wm_cuda_stream_handle stream)
{
    WM_DRIVER_RETURN(cudaStreamQuery(stream));
}

WM_CUDA_API wm_driver_result cuStreamWaitEvent(wm_cuda_stream_handle stream,
                                               wm_cuda_event_handle event, unsigned flags)
{
    WM_DRIVER_RETURN(cudaStreamWaitEvent(stream, event, flags));
}

// The callback gets a result of the driver API: for what a stream can end with, its numbers are the
// runtime's.
WM_CUDA_API wm_driver_result cuStreamAddCallback(wm_cuda_stream_handle stream,
                                                 wm_cuda_stream_callback *callback, void *argument,
                                                 unsigned flags)
{
    WM_DRIVER_RETURN(cudaStreamAddCallback(stream, callback, argument, flags));
}

WM_CUDA_API wm_driver_result cuLaunchHostFunc(wm_cuda_stream_handle stream,
                                              wm_cuda_host_function *function, void *argument)
{
    WM_DRIVER_RETURN(cudaLaunchHostFunc(stream, function, argument));
}

WM_CUDA_API wm_driver_result cuStreamGetPriority(wm_cuda_stream_handle stream, int *priority)
{
    WM_DRIVER_RETURN(cudaStreamGetPriority(stream, priority));
}

WM_CUDA_API wm_driver_result cuStreamGetFlags(wm_cuda_stream_handle stream, unsigned *flags)
{
    WM_DRIVER_RETURN(cudaStreamGetFlags(stream, flags));
}

WM_CUDA_API wm_driver_result cuStreamGetId(wm_cuda_stream_handle stream, unsigned long long *id)
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
                                       : wm_driver_primary(resolved->device);
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_driver_result cuStreamGetCtx(wm_cuda_stream_handle stream,
                                            const struct wm_driver_context **context)
{
    WM_DRIVER_RETURN(context_of(stream, context));
}

// Contexts on a part of the device are none.
WM_CUDA_API wm_driver_result cuStreamGetCtx_v2(wm_cuda_stream_handle stream,
                                               const struct wm_driver_context **context,
                                               void **part)
{
    if (part)
        *part = NULL;
    return cuStreamGetCtx(stream, context);
}

WM_DRIVER_FORWARD(cuStreamGetAttribute, cudaStreamGetAttribute)
WM_DRIVER_FORWARD(cuStreamSetAttribute, cudaStreamSetAttribute)
WM_DRIVER_FORWARD(cuStreamCopyAttributes, cudaStreamCopyAttributes)
WM_DRIVER_PER_THREAD(cuStreamGetAttribute_ptsz, cuStreamGetAttribute)
WM_DRIVER_PER_THREAD(cuStreamSetAttribute_ptsz, cuStreamSetAttribute)
WM_DRIVER_PER_THREAD(cuStreamCopyAttributes_ptsz, cuStreamCopyAttributes)

WM_CUDA_API wm_driver_result cuStreamGetDevice(wm_cuda_stream_handle stream, int *device)
{
    const struct wm_driver_context *context;
    wm_driver_result result = cuStreamGetCtx(stream, &context);
    if (result == CUDA_SUCCESS && device)
        *device = 0;
    return result ? result : device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

WM_CUDA_API wm_driver_result cuStreamIsCapturing(wm_cuda_stream_handle stream, int *status)
{
    WM_DRIVER_RETURN(cudaStreamIsCapturing(stream, status));
}

WM_CUDA_API wm_driver_result cuStreamAttachMemAsync(wm_cuda_stream_handle stream,
                                                    wm_driver_pointer pointer, size_t bytes,
                                                    unsigned flags)
{
    WM_DRIVER_RETURN(cudaStreamAttachMemAsync(stream, (void *)(uintptr_t)pointer, bytes, flags));
}

WM_CUDA_API wm_driver_result cuEventCreate(wm_cuda_event_handle *event, unsigned flags)
{
    WM_DRIVER_RETURN(cudaEventCreateWithFlags(event, flags));
}

WM_CUDA_API wm_driver_result cuEventDestroy_v2(wm_cuda_event_handle event)
{
    WM_DRIVER_RETURN(cudaEventDestroy(event));
}

WM_CUDA_API wm_driver_result cuEventRecordWithFlags(wm_cuda_event_handle event,
                                                    wm_cuda_stream_handle stream, unsigned flags)
{
    WM_DRIVER_RETURN(cudaEventRecordWithFlags(event, stream, flags));
}

WM_CUDA_API wm_driver_result cuEventRecord(wm_cuda_event_handle event, wm_cuda_stream_handle stream)
{
    return cuEventRecordWithFlags(event, stream, 0);
}

WM_CUDA_API wm_driver_result cuEventQuery(wm_cuda_event_handle event)
{
    WM_DRIVER_RETURN(cudaEventQuery(event));
}

WM_CUDA_API wm_driver_result cuEventSynchronize(wm_cuda_event_handle event)
{
    WM_DRIVER_RETURN(cudaEventSynchronize(event));
}

WM_CUDA_API wm_driver_result cuEventElapsedTime(float *milliseconds, wm_cuda_event_handle start,
                                                wm_cuda_event_handle end)
{
    WM_DRIVER_RETURN(cudaEventElapsedTime(milliseconds, start, end));
}
