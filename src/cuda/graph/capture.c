#include "cuda/graph/capture.h"

#include "base/containers/array.h"
#include "cuda/stream/shared_event.h"
#include "cuda/stream/stream_order.h"
#include "cuda/stream/stream_table.h"

#include <stdlib.h>
#include <string.h>

// ---- Sets of nodes -----------------------------------------------------------------------------

static bool holds(const struct wm_cuda_node_set *set, const struct wm_cuda_graph_node *node)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->nodes[i] == node)
            return true;
    return false;
}

static wm_cuda_status insert(struct wm_cuda_node_set *set, struct wm_cuda_graph_node *node,
                             const struct wm_cuda_edge_data *edge)
{
    static const struct wm_cuda_edge_data plain;
    if (holds(set, node))
        return cudaSuccess;
    if (!WM_ARRAY_RESERVE(set->edges, set->count, set->edge_capacity, 1) ||
        !WM_ARRAY_RESERVE(set->nodes, set->count, set->capacity, 1))
        return cudaErrorMemoryAllocation;
    set->edges[set->count] = edge ? *edge : plain;
    set->nodes[set->count++] = node;
    return cudaSuccess;
}

static wm_cuda_status merge(struct wm_cuda_node_set *set, const struct wm_cuda_node_set *other)
{
    wm_cuda_status status = cudaSuccess;
    for (size_t i = 0; i < other->count && status == cudaSuccess; i++)
        status = insert(set, other->nodes[i], &other->edges[i]);
    return status;
}

static void free_set(struct wm_cuda_node_set *set)
{
    free(set->nodes);
    free(set->edges);
    *set = (struct wm_cuda_node_set){0};
}

// ---- Streams of a process ----------------------------------------------------------------------

static struct wm_cuda_stream *next_stream(struct wm_cuda_process *process,
                                          struct wm_cuda_stream *stream)
{
    if (!stream)
        return process->thread_streams ? process->thread_streams : process->streams;
    return stream->next || !stream->of_thread ? stream->next : process->streams;
}

static struct wm_cuda_capture *active(const struct wm_cuda_process *process, uint64_t id)
{
    struct wm_cuda_capture *capture = process->captures;
    while (capture && capture->id != id)
        capture = capture->next;
    return capture;
}

static wm_cuda_status invalidate(struct wm_cuda_capture *capture, wm_cuda_status status)
{
    capture->invalid = true;
    return status;
}

// The streams that joined are captured no longer.
static void leave(struct wm_cuda_process *process, struct wm_cuda_capture *capture)
{
    for (struct wm_cuda_stream *s = NULL; (s = next_stream(process, s));) {
        if (s->capture == capture) {
            s->capture = NULL;
            s->front.count = 0;
        }
    }
    struct wm_cuda_capture **link = &process->captures;
    while (*link != capture)
        link = &(*link)->next;
    *link = capture->next;
    capture->graph->capturing = false;
    free(capture);
}

static void drop(struct wm_cuda_process *process, struct wm_cuda_capture *capture)
{
    struct wm_cuda_graph *graph = capture->to_graph ? NULL : capture->graph;
    leave(process, capture);
    wm_cuda_graph_free(process, graph);
}

// The legacy stream waits for all that do not say otherwise, and they for it.
static wm_cuda_status check_legacy(struct wm_cuda_process *process)
{
    wm_cuda_status status = cudaSuccess;
    for (struct wm_cuda_stream *s = NULL; (s = next_stream(process, s));)
        if (s->capture && (s->flags & WM_CUDA_STREAM_NON_BLOCKING) == 0)
            status = invalidate(s->capture, cudaErrorStreamCaptureImplicit);
    return status;
}

wm_cuda_status wm_cuda_stream_for_work(struct wm_cuda_process *process,
                                       wm_cuda_stream_handle handle, struct wm_cuda_stream **stream)
{
    wm_cuda_status status = wm_cuda_stream_resolve(process, handle, stream);
    if (status == cudaSuccess && wm_cuda_is_default(process, *stream))
        status = check_legacy(process);
    if (status == cudaSuccess && (*stream)->capture && (*stream)->capture->invalid)
        status = cudaErrorStreamCaptureInvalidated;
    return status;
}

wm_cuda_status wm_cuda_stream_for_waiting(struct wm_cuda_process *process,
                                          wm_cuda_stream_handle handle,
                                          struct wm_cuda_stream **stream)
{
    wm_cuda_status status = wm_cuda_stream_resolve(process, handle, stream);
    if (status == cudaSuccess && wm_cuda_is_default(process, *stream))
        status = check_legacy(process);
    if (status == cudaSuccess && (*stream)->capture)
        status = invalidate((*stream)->capture, cudaErrorStreamCaptureUnsupported);
    return status;
}

