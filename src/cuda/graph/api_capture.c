// Stream capture, but for the functions that differ between CUDA 12 and 13.
#include "cuda/graph/api_capture.h"
#include "cuda/runtime_prototypes.h"

WM_CUDA_PER_THREAD(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture)
WM_CUDA_PER_THREAD(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph)
WM_CUDA_PER_THREAD(cudaStreamEndCapture_ptsz, cudaStreamEndCapture)
WM_CUDA_PER_THREAD(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing)

WM_CUDA_API wm_cuda_status cudaStreamBeginCapture(wm_cuda_stream_handle handle, int mode)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    wm_cuda_status status = wm_cuda_enter_stream(&process, handle, &stream);
    if (status == cudaSuccess)
        status = wm_cuda_capture_begin(process, stream, NULL, NULL, NULL, 0, mode);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status
cudaStreamBeginCaptureToGraph(wm_cuda_stream_handle handle, struct wm_cuda_graph *graph,
                              struct wm_cuda_graph_node *const *dependencies,
                              const struct wm_cuda_edge_data *edges, size_t count, int mode)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    wm_cuda_status status = wm_cuda_enter_stream(&process, handle, &stream);
    if (status == cudaSuccess && !wm_cuda_graph_known(process, graph))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_capture_begin(process, stream, graph, dependencies, edges, count, mode);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaStreamEndCapture(wm_cuda_stream_handle handle,
                                                struct wm_cuda_graph **graph)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    wm_cuda_status status = wm_cuda_enter_stream(&process, handle, &stream);
    if (status == cudaSuccess)
        status = wm_cuda_capture_end(process, stream, graph);
    return wm_cuda_leave(process, status);
}

// What a stream is doing: cudaStreamCaptureStatus. The legacy stream cannot say while a stream that
// it would wait for is capturing.
static wm_cuda_status state_of(struct wm_cuda_process *process, const struct wm_cuda_stream *stream,
                               int *state)
{
    *state = stream->capture ? 1 + stream->capture->invalid : 0;
    if (!wm_cuda_is_default(process, stream))
        return cudaSuccess;
    for (const struct wm_cuda_capture *c = process->captures; c; c = c->next)
        if ((c->origin->flags & WM_CUDA_STREAM_NON_BLOCKING) == 0)
            return cudaErrorStreamCaptureImplicit;
    return cudaSuccess;
}

WM_CUDA_API wm_cuda_status cudaStreamIsCapturing(wm_cuda_stream_handle handle, int *state)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    wm_cuda_status status = wm_cuda_enter_stream(&process, handle, &stream);
    if (status == cudaSuccess)
        status = state ? state_of(process, stream, state) : cudaErrorInvalidValue;
    return wm_cuda_leave(process, status);
}

wm_cuda_status wm_cuda_get_capture(wm_cuda_stream_handle handle, int *state, unsigned long long *id,
                                   struct wm_cuda_graph **graph,
                                   struct wm_cuda_graph_node *const **dependencies,
                                   const struct wm_cuda_edge_data **edges, size_t *count)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    wm_cuda_status status = wm_cuda_enter_stream(&process, handle, &stream);
    if (status == cudaSuccess)
        status = state ? state_of(process, stream, state) : cudaErrorInvalidValue;
    if (status == cudaSuccess && *state == 1) {
        const struct wm_cuda_node_set *front = &stream->front;
        for (size_t i = 0; dependencies && !edges && i < front->count; i++)
            if (!wm_cuda_edge_plain(&front->edges[i]))
                status = cudaErrorLossyQuery;
        if (id)
            *id = stream->capture->id;
        if (graph)
            *graph = stream->capture->graph;
        if (dependencies)
            *dependencies = front->nodes;
        if (edges)
            *edges = front->edges;
        if (count)
            *count = front->count;
    }
    return wm_cuda_leave(process, status);
}

wm_cuda_status wm_cuda_update_capture(wm_cuda_stream_handle handle,
                                      struct wm_cuda_graph_node **dependencies,
                                      const struct wm_cuda_edge_data *edges, size_t count,
                                      unsigned flags)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    wm_cuda_status status = wm_cuda_enter_stream(&process, handle, &stream);
    if (status == cudaSuccess && flags > 1)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_capture_depend(process, stream, dependencies, edges, count, flags == 1);
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaThreadExchangeStreamCaptureMode(int *mode)
{
    struct wm_cuda_thread *thread = wm_cuda_thread();
    if (!mode || *mode < WM_CUDA_CAPTURE_GLOBAL || *mode > WM_CUDA_CAPTURE_RELAXED)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    int before = thread->capture_mode;
    thread->capture_mode = *mode;
    *mode = before;
    return cudaSuccess;
}
