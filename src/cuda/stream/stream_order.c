#include "cuda/stream/stream_order.h"

#include <stdlib.h>

static bool is_ordered_with_default(const struct wm_cuda_stream *stream)
{
    return (stream->flags & WM_CUDA_STREAM_NON_BLOCKING) == 0;
}

// ---- Lists of numbers --------------------------------------------------------------------------

// Adds a command to the list unless it has completed. With a recorded order (`noted`), a command
// that the host does not know to have completed may still run in a replay. 0 is no command's
// number.
static bool add_pending(const struct wm_cuda_process *process, struct wm_cuda_sequences *list,
                        uint64_t sequence, bool noted)
{
    const struct wm_cuda_queue *queue = &process->queue;
    bool over =
        noted ? sequence <= queue->ended_up_to : wm_cuda_queue_has_completed(queue, sequence);
    return over || wm_cuda_sequences_add(list, sequence);
}

// What the stream's next command is ordered behind within the stream.
static bool add_front(const struct wm_cuda_process *process, struct wm_cuda_sequences *list,
                      const struct wm_cuda_stream *stream, bool noted)
{
    bool good = add_pending(process, list, stream->own_last, noted);
    for (size_t i = 0; i < stream->waits.count && good; i++)
        good = add_pending(process, list, stream->waits.items[i], noted);
    return good;
}

// The same with the commands of other streams that it is ordered behind.
static bool add_all(const struct wm_cuda_process *process, struct wm_cuda_sequences *list,
                    const struct wm_cuda_stream *stream, bool noted)
{
    bool good = add_front(process, list, stream, noted);
    if (!wm_cuda_is_default(process, stream))
        return good &&
               (!is_ordered_with_default(stream) ||
                add_front(process, list, &process->devices[stream->device].default_stream, noted));
    for (const struct wm_cuda_stream *at = process->thread_streams; at && good; at = at->next)
        good = at->device != stream->device || add_front(process, list, at, noted);
    for (const struct wm_cuda_stream *at = process->streams; at && good; at = at->next)
        good = at->device != stream->device || !is_ordered_with_default(at) ||
               add_front(process, list, at, noted);
    return good;
}

// ---- Issuing -----------------------------------------------------------------------------------

// Work of several devices runs concurrently, as that of several streams does.
static void use_device(struct wm_cuda_process *process, uint32_t device)
{
    uint32_t before = process->devices_used;
    process->devices_used |= UINT32_C(1) << device;
    if (before != 0 && before != process->devices_used)
        wm_cuda_streams_several(process);
}

uint64_t wm_cuda_stream_push(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                             struct wm_cuda_command *command)
{
    struct wm_cuda_queue *queue = &process->queue;
    struct wm_cuda_sequences behind = {0};
    use_device(process, stream->device);
    wm_cuda_queue_make_room(queue); // first: another thread may issue in the stream meanwhile
    bool kept = queue->side_by_side || queue->records_order;
    bool good = !kept || queue->insert || add_all(process, &behind, stream, queue->records_order);
    uint64_t sequence =
        good ? wm_cuda_queue_push_behind(queue, command, behind.items, behind.count)
             : wm_cuda_queue_give_up(queue, command); // without memory: it would run unordered
    free(behind.items);
    if (sequence == 0)
        return 0;
    stream->last = stream->own_last = sequence;
    stream->waits.count = 0;
    return sequence;
}

bool wm_cuda_stream_order_behind(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                 uint64_t sequence)
{
    const struct wm_cuda_queue *queue = &process->queue;
    return !(queue->side_by_side || queue->records_order) ||
           add_pending(process, &stream->waits, sequence, queue->records_order);
}

wm_cuda_status wm_cuda_stream_wait_for(struct wm_cuda_process *process,
                                       struct wm_cuda_stream *stream, uint64_t sequence)
{
    if (!process->queue.side_by_side) // what comes later is later in the queue
        stream->last = sequence > stream->last ? sequence : stream->last;
    return wm_cuda_stream_order_behind(process, stream, sequence) ? cudaSuccess
                                                                  : cudaErrorMemoryAllocation;
}

// What is left of a stream that no other is ordered behind: a wait for the device waits for it.
static void keep_left(const struct wm_cuda_process *process, struct wm_cuda_device *device,
                      const struct wm_cuda_stream *stream)
{
    bool noted = process->queue.records_order;
    size_t count = device->left.count;
    device->left.count = 0;
    for (size_t i = 0; i < count; i++)
        (void)add_pending(process, &device->left, device->left.items[i], noted);
    (void)add_front(process, &device->left, stream, noted);
}

void wm_cuda_stream_leave_order(struct wm_cuda_process *process, struct wm_cuda_stream *stream)
{
    const struct wm_cuda_queue *queue = &process->queue;
    struct wm_cuda_device *device = &process->devices[stream->device];
    if ((queue->side_by_side || queue->records_order) && is_ordered_with_default(stream))
        (void)add_front(process, &device->default_stream.waits, stream, queue->records_order);
    else if (process->device_count > 1)
        keep_left(process, device, stream);
    free(stream->waits.items);
    stream->waits = (struct wm_cuda_sequences){0};
}

