// Stream capture of the driver API: the runtime API's.
#include "cuda/driver/driver_forward.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/graph/api_capture.h"

typedef struct wm_cuda_graph *graph_handle;
typedef struct wm_cuda_graph_node *node_handle;
typedef struct wm_cuda_edge_data edge_data;

WM_DRIVER_FORWARD(cuStreamBeginCapture_v2, cudaStreamBeginCapture)
WM_DRIVER_FORWARD(cuStreamBeginCaptureToGraph, cudaStreamBeginCaptureToGraph)
WM_DRIVER_FORWARD(cuStreamEndCapture, cudaStreamEndCapture)
WM_DRIVER_FORWARD(cuThreadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode)
WM_DRIVER_FORWARD_AS(cuStreamGetCaptureInfo_v3, wm_cuda_get_capture,
                     (wm_cuda_stream_handle stream, int *state, unsigned long long *id,
                      graph_handle *graph, node_handle const **dependencies,
                      const edge_data **edges, size_t *count),
                     (stream, state, id, graph, dependencies, edges, count))
WM_DRIVER_FORWARD_AS(cuStreamUpdateCaptureDependencies_v2, wm_cuda_update_capture,
                     (wm_cuda_stream_handle stream, node_handle *dependencies,
                      const edge_data *edges, size_t count, unsigned flags),
                     (stream, dependencies, edges, count, flags))
WM_DRIVER_PER_THREAD(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2)
WM_DRIVER_PER_THREAD(cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph)
WM_DRIVER_PER_THREAD(cuStreamEndCapture_ptsz, cuStreamEndCapture)
WM_CUDA_VARIANT(wm_driver_result, cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3,
                (wm_cuda_stream_handle stream, int *state, unsigned long long *id,
                 graph_handle *graph, node_handle const **dependencies, const edge_data **edges,
                 size_t *count),
                (stream, state, id, graph, dependencies, edges, count))
WM_CUDA_VARIANT(wm_driver_result, cuStreamUpdateCaptureDependencies_v2_ptsz,
                cuStreamUpdateCaptureDependencies_v2,
                (wm_cuda_stream_handle stream, node_handle *dependencies, const edge_data *edges,
                 size_t count, unsigned flags),
                (stream, dependencies, edges, count, flags))

// ---- Earlier forms -----------------------------------------------------------------------------

WM_DRIVER_PER_THREAD(cuStreamBeginCapture_ptsz, cuStreamBeginCapture)
WM_DRIVER_PER_THREAD(cuStreamGetCaptureInfo_ptsz, cuStreamGetCaptureInfo)
WM_DRIVER_PER_THREAD(cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v2)
WM_DRIVER_PER_THREAD(cuStreamUpdateCaptureDependencies_ptsz, cuStreamUpdateCaptureDependencies)

WM_CUDA_API wm_driver_result cuStreamBeginCapture(wm_cuda_stream_handle stream)
{
    return cuStreamBeginCapture_v2(stream, WM_CUDA_CAPTURE_GLOBAL);
}

WM_CUDA_API wm_driver_result cuStreamGetCaptureInfo(wm_cuda_stream_handle stream, int *state,
                                                    unsigned long long *id)
{
    return cuStreamGetCaptureInfo_v3(stream, state, id, NULL, NULL, NULL, NULL);
}

WM_CUDA_API wm_driver_result cuStreamGetCaptureInfo_v2(wm_cuda_stream_handle stream, int *state,
                                                       unsigned long long *id, graph_handle *graph,
                                                       node_handle const **dependencies,
                                                       size_t *count)
{
    return cuStreamGetCaptureInfo_v3(stream, state, id, graph, dependencies, NULL, count);
}

WM_CUDA_API wm_driver_result cuStreamUpdateCaptureDependencies(wm_cuda_stream_handle stream,
                                                               node_handle *dependencies,
                                                               size_t count, unsigned flags)
{
    return cuStreamUpdateCaptureDependencies_v2(stream, dependencies, NULL, count, flags);
}