wm_cuda_status wm_cuda_capture_allows(struct wm_cuda_process *process)
{
    struct wm_cuda_thread *thread = wm_cuda_thread();
    wm_cuda_status status = cudaSuccess;
    for (struct wm_cuda_capture *c = process->captures; c; c = c->next) {
        bool own = c->thread == thread && c->mode != WM_CUDA_CAPTURE_RELAXED;
        bool other = c->thread != thread && c->mode == WM_CUDA_CAPTURE_GLOBAL;
        if ((own && thread->capture_mode != WM_CUDA_CAPTURE_RELAXED) ||
            (other && thread->capture_mode == WM_CUDA_CAPTURE_GLOBAL))
            status = invalidate(c, cudaErrorStreamCaptureUnsupported);
    }
    return status;
}

wm_cuda_status wm_cuda_capture_allows_waiting(struct wm_cuda_process *process)
{
    wm_cuda_status status = cudaSuccess;
    for (struct wm_cuda_capture *c = process->captures; c; c = c->next)
        status = invalidate(c, cudaErrorStreamCaptureUnsupported);
    return status;
}

// ---- Beginning and ending ----------------------------------------------------------------------

static wm_cuda_status add_all(struct wm_cuda_process *process, const struct wm_cuda_graph *graph,
                              struct wm_cuda_node_set *set, struct wm_cuda_graph_node *const *nodes,
                              const struct wm_cuda_edge_data *edges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!wm_cuda_node_known(process, nodes[i]) || nodes[i]->graph != graph)
            return cudaErrorInvalidValue;
    wm_cuda_status status = cudaSuccess;
    for (size_t i = 0; i < count && status == cudaSuccess; i++)
        status = insert(set, nodes[i], edges ? &edges[i] : NULL);
    return status;
}

wm_cuda_status wm_cuda_capture_begin(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                     struct wm_cuda_graph *graph,
                                     struct wm_cuda_graph_node *const *dependencies,
                                     const struct wm_cuda_edge_data *edges, size_t count, int mode)
{
    if (mode < WM_CUDA_CAPTURE_GLOBAL || mode > WM_CUDA_CAPTURE_RELAXED ||
        (count > 0 && !dependencies))
        return cudaErrorInvalidValue;
    if (wm_cuda_is_default(process, stream))
        return cudaErrorStreamCaptureUnsupported;
    if (stream->capture || (graph && graph->capturing))
        return cudaErrorIllegalState;
    struct wm_cuda_capture *made = calloc(1, sizeof *made);
    wm_cuda_status status = made ? cudaSuccess : cudaErrorMemoryAllocation;
    stream->front.count = 0;
    if (status == cudaSuccess && graph)
        status = add_all(process, graph, &stream->front, dependencies, edges, count);
    bool own = graph == NULL;
    if (status == cudaSuccess && own)
        status = wm_cuda_graph_new(process, true, &graph);
    if (status != cudaSuccess) {
        free(made);
        return status;
    }
    *made = (struct wm_cuda_capture){
        .next = process->captures,
        .id = ++process->capture_ids,
        .graph = graph,
        .to_graph = !own,
        .origin = stream,
        .thread = wm_cuda_thread(),
        .mode = mode,
    };
    graph->capturing = true;
    process->captures = made;
    stream->capture = made;
    return cudaSuccess;
}

// Marks what the next node of `stream` waits for, with a list of our own: chains may be long. What
// is marked already stays so. False when the host is out of memory.
static bool mark_waited_for(struct wm_cuda_graph *graph, const struct wm_cuda_stream *stream)
{
    struct wm_cuda_graph_node **stack =
        malloc((graph->node_count + 1) * sizeof(struct wm_cuda_graph_node *));
    if (!stack)
        return false;
    size_t depth = 0;
    const struct wm_cuda_node_set *front = &stream->front;
    for (size_t i = 0; i < front->count; i++) {
        if (front->nodes[i]->mark == 0)
            stack[depth++] = front->nodes[i];
        front->nodes[i]->mark = 1;
    }
    while (depth > 0) {
        const struct wm_cuda_graph_edges *edges = &stack[--depth]->dependencies;
        for (uint32_t i = 0; i < edges->count; i++) {
            if (edges->items[i].node->mark == 0) {
                edges->items[i].node->mark = 1;
                stack[depth++] = edges->items[i].node;
            }
        }
    }
    free(stack);
    return true;
}

static void clear_marks(struct wm_cuda_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        graph->nodes[i]->mark = 0;
}

static bool all_marked(const struct wm_cuda_node_set *front)
{
    bool all = true;
    for (size_t i = 0; i < front->count; i++)
        all &= front->nodes[i]->mark == 1;
    return all;
}

// Whether the first stream waits for the work of all that joined.
static bool all_joined(struct wm_cuda_process *process, const struct wm_cuda_capture *capture)
{
    clear_marks(capture->graph);
    bool all = mark_waited_for(capture->graph, capture->origin);
    for (struct wm_cuda_stream *s = NULL; all && (s = next_stream(process, s));)
        all = s->capture != capture || all_marked(&s->front);
    return all;
}

// Whether the other streams of the stream's capture wait for its work.
static bool is_joined(struct wm_cuda_process *process, const struct wm_cuda_stream *stream)
{
    struct wm_cuda_capture *capture = stream->capture;
    clear_marks(capture->graph);
    for (struct wm_cuda_stream *s = NULL; (s = next_stream(process, s));)
        if (s != stream && s->capture == capture && !mark_waited_for(capture->graph, s))
            return false;
    return all_marked(&stream->front);
}

