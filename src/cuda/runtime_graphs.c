// Functions of graphs, capture and pools that CUDA 12 and 13 name or declare differently.
// Compiled once for each library, with WM_CUDART_MAJOR.
#include "cuda/graph/api_capture.h"
#include "cuda/graph/api_graph.h"
#include "cuda/memory/pool.h"
#include "cuda/runtime_prototypes.h"

typedef struct wm_cuda_graph *graph_handle;
typedef struct wm_cuda_graph_node *node_handle;

#if WM_CUDART_MAJOR == 13
#define WITH_EDGES(name) name
#else
#define WITH_EDGES(name) name##_v2
#endif

#define CHANGE(name, add)                                                                         \
    WM_CUDA_API wm_cuda_status WITH_EDGES(name)(                                                  \
        graph_handle graph, const node_handle *from, const node_handle *to,                       \
        const struct wm_cuda_edge_data *edges, size_t count);                                     \
    wm_cuda_status WITH_EDGES(name)(graph_handle graph, const node_handle *from,                  \
                                    const node_handle *to, const struct wm_cuda_edge_data *edges, \
                                    size_t count)                                                 \
    {                                                                                             \
        return wm_cuda_change_dependencies(graph, from, to, edges, count, add);                   \
    }
#define NEIGHBOURS(name, dependents)                                                               \
    WM_CUDA_API wm_cuda_status WITH_EDGES(name)(node_handle node, node_handle * nodes,             \
                                                struct wm_cuda_edge_data * edges, size_t * count); \
    wm_cuda_status WITH_EDGES(name)(node_handle node, node_handle * nodes,                         \
                                    struct wm_cuda_edge_data * edges, size_t * count)              \
    {                                                                                              \
        return wm_cuda_get_neighbours(node, dependents, nodes, edges, count);                      \
    }

CHANGE(cudaGraphAddDependencies, true)
CHANGE(cudaGraphRemoveDependencies, false)
NEIGHBOURS(cudaGraphNodeGetDependencies, false)
NEIGHBOURS(cudaGraphNodeGetDependentNodes, true)

WM_CUDA_API wm_cuda_status WITH_EDGES(cudaGraphGetEdges)(graph_handle graph, node_handle *from,
                                                         node_handle *to,
                                                         struct wm_cuda_edge_data *edges,
                                                         size_t *count);
WM_CUDA_API wm_cuda_status WITH_EDGES(cudaGraphAddNode)(node_handle *node, graph_handle graph,
                                                        const node_handle *dependencies,
                                                        const struct wm_cuda_edge_data *edges,
                                                        size_t count,
                                                        struct wm_cuda_node_parameters *parameters);

wm_cuda_status WITH_EDGES(cudaGraphGetEdges)(graph_handle graph, node_handle *from, node_handle *to,
                                             struct wm_cuda_edge_data *edges, size_t *count)
{
    return wm_cuda_get_edges(graph, from, to, edges, count);
}

wm_cuda_status WITH_EDGES(cudaGraphAddNode)(node_handle *node, graph_handle graph,
                                            const node_handle *dependencies,
                                            const struct wm_cuda_edge_data *edges, size_t count,
                                            struct wm_cuda_node_parameters *parameters)
{
    struct wm_cuda_dependencies waits = {dependencies, edges, count};
    return wm_cuda_add_any_node(node, graph, &waits, parameters);
}

#if WM_CUDART_MAJOR <= 12
#undef CHANGE
#undef NEIGHBOURS
#define CHANGE(name, add)                                                                   \
    WM_CUDA_API wm_cuda_status name(graph_handle graph, const node_handle *from,            \
                                    const node_handle *to, size_t count);                   \
    wm_cuda_status name(graph_handle graph, const node_handle *from, const node_handle *to, \
                        size_t count)                                                       \
    {                                                                                       \
        return wm_cuda_change_dependencies(graph, from, to, NULL, count, add);              \
    }
#define NEIGHBOURS(name, dependents)                                                      \
    WM_CUDA_API wm_cuda_status name(node_handle node, node_handle *nodes, size_t *count); \
    wm_cuda_status name(node_handle node, node_handle *nodes, size_t *count)              \
    {                                                                                     \
        return wm_cuda_get_neighbours(node, dependents, nodes, NULL, count);              \
    }

CHANGE(cudaGraphAddDependencies, true)
CHANGE(cudaGraphRemoveDependencies, false)
NEIGHBOURS(cudaGraphNodeGetDependencies, false)
NEIGHBOURS(cudaGraphNodeGetDependentNodes, true)

WM_CUDA_API wm_cuda_status cudaGraphGetEdges(graph_handle graph, node_handle *from, node_handle *to,
                                             size_t *count)
{
    return wm_cuda_get_edges(graph, from, to, NULL, count);
}

WM_CUDA_API wm_cuda_status cudaGraphAddNode(node_handle *node, graph_handle graph,
                                            const node_handle *dependencies, size_t count,
                                            struct wm_cuda_node_parameters *parameters)
{
    struct wm_cuda_dependencies waits = {dependencies, NULL, count};
    return wm_cuda_add_any_node(node, graph, &waits, parameters);
}
#endif

// ---- Stream capture ----------------------------------------------------------------------------

