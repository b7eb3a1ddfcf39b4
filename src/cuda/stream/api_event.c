// Events of the runtime API: points in the device's queue, with an estimate of device time.
#include "cuda/device/device_commands.h"
#include "cuda/graph/capture.h"
#include "cuda/runtime_prototypes.h"
#include "cuda/stream/shared_event.h"
#include "cuda/stream/stream_table.h"

#include <stdlib.h>

enum { RECORD_EXTERNAL = 1 };

WM_CUDA_PER_THREAD(cudaEventRecord_ptsz, cudaEventRecord)
WM_CUDA_PER_THREAD(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags)
// CUDA 12.8 renamed the function for its new error codes, which are the ones returned here.
WM_CUDA_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime);

bool wm_cuda_event_known(const struct wm_cuda_process *process, const struct wm_cuda_event *event)
{
    for (const struct wm_cuda_event *known = process->events; known; known = known->next)
        if (known == event)
            return true;
    return false;
}

struct wm_cuda_event *wm_cuda_event_new(struct wm_cuda_process *process, unsigned flags,
                                        struct wm_shared_event *shared)
{
    struct wm_cuda_event *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    *made = (struct wm_cuda_event){.next = process->events,
                                   .device = wm_cuda_thread()->device,
                                   .flags = flags,
                                   .shared = shared,
                                   .context = wm_cuda_thread()->context};
    process->events = made;
    return made;
}

static wm_cuda_status create(struct wm_cuda_process *process, unsigned flags,
                             wm_cuda_event_handle *event)
{
    struct wm_shared_event *shared = NULL;
    if ((flags & WM_CUDA_EVENT_INTERPROCESS) != 0 && !(shared = wm_shared_event_new()))
        return cudaErrorOperatingSystem;
    *event = wm_cuda_event_new(process, flags, shared);
    if (*event)
        return cudaSuccess;
    wm_shared_event_release(shared);
    return cudaErrorMemoryAllocation;
}

WM_CUDA_API wm_cuda_status cudaEventCreateWithFlags(wm_cuda_event_handle *event, unsigned flags)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    // An event for other processes must not time (interface's rule).
    if (status == cudaSuccess &&
        (!event || (flags & ~(unsigned)WM_CUDA_EVENT_FLAGS) != 0 ||
         (flags & (WM_CUDA_EVENT_INTERPROCESS | WM_CUDA_EVENT_DISABLE_TIMING)) ==
             WM_CUDA_EVENT_INTERPROCESS))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = create(process, flags, event);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaEventCreate(wm_cuda_event_handle *event)
{
    return cudaEventCreateWithFlags(event, 0);
}

// A record of it may still be queued: the event lives until that has happened.
WM_CUDA_API wm_cuda_status cudaEventDestroy(wm_cuda_event_handle event)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess) {
        struct wm_cuda_event **link = &process->events;
        while (*link && *link != event)
            link = &(*link)->next;
        if (*link) {
            *link = event->next;
            wm_cuda_event_free(event);
        } else {
            status = cudaErrorInvalidResourceHandle;
        }
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaEventRecordWithFlags(wm_cuda_event_handle event,
                                                    wm_cuda_stream_handle stream, unsigned flags)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *resolved;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && flags > 1)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess && !wm_cuda_event_known(process, event))
        status = cudaErrorInvalidResourceHandle;
    if (status == cudaSuccess)
        status = wm_cuda_stream_for_work(process, stream, &resolved);
    if (status == cudaSuccess && resolved->device != event->device)
        status = cudaErrorInvalidResourceHandle;
    if (status == cudaSuccess)
        status = resolved->capture
                     ? wm_cuda_capture_event(process, resolved, event, flags == RECORD_EXTERNAL)
                     : wm_cuda_record_event(process, resolved, event);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaEventRecord(wm_cuda_event_handle event, wm_cuda_stream_handle stream)
{
    return cudaEventRecordWithFlags(event, stream, 0);
}

// An event that was last recorded in a capture is no point in time.
static wm_cuda_status enter_event(struct wm_cuda_process **process,
                                  const struct wm_cuda_event *event)
{
    wm_cuda_status status = wm_cuda_enter(process);
    if (status == cudaSuccess && !wm_cuda_event_known(*process, event))
        status = cudaErrorInvalidResourceHandle;
    return status == cudaSuccess && event->capture_id ? cudaErrorCapturedEvent : status;
}

// A record of another process: this one's are waited for in its queue.
static bool is_pending(const struct wm_cuda_event *event)
{
    return event->shared &&
           !wm_shared_event_is_complete(event->shared, wm_shared_event_last(event->shared));
}

// Ready when the work before it is done: the record itself, and what other streams put before it
// into the device's one queue, hold no event up on a device.
WM_CUDA_API wm_cuda_status cudaEventQuery(wm_cuda_event_handle event)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_event(&process, event);
    uint64_t sequence = status == cudaSuccess ? event->after : 0;
    bool over = status == cudaSuccess && wm_cuda_queue_has_completed(&process->queue, sequence);
    if (over && is_pending(event)) {
        // The other process may be waiting for this one: its device runs on as in any query.
        (void)wm_cuda_queue_advance(&process->queue);
        status = cudaErrorNotReady;
    } else if (over) {
        (void)wm_cuda_queue_note_end(&process->queue, event->sequence);
    }
    return wm_cuda_leave_query(process, status, sequence);
}

WM_CUDA_API wm_cuda_status cudaEventSynchronize(wm_cuda_event_handle event)
{
    struct wm_cuda_process *process;
    struct wm_shared_event *shared = NULL;
    uint32_t record = 0;
    wm_cuda_status status = enter_event(&process, event);
    if (status == cudaSuccess && is_pending(event)) {
        shared = wm_shared_event_retain(event->shared);
        record = wm_shared_event_last(shared);
    }
    if (status == cudaSuccess)
        status = wm_cuda_wait(process, event->sequence);
    status = wm_cuda_leave(process, status);
    if (shared) {
        wm_cuda_wait_for_others(process, shared, record);
        wm_shared_event_release(shared);
    }
    return status;
}

static bool can_time(const struct wm_cuda_process *process, const struct wm_cuda_event *event)
{
    return wm_cuda_event_known(process, event) && event->recorded &&
           (event->flags & WM_CUDA_EVENT_DISABLE_TIMING) == 0;
}

WM_CUDA_API wm_cuda_status cudaEventElapsedTime(float *milliseconds, wm_cuda_event_handle start,
                                                wm_cuda_event_handle end)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess && !milliseconds)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess &&
        (!can_time(process, start) || !can_time(process, end) || start->device != end->device))
        status = cudaErrorInvalidResourceHandle;
    if (status == cudaSuccess && (start->capture_id || end->capture_id))
        status = cudaErrorCapturedEvent;
    if (status == cudaSuccess && !(wm_cuda_queue_has_completed(&process->queue, start->after) &&
                                   wm_cuda_queue_has_completed(&process->queue, end->after)))
        status = cudaErrorNotReady;
    if (status == cudaSuccess) // the queue may not have come to the records yet
        status = wm_cuda_wait(process,
                              start->sequence > end->sequence ? start->sequence : end->sequence);
    if (status == cudaSuccess)
        *milliseconds = (float)(((double)end->time_ps - (double)start->time_ps) / 1e9);
    return wm_cuda_leave(process, status);
}
