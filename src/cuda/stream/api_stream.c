// Streams of the runtime API: what runs when is the queue's (device_queue.h), what is ordered
// behind what stands in stream_order.h.
#include "cuda/device/device_commands.h"
#include "cuda/graph/capture.h"
#include "cuda/runtime_prototypes.h"
#include "cuda/stream/stream_order.h"
#include "cuda/stream/stream_table.h"

#include <stdlib.h>

enum {
    LOWEST_PRIORITY = 0,
    GREATEST_PRIORITY = -5, // what drivers report since compute capability 7.0
};

WM_CUDA_PER_THREAD(cudaStreamSynchronize_ptsz, cudaStreamSynchronize)
WM_CUDA_PER_THREAD(cudaStreamQuery_ptsz, cudaStreamQuery)
WM_CUDA_PER_THREAD(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent)
WM_CUDA_PER_THREAD(cudaStreamAddCallback_ptsz, cudaStreamAddCallback)
WM_CUDA_PER_THREAD(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc)
WM_CUDA_PER_THREAD(cudaStreamGetFlags_ptsz, cudaStreamGetFlags)
WM_CUDA_PER_THREAD(cudaStreamGetPriority_ptsz, cudaStreamGetPriority)
WM_CUDA_PER_THREAD(cudaStreamGetId_ptsz, cudaStreamGetId)
WM_CUDA_PER_THREAD(cudaStreamGetDevice_ptsz, cudaStreamGetDevice)
WM_CUDA_PER_THREAD(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync)

wm_cuda_status wm_cuda_stream_resolve(struct wm_cuda_process *process, wm_cuda_stream_handle handle,
                                      struct wm_cuda_stream **stream)
{
    uintptr_t number = (uintptr_t)handle;
    if (number == 2 || (number == 0 && wm_cuda_thread()->default_is_own)) {
        *stream = wm_cuda_stream_of_thread(process);
        return *stream ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    if (number <= 1) {
        *stream = &wm_cuda_current(process)->default_stream;
        return cudaSuccess;
    }
    for (*stream = process->streams; *stream; *stream = (*stream)->next)
        if (*stream == handle)
            return cudaSuccess;
    return cudaErrorInvalidResourceHandle;
}

wm_cuda_status wm_cuda_enter_stream(struct wm_cuda_process **process, wm_cuda_stream_handle handle,
                                    struct wm_cuda_stream **stream)
{
    wm_cuda_status status = wm_cuda_enter(process);
    return status == cudaSuccess ? wm_cuda_stream_resolve(*process, handle, stream) : status;
}

static uint64_t own_work(const struct wm_cuda_stream *stream)
{
    return stream->last == stream->last_record ? stream->before_records : stream->last;
}

static uint64_t later_work(uint64_t work, const struct wm_cuda_stream *stream)
{
    uint64_t own = own_work(stream);
    return (stream->flags & WM_CUDA_STREAM_NON_BLOCKING) == 0 && own > work ? own : work;
}

uint64_t wm_cuda_stream_work(const struct wm_cuda_process *process,
                             const struct wm_cuda_stream *stream)
{
    uint64_t work = own_work(stream);
    if (!wm_cuda_is_default(process, stream))
        return work;
    const struct wm_cuda_stream *const lists[] = {process->thread_streams, process->streams};
    for (int i = 0; i < 2; i++)
        for (const struct wm_cuda_stream *other = lists[i]; other; other = other->next)
            work = other->device == stream->device ? later_work(work, other) : work;
    return work;
}

uint64_t wm_cuda_stream_before_record(struct wm_cuda_process *process,
                                      struct wm_cuda_stream *stream)
{
    uint64_t work = wm_cuda_stream_work(process, stream);
    // What a blocking stream does waits for what the legacy default stream was given before.
    if ((stream->flags & WM_CUDA_STREAM_NON_BLOCKING) == 0)
        work = later_work(work, &process->devices[stream->device].default_stream);
    stream->before_records = own_work(stream);
    return work;
}

void wm_cuda_stream_follow(struct wm_cuda_stream *stream, const struct wm_cuda_event *event)
{
    uint64_t own = own_work(stream);
    stream->before_records = own > event->after ? own : event->after;
    if (event->sequence > stream->last)
        stream->last = event->sequence;
    stream->last_record = stream->last;
}

// For what a capture cannot hold: waiting for work that does not run, and callbacks.
static wm_cuda_status enter_waiting(struct wm_cuda_process **process, wm_cuda_stream_handle handle,
                                    struct wm_cuda_stream **stream)
{
    wm_cuda_status status = wm_cuda_enter(process);
    return status == cudaSuccess ? wm_cuda_stream_for_waiting(*process, handle, stream) : status;
}

WM_CUDA_API wm_cuda_status cudaStreamCreateWithPriority(wm_cuda_stream_handle *stream,
                                                        unsigned flags, int priority)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && (!stream || (flags & ~(unsigned)WM_CUDA_STREAM_NON_BLOCKING) != 0))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        struct wm_cuda_stream *made = calloc(1, sizeof *made);
        if (!made) {
            status = cudaErrorMemoryAllocation;
        } else {
            if (priority < GREATEST_PRIORITY)
                priority = GREATEST_PRIORITY;
            *made = (struct wm_cuda_stream){
                .next = process->streams,
                .device = wm_cuda_thread()->device,
                .flags = flags,
                .priority = priority > LOWEST_PRIORITY ? LOWEST_PRIORITY : priority,
                .id = process->next_stream_id++,
                .context = wm_cuda_thread()->context,
            };
            process->streams = made;
            wm_cuda_streams_several(process);
            *stream = made;
        }
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaStreamCreateWithFlags(wm_cuda_stream_handle *stream, unsigned flags)
{
    return cudaStreamCreateWithPriority(stream, flags, LOWEST_PRIORITY);
}