#if WM_CUDART_MAJOR == 13
#define CAPTURE_INFO cudaStreamGetCaptureInfo
#define UPDATE_CAPTURE cudaStreamUpdateCaptureDependencies
WM_CUDA_API __typeof__(wm_cuda_get_capture) CAPTURE_INFO;
WM_CUDA_API __typeof__(wm_cuda_update_capture) UPDATE_CAPTURE;
WM_CUDA_VARIANT(wm_cuda_status, cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo,
                (wm_cuda_stream_handle stream, int *state, unsigned long long *id,
                 graph_handle *graph, const node_handle **dependencies,
                 const struct wm_cuda_edge_data **edges, size_t *count),
                (stream, state, id, graph, dependencies, edges, count))
WM_CUDA_VARIANT(wm_cuda_status, cudaStreamUpdateCaptureDependencies_ptsz,
                cudaStreamUpdateCaptureDependencies,
                (wm_cuda_stream_handle stream, node_handle *dependencies,
                 const struct wm_cuda_edge_data *edges, size_t count, unsigned flags),
                (stream, dependencies, edges, count, flags))
#else
#define CAPTURE_INFO cudaStreamGetCaptureInfo_v3
#define UPDATE_CAPTURE cudaStreamUpdateCaptureDependencies_v2
WM_CUDA_API __typeof__(wm_cuda_get_capture) CAPTURE_INFO;
WM_CUDA_API __typeof__(wm_cuda_update_capture) UPDATE_CAPTURE;
WM_CUDA_VARIANT(wm_cuda_status, cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3,
                (wm_cuda_stream_handle stream, int *state, unsigned long long *id,
                 graph_handle *graph, const node_handle **dependencies,
                 const struct wm_cuda_edge_data **edges, size_t *count),
                (stream, state, id, graph, dependencies, edges, count))
WM_CUDA_VARIANT(wm_cuda_status, cudaStreamUpdateCaptureDependencies_v2_ptsz,
                cudaStreamUpdateCaptureDependencies_v2,
                (wm_cuda_stream_handle stream, node_handle *dependencies,
                 const struct wm_cuda_edge_data *edges, size_t count, unsigned flags),
                (stream, dependencies, edges, count, flags))
#endif

wm_cuda_status CAPTURE_INFO(wm_cuda_stream_handle stream, int *state, unsigned long long *id,
                            graph_handle *graph, const node_handle **dependencies,
                            const struct wm_cuda_edge_data **edges, size_t *count)
{
    return wm_cuda_get_capture(stream, state, id, graph, dependencies, edges, count);
}

wm_cuda_status UPDATE_CAPTURE(wm_cuda_stream_handle stream, node_handle *dependencies,
                              const struct wm_cuda_edge_data *edges, size_t count, unsigned flags)
{
    return wm_cuda_update_capture(stream, dependencies, edges, count, flags);
}

#if WM_CUDART_MAJOR <= 12
WM_CUDA_PER_THREAD(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo)
WM_CUDA_PER_THREAD(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2)
WM_CUDA_PER_THREAD(cudaStreamUpdateCaptureDependencies_ptsz, cudaStreamUpdateCaptureDependencies)

WM_CUDA_API wm_cuda_status cudaStreamGetCaptureInfo(wm_cuda_stream_handle stream, int *state,
                                                    unsigned long long *id)
{
    return wm_cuda_get_capture(stream, state, id, NULL, NULL, NULL, NULL);
}

WM_CUDA_API wm_cuda_status cudaStreamGetCaptureInfo_v2(wm_cuda_stream_handle stream, int *state,
                                                       unsigned long long *id, graph_handle *graph,
                                                       const node_handle **dependencies,
                                                       size_t *count)
{
    return wm_cuda_get_capture(stream, state, id, graph, dependencies, NULL, count);
}

WM_CUDA_API wm_cuda_status cudaStreamUpdateCaptureDependencies(wm_cuda_stream_handle stream,
                                                               node_handle *dependencies,
                                                               size_t count, unsigned flags)
{
    return wm_cuda_update_capture(stream, dependencies, NULL, count, flags);
}
#endif

// ---- Pools by location -------------------------------------------------------------------------

#if WM_CUDART_MAJOR == 13

// There are pools of pinned memory on devices only.
static wm_cuda_status check_pool_place(const struct wm_cuda_location *location, int type)
{
    if (!location || type < 1 || type > 2 || location->type < WM_CUDA_LOCATION_DEVICE ||
        location->type > WM_CUDA_LOCATION_HOST_NUMA_CURRENT)
        return cudaErrorInvalidValue;
    bool known = type == 1 && location->type == WM_CUDA_LOCATION_DEVICE;
    return known ? cudaSuccess : cudaErrorNotSupported;
}

WM_CUDA_API wm_cuda_status cudaMemGetDefaultMemPool(struct wm_cuda_pool **pool,
                                                    const struct wm_cuda_location *location,
                                                    int type)
{
    wm_cuda_status status = check_pool_place(location, type);
    return status == cudaSuccess ? cudaDeviceGetDefaultMemPool(pool, location->id)
                                 : wm_cuda_set_last_error(status);
}

WM_CUDA_API wm_cuda_status cudaMemGetMemPool(struct wm_cuda_pool **pool,
                                             const struct wm_cuda_location *location, int type)
{
    wm_cuda_status status = check_pool_place(location, type);
    return status == cudaSuccess ? cudaDeviceGetMemPool(pool, location->id)
                                 : wm_cuda_set_last_error(status);
}

WM_CUDA_API wm_cuda_status cudaMemSetMemPool(const struct wm_cuda_location *location, int type,
                                             struct wm_cuda_pool *pool)
{
    wm_cuda_status status = check_pool_place(location, type);
    return status == cudaSuccess ? cudaDeviceSetMemPool(location->id, pool)
                                 : wm_cuda_set_last_error(status);
}
#endif
