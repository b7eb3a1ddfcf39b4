// Stream capture of the driver API: the runtime API's.
#include "cuda/driver/driver_forward.h"
#include "cuda/graph/api_capture.h"

typedef struct wm_cuda_graph *graph_handle;
typedef struct wm_cuda_graph_node *node_handle;
typedef struct wm_cuda_edge_data edge_data;

WM_DRIVER_FORWARD(cuStreamBeginCapture_v2, cudaStreamBeginCapture,
                  (wm_cuda_stream_handle stream, int mode), (stream, mode))
WM_DRIVER_FORWARD(cuStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph,
                  (wm_cuda_stream_handle stream, graph_handle graph,
                   const node_handle *dependencies, const edge_data *edges, size_t count, int mode),
                  (stream, graph, dependencies, edges, count, mode))
WM_DRIVER_FORWARD(cuStreamEndCapture, cudaStreamEndCapture,
                  (wm_cuda_stream_handle stream, graph_handle *graph), (stream, graph))
WM_DRIVER_FORWARD(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode,
                  (int *mode), (mode))
WM_DRIVER_FORWARD(cuStreamGetCaptureInfo_v3, wm_cuda_get_capture,
                  (wm_cuda_stream_handle stream, int *state, unsigned long long *id,
                   graph_handle *graph, node_handle const **dependencies, const edge_data **edges,
                   size_t *count),
                  (stream, state, id, graph, dependencies, edges, count))
WM_DRIVER_FORWARD(cuStreamUpdateCaptureDependencies_v2, wm_cuda_update_capture,
                  (wm_cuda_stream_handle stream, node_handle *dependencies, const edge_data *edges,
                   size_t count, unsigned flags),
                  (stream, dependencies, edges, count, flags))
WM_DRIVER_PER_THREAD(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2,
                     (wm_cuda_stream_handle stream, int mode), (stream, mode))
WM_DRIVER_PER_THREAD(cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph,
                     (wm_cuda_stream_handle stream, graph_handle graph,
                      const node_handle *dependencies, const edge_data *edges, size_t count,
                      int mode),
                     (stream, graph, dependencies, edges, count, mode))
WM_DRIVER_PER_THREAD(cuStreamEndCapture_ptsz, cuStreamEndCapture,
                     (wm_cuda_stream_handle stream, graph_handle *graph), (stream, graph))
WM_DRIVER_PER_THREAD(cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3,
                     (wm_cuda_stream_handle stream, int *state, unsigned long long *id,
                      graph_handle *graph, node_handle const **dependencies,
                      const edge_data **edges, size_t *count),
                     (stream, state, id, graph, dependencies, edges, count))
WM_DRIVER_PER_THREAD(cuStreamUpdateCaptureDependencies_v2_ptsz,
                     cuStreamUpdateCaptureDependencies_v2,
                     (wm_cuda_stream_handle stream, node_handle *dependencies,
                      const edge_data *edges, size_t count, unsigned flags),
                     (stream, dependencies, edges, count, flags))

// ---- Earlier forms -----------------------------------------------------------------------------

WM_CUDA_API wm_driver_result cuStreamBeginCapture(wm_cuda_stream_handle stream);
WM_CUDA_API wm_driver_result cuStreamGetCaptureInfo(wm_cuda_stream_handle stream, int *state,
                                                    unsigned long long *id);
WM_CUDA_API wm_driver_result cuStreamGetCaptureInfo_v2(wm_cuda_stream_handle stream, int *state,
                                                       unsigned long long *id, graph_handle *graph,
                                                       node_handle const **dependencies,
                                                       size_t *count);
WM_CUDA_API wm_driver_result cuStreamUpdateCaptureDependencies(wm_cuda_stream_handle stream,
                                                               node_handle *dependencies,
                                                               size_t count, unsigned flags);
WM_DRIVER_PER_THREAD(cuStreamBeginCapture_ptsz, cuStreamBeginCapture,
                     (wm_cuda_stream_handle stream), (stream))
WM_DRIVER_PER_THREAD(cuStreamGetCaptureInfo_ptsz, cuStreamGetCaptureInfo,
                     (wm_cuda_stream_handle stream, int *state, unsigned long long *id),
                     (stream, state, id))
WM_DRIVER_PER_THREAD(cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v2,
                     (wm_cuda_stream_handle stream, int *state, unsigned long long *id,
                      graph_handle *graph, node_handle const **dependencies, size_t *count),
                     (stream, state, id, graph, dependencies, count))
WM_DRIVER_PER_THREAD(cuStreamUpdateCaptureDependencies_ptsz, cuStreamUpdateCaptureDependencies,
                     (wm_cuda_stream_handle stream, node_handle *dependencies, size_t count,
                      unsigned flags),
                     (stream, dependencies, count, flags))

wm_driver_result cuStreamBeginCapture(wm_cuda_stream_handle stream)
{
    return cuStreamBeginCapture_v2(stream, WM_CUDA_CAPTURE_GLOBAL);
}

wm_driver_result cuStreamGetCaptureInfo(wm_cuda_stream_handle stream, int *state,
                                        unsigned long long *id)
{
    return cuStreamGetCaptureInfo_v3(stream, state, id, NULL, NULL, NULL, NULL);
}

wm_driver_result cuStreamGetCaptureInfo_v2(wm_cuda_stream_handle stream, int *state,
                                           unsigned long long *id, graph_handle *graph,
                                           node_handle const **dependencies, size_t *count)
{
    return cuStreamGetCaptureInfo_v3(stream, state, id, graph, dependencies, NULL, count);
}

wm_driver_result cuStreamUpdateCaptureDependencies(wm_cuda_stream_handle stream,
                                                   node_handle *dependencies, size_t count,
                                                   unsigned flags)
{
    return cuStreamUpdateCaptureDependencies_v2(stream, dependencies, NULL, count, flags);
}