void wm_cuda_streams_several(struct wm_cuda_process *process)
{
    if (process->serial_streams)
        return;
    bool measures = process->report.measure.records; // what it runs is what it counts
    if (process->recorder && !measures) {
        wm_cuda_queue_record_order(&process->queue);
        return;
    }
    process->report.measure.side_by_side = true;
    wm_cuda_queue_run_side_by_side(&process->queue);
}

// ---- Waiting -----------------------------------------------------------------------------------

// The commands that a host wait for the stream waits for.
static bool add_waited(const struct wm_cuda_process *process, struct wm_cuda_sequences *list,
                       const struct wm_cuda_stream *stream, bool noted)
{
    return wm_cuda_is_default(process, stream) ? add_all(process, list, stream, noted)
                                               : add_front(process, list, stream, noted);
}

void wm_cuda_stream_note_end(struct wm_cuda_process *process, const struct wm_cuda_stream *stream)
{
    struct wm_cuda_sequences list = {0};
    if (process->queue.records_order)
        (void)add_waited(process, &list, stream, true);
    for (size_t i = 0; i < list.count; i++)
        (void)wm_cuda_queue_note_end(&process->queue, list.items[i]);
    free(list.items);
}

uint64_t wm_cuda_stream_unfinished(const struct wm_cuda_process *process,
                                   const struct wm_cuda_stream *stream)
{
    const struct wm_cuda_queue *queue = &process->queue;
    if (!queue->side_by_side) {
        uint64_t last = wm_cuda_is_default(process, stream) ? queue->issued : stream->last;
        return wm_cuda_queue_has_completed(queue, last) ? 0 : last;
    }
    struct wm_cuda_sequences list = {0};
    bool whole = add_waited(process, &list, stream, false);
    uint64_t first = list.count > 0 ? list.items[0] : whole ? 0 : queue->issued;
    free(list.items);
    return first;
}

wm_cuda_status wm_cuda_stream_wait(struct wm_cuda_process *process,
                                   const struct wm_cuda_stream *stream)
{
    bool is_default = wm_cuda_is_default(process, stream);
    wm_cuda_stream_note_end(process, stream);
    if (is_default && !process->queue.side_by_side)
        return wm_cuda_wait_in_order(process);
    wm_cuda_status status = cudaSuccess;
    for (uint64_t next; status == cudaSuccess && process->queue.side_by_side &&
                        (next = wm_cuda_stream_unfinished(process, stream)) != 0;)
        status = wm_cuda_wait(process, next);
    return status == cudaSuccess ? wm_cuda_wait(process, stream->last) : status;
}

// ---- Of devices --------------------------------------------------------------------------------

void wm_cuda_device_note_end(struct wm_cuda_process *process)
{
    uint32_t device = wm_cuda_thread()->device;
    const struct wm_cuda_stream *const lists[] = {process->thread_streams, process->streams};
    for (int i = 0; i < 2; i++)
        for (const struct wm_cuda_stream *at = lists[i]; at; at = at->next)
            if (at->device == device)
                wm_cuda_stream_note_end(process, at);
}

static bool order_one(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                      uint64_t sequence, struct wm_cuda_sequences *behind)
{
    bool noted = process->queue.records_order;
    return behind ? add_front(process, behind, stream, noted)
                  : add_pending(process, &stream->waits, sequence, noted);
}

const struct wm_cuda_stream *wm_cuda_unfinished_stream(const struct wm_cuda_process *process)
{
    uint32_t device = wm_cuda_thread()->device;
    const struct wm_cuda_stream *const lists[] = {process->thread_streams, process->streams};
    for (int i = 0; i < 2; i++)
        for (const struct wm_cuda_stream *at = lists[i]; at; at = at->next)
            if (at->device == device && wm_cuda_stream_unfinished(process, at) != 0)
                return at;
    return NULL;
}

bool wm_cuda_order_devices(struct wm_cuda_process *process, uint32_t devices, uint64_t sequence,
                           struct wm_cuda_sequences *behind)
{
    for (uint32_t i = 0; i < process->device_count; i++)
        if ((devices >> i & 1) != 0)
            use_device(process, i);
    bool good = true;
    if (!process->queue.side_by_side && !process->queue.records_order)
        return true;
    for (uint32_t i = 0; i < process->device_count && good; i++)
        if ((devices >> i & 1) != 0)
            good = order_one(process, &process->devices[i].default_stream, sequence, behind);
    struct wm_cuda_stream *const lists[] = {process->thread_streams, process->streams};
    for (int i = 0; i < 2; i++)
        for (struct wm_cuda_stream *at = lists[i]; at && good; at = at->next)
            if ((devices >> at->device & 1) != 0)
                good = order_one(process, at, sequence, behind);
    return good;
}