WM_CUDA_API wm_cuda_status cudaStreamCreate(wm_cuda_stream_handle *stream)
{
    return cudaStreamCreateWithPriority(stream, 0, LOWEST_PRIORITY);
}

// Its work runs to its end: commands in the queue no longer use their stream, but for the handle
// that a callback is given.
WM_CUDA_API wm_cuda_status cudaStreamDestroy(wm_cuda_stream_handle stream)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        struct wm_cuda_stream **link = &process->streams;
        while (*link && *link != stream)
            link = &(*link)->next;
        if (*link) {
            *link = stream->next;
            wm_cuda_stream_free(process, stream);
        } else {
            status = cudaErrorInvalidResourceHandle;
        }
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaStreamSynchronize(wm_cuda_stream_handle stream)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *resolved;
    wm_cuda_status status = enter_waiting(&process, stream, &resolved);
    if (status == cudaSuccess)
        status = wm_cuda_stream_wait(process, resolved);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaDeviceSynchronize(void)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_capture_allows_waiting(process);
    if (status == cudaSuccess)
        status = wm_cuda_wait_device(process);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaStreamQuery(wm_cuda_stream_handle stream)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *resolved;
    wm_cuda_status status = enter_waiting(&process, stream, &resolved);
    uint64_t work = 0;
    if (status == cudaSuccess && !process->queue.side_by_side) {
        work = wm_cuda_stream_work(process, resolved);
        if (wm_cuda_queue_has_completed(&process->queue, work))
            wm_cuda_stream_note_end(process, resolved);
    } else if (status == cudaSuccess &&
               (work = wm_cuda_stream_unfinished(process, resolved)) == 0) {
        work = resolved->last;
    }
    return wm_cuda_leave_query(process, status, work);
}