wm_cuda_status wm_cuda_capture_end(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                   struct wm_cuda_graph **graph)
{
    struct wm_cuda_capture *capture = stream->capture;
    if (!capture)
        return cudaErrorIllegalState;
    if (capture->origin != stream)
        return invalidate(capture, cudaErrorStreamCaptureUnmatched);
    if (capture->mode != WM_CUDA_CAPTURE_RELAXED && capture->thread != wm_cuda_thread())
        return cudaErrorStreamCaptureWrongThread;
    wm_cuda_status status = cudaSuccess;
    if (capture->invalid)
        status = cudaErrorStreamCaptureInvalidated;
    else if (!all_joined(process, capture))
        status = cudaErrorStreamCaptureUnjoined;
    if (graph)
        *graph = NULL;
    if (status != cudaSuccess) {
        drop(process, capture);
        return status;
    }
    struct wm_cuda_graph *made = capture->graph;
    if (!capture->to_graph) {
        made->next = process->graphs;
        process->graphs = made;
    }
    leave(process, capture);
    if (graph)
        *graph = made;
    return cudaSuccess;
}

wm_cuda_status wm_cuda_capture_depend(struct wm_cuda_process *process,
                                      struct wm_cuda_stream *stream,
                                      struct wm_cuda_graph_node *const *dependencies,
                                      const struct wm_cuda_edge_data *edges, size_t count,
                                      bool replace)
{
    if (!stream->capture)
        return cudaErrorIllegalState;
    if (count > 0 && !dependencies)
        return cudaErrorInvalidValue;
    struct wm_cuda_node_set wanted = {0};
    wm_cuda_status status = cudaSuccess;
    if (!replace)
        status = merge(&wanted, &stream->front);
    if (status == cudaSuccess)
        status = add_all(process, stream->capture->graph, &wanted, dependencies, edges, count);
    if (status == cudaSuccess) {
        struct wm_cuda_node_set before = stream->front;
        stream->front = wanted;
        wanted = before;
    }
    free_set(&wanted);
    return status;
}

// ---- Work --------------------------------------------------------------------------------------

wm_cuda_status wm_cuda_capture_work(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                    struct wm_cuda_work *work)
{
    struct wm_cuda_graph_node *node;
    struct wm_cuda_node_set *front = &stream->front;
    wm_cuda_status status = wm_cuda_graph_add(process, stream->capture->graph, front->nodes,
                                              front->edges, front->count, work, &node);
    if (status != cudaSuccess)
        return invalidate(stream->capture, status);
    front->count = 0;
    status = insert(front, node, NULL);
    return status == cudaSuccess ? status : invalidate(stream->capture, status);
}

wm_cuda_status wm_cuda_capture_event(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                     struct wm_cuda_event *event, bool external)
{
    if (external) {
        struct wm_cuda_work work = {.kind = WM_CUDA_WORK_EVENT_RECORD, .event = event};
        return wm_cuda_capture_work(process, stream, &work);
    }
    event->captured.count = 0;
    event->capture_id = stream->capture->id;
    return merge(&event->captured, &stream->front);
}

wm_cuda_status wm_cuda_capture_wait(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                    struct wm_cuda_event *event, bool external, bool *captured)
{
    *captured = stream->capture != NULL || event->capture_id != 0;
    if (stream->capture && external) {
        struct wm_cuda_work work = {.kind = WM_CUDA_WORK_EVENT_WAIT, .event = event};
        return wm_cuda_capture_work(process, stream, &work);
    }
    if (event->capture_id == 0)
        return stream->capture ? invalidate(stream->capture, cudaErrorStreamCaptureIsolation)
                               : cudaSuccess;
    struct wm_cuda_capture *capture = active(process, event->capture_id);
    if (!capture)
        return cudaErrorCapturedEvent;
    if (capture->invalid)
        return cudaErrorStreamCaptureInvalidated;
    if (stream->capture && stream->capture != capture) {
        stream->capture->invalid = true;
        return invalidate(capture, cudaErrorStreamCaptureMerge);
    }
    if (wm_cuda_is_default(process, stream))
        return invalidate(capture, cudaErrorStreamCaptureImplicit);
    if (!stream->capture)
        stream->front.count = 0;
    stream->capture = capture;
    return merge(&stream->front, &event->captured);
}

void wm_cuda_stream_free(struct wm_cuda_process *process, struct wm_cuda_stream *stream)
{
    struct wm_cuda_capture *capture = stream->capture;
    if (capture && capture->origin == stream)
        drop(process, capture);
    else if (capture && !is_joined(process, stream))
        capture->invalid = true;
    free_set(&stream->front);
    wm_cuda_stream_leave_order(process, stream);
    free(stream);
}

void wm_cuda_event_free(struct wm_cuda_event *event)
{
    event->destroyed = true;
    if (event->records > 0)
        return;
    free_set(&event->captured);
    wm_shared_event_release(event->shared);
    free(event);
}

void wm_cuda_reset_captures(struct wm_cuda_process *process)
{
    while (process->captures)
        drop(process, process->captures);
}
