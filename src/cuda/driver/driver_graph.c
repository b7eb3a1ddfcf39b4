// Graphs of the driver API as structures, and executable graphs: the runtime API's. The forms of
// before CUDA 12.3 have no data on edges, those of before CUDA 12 other places for what went wrong.
#include "cuda/driver/driver_forward.h"
#include "cuda/graph/graph_types.h"

typedef struct wm_cuda_graph *graph_handle;
typedef struct wm_cuda_graph_node *node_handle;
typedef struct wm_cuda_graph_exec *exec_handle;
typedef struct wm_cuda_user_object *object_handle;
typedef struct wm_cuda_edge_data edge_data;

// ---- Graphs and nodes --------------------------------------------------------------------------

WM_DRIVER_FORWARD(cuGraphCreate, cudaGraphCreate, (graph_handle * graph, unsigned flags),
                  (graph, flags))
WM_DRIVER_FORWARD(cuGraphDestroy, cudaGraphDestroy, (graph_handle graph), (graph))
WM_DRIVER_FORWARD(cuGraphClone, cudaGraphClone, (graph_handle * clone, graph_handle original),
                  (clone, original))
WM_DRIVER_FORWARD(cuGraphNodeFindInClone, cudaGraphNodeFindInClone,
                  (node_handle * node, node_handle original, graph_handle clone),
                  (node, original, clone))
WM_DRIVER_FORWARD(cuGraphDestroyNode, cudaGraphDestroyNode, (node_handle node), (node))
WM_DRIVER_FORWARD(cuGraphNodeGetType, cudaGraphNodeGetType, (node_handle node, int *type),
                  (node, type))
WM_DRIVER_FORWARD(cuGraphGetNodes, cudaGraphGetNodes,
                  (graph_handle graph, node_handle *nodes, size_t *count), (graph, nodes, count))
WM_DRIVER_FORWARD(cuGraphGetRootNodes, cudaGraphGetRootNodes,
                  (graph_handle graph, node_handle *nodes, size_t *count), (graph, nodes, count))
WM_DRIVER_FORWARD(cuGraphDebugDotPrint, cudaGraphDebugDotPrint,
                  (graph_handle graph, const char *path, unsigned flags), (graph, path, flags))

// ---- Edges -------------------------------------------------------------------------------------

WM_DRIVER_FORWARD(cuGraphGetEdges_v2, cudaGraphGetEdges,
                  (graph_handle graph, node_handle *from, node_handle *to, edge_data *edges,
                   size_t *count),
                  (graph, from, to, edges, count))
WM_DRIVER_FORWARD(cuGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies,
                  (node_handle node, node_handle *nodes, edge_data *edges, size_t *count),
                  (node, nodes, edges, count))
WM_DRIVER_FORWARD(cuGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes,
                  (node_handle node, node_handle *nodes, edge_data *edges, size_t *count),
                  (node, nodes, edges, count))
WM_DRIVER_FORWARD(cuGraphAddDependencies_v2, cudaGraphAddDependencies,
                  (graph_handle graph, const node_handle *from, const node_handle *to,
                   const edge_data *edges, size_t count),
                  (graph, from, to, edges, count))
WM_DRIVER_FORWARD(cuGraphRemoveDependencies_v2, cudaGraphRemoveDependencies,
                  (graph_handle graph, const node_handle *from, const node_handle *to,
                   const edge_data *edges, size_t count),
                  (graph, from, to, edges, count))

WM_CUDA_API wm_driver_result cuGraphGetEdges(graph_handle graph, node_handle *from, node_handle *to,
                                             size_t *count);
WM_CUDA_API wm_driver_result cuGraphNodeGetDependencies(node_handle node, node_handle *nodes,
                                                        size_t *count);
WM_CUDA_API wm_driver_result cuGraphNodeGetDependentNodes(node_handle node, node_handle *nodes,
                                                          size_t *count);
WM_CUDA_API wm_driver_result cuGraphAddDependencies(graph_handle graph, const node_handle *from,
                                                    const node_handle *to, size_t count);
WM_CUDA_API wm_driver_result cuGraphRemoveDependencies(graph_handle graph, const node_handle *from,
                                                       const node_handle *to, size_t count);

wm_driver_result cuGraphGetEdges(graph_handle graph, node_handle *from, node_handle *to,
                                 size_t *count)
{
    return cuGraphGetEdges_v2(graph, from, to, NULL, count);
}

wm_driver_result cuGraphNodeGetDependencies(node_handle node, node_handle *nodes, size_t *count)
{
    return cuGraphNodeGetDependencies_v2(node, nodes, NULL, count);
}

wm_driver_result cuGraphNodeGetDependentNodes(node_handle node, node_handle *nodes, size_t *count)
{
    return cuGraphNodeGetDependentNodes_v2(node, nodes, NULL, count);
}

wm_driver_result cuGraphAddDependencies(graph_handle graph, const node_handle *from,
                                        const node_handle *to, size_t count)
{
    return cuGraphAddDependencies_v2(graph, from, to, NULL, count);
}

wm_driver_result cuGraphRemoveDependencies(graph_handle graph, const node_handle *from,
                                           const node_handle *to, size_t count)
{
    return cuGraphRemoveDependencies_v2(graph, from, to, NULL, count);
}