WM_CUDA_API wm_cuda_status cudaStreamWaitEvent(wm_cuda_stream_handle stream,
                                               wm_cuda_event_handle event, unsigned flags)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *resolved;
    wm_cuda_status status = wm_cuda_enter_stream(&process, stream, &resolved);
    if (status == cudaSuccess && flags > 1)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess && !wm_cuda_event_known(process, event))
        status = cudaErrorInvalidResourceHandle;
    if (status == cudaSuccess)
        status = wm_cuda_stream_for_work(process, stream, &resolved);
    bool captured = false;
    if (status == cudaSuccess)
        status = wm_cuda_capture_wait(process, resolved, event, flags == 1, &captured);
    if (status == cudaSuccess && !captured)
        status = wm_cuda_wait_for_event(process, resolved, event);
    return wm_cuda_leave(process, status);
}

static wm_cuda_status push_host(wm_cuda_stream_handle stream, wm_cuda_host_function *function,
                                wm_cuda_stream_callback *callback, void *argument)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *resolved;
    wm_cuda_status status = callback ? enter_waiting(&process, stream, &resolved)
                                     : wm_cuda_enter_stream(&process, stream, &resolved);
    if (status == cudaSuccess && !function && !callback)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_stream_for_work(process, stream, &resolved);
    if (status == cudaSuccess && resolved->capture) {
        struct wm_cuda_work work = {.kind = WM_CUDA_WORK_HOST, .host = {function, argument}};
        return wm_cuda_leave(process, wm_cuda_capture_work(process, resolved, &work));
    }
    if (status == cudaSuccess &&
        wm_cuda_push_host(process, resolved, function, callback, argument) == 0)
        status = cudaErrorMemoryAllocation;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaStreamAddCallback(wm_cuda_stream_handle stream,
                                                 wm_cuda_stream_callback *callback, void *argument,
                                                 unsigned flags)
{
    if (flags != 0)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    return push_host(stream, NULL, callback, argument);
}

WM_CUDA_API wm_cuda_status cudaLaunchHostFunc(wm_cuda_stream_handle stream,
                                              wm_cuda_host_function *function, void *argument)
{
    return push_host(stream, function, NULL, argument);
}

// A stream's properties, for the four functions that return one: exactly one pointer is given.
static wm_cuda_status describe(wm_cuda_stream_handle stream, unsigned *flags, int *priority,
                               unsigned long long *id, int *device)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *resolved;
    wm_cuda_status status = wm_cuda_enter_stream(&process, stream, &resolved);
    if (status == cudaSuccess && !flags && !priority && !id && !device)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        if (flags)
            *flags = resolved->flags;
        if (priority)
            *priority = resolved->priority;
        if (id)
            *id = resolved->id;
        if (device)
            *device = (int)resolved->device;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaStreamGetFlags(wm_cuda_stream_handle stream, unsigned *flags)
{
    return describe(stream, flags, NULL, NULL, NULL);
}

WM_CUDA_API wm_cuda_status cudaStreamGetPriority(wm_cuda_stream_handle stream, int *priority)
{
    return describe(stream, NULL, priority, NULL, NULL);
}

WM_CUDA_API wm_cuda_status cudaStreamGetId(wm_cuda_stream_handle stream, unsigned long long *id)
{
    return describe(stream, NULL, NULL, id, NULL);
}

WM_CUDA_API wm_cuda_status cudaStreamGetDevice(wm_cuda_stream_handle stream, int *device)
{
    return describe(stream, NULL, NULL, NULL, device);
}

// Attachment limits which memory host and device may touch at a time; here both always may.
WM_CUDA_API wm_cuda_status cudaStreamAttachMemAsync(wm_cuda_stream_handle stream, void *pointer,
                                                    size_t length, unsigned flags)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *resolved;
    wm_cuda_status status = enter_waiting(&process, stream, &resolved);
    if (status == cudaSuccess) {
        const struct wm_allocation *allocation =
            wm_device_memory_find(process->memory, (uint64_t)(uintptr_t)pointer);
        bool single = flags == 1 || flags == 2 || flags == 4;
        if (!single || !allocation || allocation->kind != WM_ALLOCATION_MANAGED ||
            (length != 0 && length > allocation->size_bytes))
            status = cudaErrorInvalidValue;
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least)
        *least = LOWEST_PRIORITY;
    if (greatest)
        *greatest = GREATEST_PRIORITY;
    return cudaSuccess;
}
