#include "cuda/stream/stream_order.h"

#include <stdlib.h>
#include <string.h>

enum { NON_BLOCKING = 1 };

static bool is_ordered_with_default(const struct wm_cuda_stream *stream)
{
    return (stream->flags & NON_BLOCKING) == 0;
}

// ---- Lists of numbers --------------------------------------------------------------------------

static bool add(struct wm_cuda_sequences *list, uint64_t sequence)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 8;
        uint64_t *grown = realloc(list->items, capacity * sizeof *grown);
        if (!grown)
            return false;
        list->items = grown;
        list->capacity = capacity;
    }
    list->items[list->count++] = sequence;
    return true;
}

static bool add_pending(const struct wm_cuda_process *process, struct wm_cuda_sequences *list,
                        uint64_t sequence)
{
    return wm_cuda_queue_has_completed(&process->queue, sequence) || add(list, sequence);
}

// What the stream's next command is ordered behind within the stream.
static bool add_front(const struct wm_cuda_process *process, struct wm_cuda_sequences *list,
                      const struct wm_cuda_stream *stream)
{
    bool good = add_pending(process, list, stream->last);
    for (size_t i = 0; i < stream->waits.count && good; i++)
        good = add_pending(process, list, stream->waits.items[i]);
    return good;
}

// The same with what other streams have to do with it.
static bool add_all(const struct wm_cuda_process *process, struct wm_cuda_sequences *list,
                    const struct wm_cuda_stream *stream)
{
    bool good = add_front(process, list, stream);
    if (stream != &process->default_stream)
        return good && (!is_ordered_with_default(stream) ||
                        add_front(process, list, &process->default_stream));
    good = good && add_front(process, list, &process->per_thread_stream);
    for (const struct wm_cuda_stream *at = process->streams; at && good; at = at->next)
        good = !is_ordered_with_default(at) || add_front(process, list, at);
    return good;
}

// ---- Issuing -----------------------------------------------------------------------------------

uint64_t wm_cuda_stream_push(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                             struct wm_cuda_command *command)
{
    struct wm_cuda_queue *queue = &process->queue;
    struct wm_cuda_sequences behind = {0};
    bool good = !queue->side_by_side || queue->insert || add_all(process, &behind, stream);
    uint64_t sequence = wm_cuda_queue_push_behind(queue, command, behind.items, behind.count);
    free(behind.items);
    if (!good || sequence == 0)
        return 0;
    stream->last = sequence;
    stream->waits.count = 0;
    return sequence;
}

wm_cuda_status wm_cuda_stream_wait_for(struct wm_cuda_process *process,
                                       struct wm_cuda_stream *stream, uint64_t sequence)
{
    if (!process->queue.side_by_side) { // what comes later is later in the queue
        stream->last = sequence > stream->last ? sequence : stream->last;
        return cudaSuccess;
    }
    return add_pending(process, &stream->waits, sequence) ? cudaSuccess : cudaErrorMemoryAllocation;
}

void wm_cuda_stream_leave_order(struct wm_cuda_process *process, struct wm_cuda_stream *stream)
{
    if (process->queue.side_by_side && is_ordered_with_default(stream))
        (void)add_front(process, &process->default_stream.waits, stream);
    free(stream->waits.items);
    stream->waits = (struct wm_cuda_sequences){0};
}

void wm_cuda_streams_several(struct wm_cuda_process *process)
{
    if (process->serial_streams)
        return;
    process->report.measure.side_by_side = true;
    wm_cuda_queue_run_side_by_side(&process->queue);
}

// ---- Waiting -----------------------------------------------------------------------------------

uint64_t wm_cuda_stream_unfinished(const struct wm_cuda_process *process,
                                   const struct wm_cuda_stream *stream)
{
    const struct wm_cuda_queue *queue = &process->queue;
    if (!queue->side_by_side) {
        uint64_t last = stream == &process->default_stream ? queue->issued : stream->last;
        return wm_cuda_queue_has_completed(queue, last) ? 0 : last;
    }
    struct wm_cuda_sequences list = {0};
    bool whole = stream == &process->default_stream ? add_all(process, &list, stream)
                                                    : add_front(process, &list, stream);
    uint64_t first = list.count > 0 ? list.items[0] : whole ? 0 : queue->issued;
    free(list.items);
    return first;
}

wm_cuda_status wm_cuda_stream_wait(struct wm_cuda_process *process,
                                   const struct wm_cuda_stream *stream)
{
    bool is_default = stream == &process->default_stream;
    if (is_default && !process->queue.side_by_side)
        return wm_cuda_wait_all(process);
    wm_cuda_status status = cudaSuccess;
    for (uint64_t next; status == cudaSuccess && process->queue.side_by_side &&
                        (next = wm_cuda_stream_unfinished(process, stream)) != 0;)
        status = wm_cuda_wait(process, next);
    return status == cudaSuccess ? wm_cuda_wait(process, stream->last) : status;
}