// ---- Objects that graphs hold on to ------------------------------------------------------------

WM_DRIVER_FORWARD(cuUserObjectCreate, cudaUserObjectCreate,
                  (object_handle * object, void *pointer, wm_cuda_host_function *destructor,
                   unsigned references, unsigned flags),
                  (object, pointer, destructor, references, flags))
WM_DRIVER_FORWARD(cuUserObjectRetain, cudaUserObjectRetain, (object_handle object, unsigned count),
                  (object, count))
WM_DRIVER_FORWARD(cuUserObjectRelease, cudaUserObjectRelease,
                  (object_handle object, unsigned count), (object, count))
WM_DRIVER_FORWARD(cuGraphRetainUserObject, cudaGraphRetainUserObject,
                  (graph_handle graph, object_handle object, unsigned count, unsigned flags),
                  (graph, object, count, flags))
WM_DRIVER_FORWARD(cuGraphReleaseUserObject, cudaGraphReleaseUserObject,
                  (graph_handle graph, object_handle object, unsigned count),
                  (graph, object, count))

// ---- Executable graphs -------------------------------------------------------------------------

WM_DRIVER_FORWARD(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags,
                  (exec_handle * exec, graph_handle graph, unsigned long long flags),
                  (exec, graph, flags))
WM_DRIVER_FORWARD(cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams,
                  (exec_handle * exec, graph_handle graph,
                   struct wm_cuda_instantiate_parameters *parameters),
                  (exec, graph, parameters))
WM_DRIVER_FORWARD(cuGraphExecGetFlags, cudaGraphExecGetFlags,
                  (exec_handle exec, unsigned long long *flags), (exec, flags))
WM_DRIVER_FORWARD(cuGraphExecDestroy, cudaGraphExecDestroy, (exec_handle exec), (exec))
WM_DRIVER_FORWARD(cuGraphUpload, cudaGraphUpload, (exec_handle exec, wm_cuda_stream_handle stream),
                  (exec, stream))
WM_DRIVER_FORWARD(cuGraphLaunch, cudaGraphLaunch, (exec_handle exec, wm_cuda_stream_handle stream),
                  (exec, stream))
WM_DRIVER_FORWARD(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled,
                  (exec_handle exec, node_handle node, unsigned enabled), (exec, node, enabled))
WM_DRIVER_FORWARD(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled,
                  (exec_handle exec, node_handle node, unsigned *enabled), (exec, node, enabled))
WM_DRIVER_PER_THREAD(cuGraphInstantiateWithParams_ptsz, cuGraphInstantiateWithParams,
                     (exec_handle * exec, graph_handle graph,
                      struct wm_cuda_instantiate_parameters *parameters),
                     (exec, graph, parameters))
WM_DRIVER_PER_THREAD(cuGraphUpload_ptsz, cuGraphUpload,
                     (exec_handle exec, wm_cuda_stream_handle stream), (exec, stream))
WM_DRIVER_PER_THREAD(cuGraphLaunch_ptsz, cuGraphLaunch,
                     (exec_handle exec, wm_cuda_stream_handle stream), (exec, stream))

WM_CUDA_API wm_driver_result cuGraphInstantiate_v2(exec_handle *exec, graph_handle graph,
                                                   node_handle *error_node, char *log,
                                                   size_t log_bytes);
WM_CUDA_API wm_driver_result cuGraphExecUpdate_v2(exec_handle exec, graph_handle graph,
                                                  struct wm_cuda_update_result *result);
WM_CUDA_API wm_driver_result cuGraphExecUpdate(exec_handle exec, graph_handle graph,
                                               node_handle *error_node, int *result);
WM_CUDA_ALIAS(cuGraphInstantiate, cuGraphInstantiate_v2);
wm_cuda_status cudaGraphExecUpdate(exec_handle exec, graph_handle graph, void *result,
                                   int *result_of_11);

// What is wrong is said on standard error, and the log stays empty.
wm_driver_result cuGraphInstantiate_v2(exec_handle *exec, graph_handle graph,
                                       node_handle *error_node, char *log, size_t log_bytes)
{
    struct wm_cuda_instantiate_parameters parameters = {0};
    wm_driver_result result = cuGraphInstantiateWithParams(exec, graph, &parameters);
    if (error_node)
        *error_node = parameters.error_node;
    if (log && log_bytes > 0)
        *log = '\0';
    return result;
}

wm_driver_result cuGraphExecUpdate_v2(exec_handle exec, graph_handle graph,
                                      struct wm_cuda_update_result *result)
{
    WM_DRIVER_RETURN(cudaGraphExecUpdate(exec, graph, result, NULL));
}

wm_driver_result cuGraphExecUpdate(exec_handle exec, graph_handle graph, node_handle *error_node,
                                   int *result)
{
    if (!error_node || !result)
        return CUDA_ERROR_INVALID_VALUE;
    struct wm_cuda_update_result found = {0};
    wm_driver_result updated = cuGraphExecUpdate_v2(exec, graph, &found);
    *error_node = found.error_node;
    *result = found.result;
    return updated;
}
