// Graphs of the driver API as structures, and executable graphs: the runtime API's. The forms of
// before CUDA 12.3 have no data on edges, those of before CUDA 12 other places for what went wrong.
#include "cuda/driver/driver_forward.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/graph/graph_types.h"

typedef struct wm_cuda_graph *graph_handle;
typedef struct wm_cuda_graph_node *node_handle;
typedef struct wm_cuda_graph_exec *exec_handle;
typedef struct wm_cuda_user_object *object_handle;
typedef struct wm_cuda_edge_data edge_data;

// ---- Graphs and nodes --------------------------------------------------------------------------

WM_DRIVER_FORWARD(cuGraphCreate, cudaGraphCreate)
WM_DRIVER_FORWARD(cuGraphDestroy, cudaGraphDestroy)
WM_DRIVER_FORWARD(cuGraphClone, cudaGraphClone)
WM_DRIVER_FORWARD(cuGraphNodeFindInClone, cudaGraphNodeFindInClone)
WM_DRIVER_FORWARD(cuGraphDestroyNode, cudaGraphDestroyNode)
WM_DRIVER_FORWARD(cuGraphNodeGetType, cudaGraphNodeGetType)
WM_DRIVER_FORWARD(cuGraphGetNodes, cudaGraphGetNodes)
WM_DRIVER_FORWARD(cuGraphGetRootNodes, cudaGraphGetRootNodes)
WM_DRIVER_FORWARD(cuGraphDebugDotPrint, cudaGraphDebugDotPrint)

// ---- Edges -------------------------------------------------------------------------------------

WM_DRIVER_FORWARD_AS(cuGraphGetEdges_v2, cudaGraphGetEdges,
                     (graph_handle graph, node_handle *from, node_handle *to, edge_data *edges,
                      size_t *count),
                     (graph, from, to, edges, count))
WM_DRIVER_FORWARD_AS(cuGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies,
                     (node_handle node, node_handle *nodes, edge_data *edges, size_t *count),
                     (node, nodes, edges, count))
WM_DRIVER_FORWARD_AS(cuGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes,
                     (node_handle node, node_handle *nodes, edge_data *edges, size_t *count),
                     (node, nodes, edges, count))
WM_DRIVER_FORWARD_AS(cuGraphAddDependencies_v2, cudaGraphAddDependencies,
                     (graph_handle graph, const node_handle *from, const node_handle *to,
                      const edge_data *edges, size_t count),
                     (graph, from, to, edges, count))
WM_DRIVER_FORWARD_AS(cuGraphRemoveDependencies_v2, cudaGraphRemoveDependencies,
                     (graph_handle graph, const node_handle *from, const node_handle *to,
                      const edge_data *edges, size_t count),
                     (graph, from, to, edges, count))

WM_CUDA_API wm_driver_result cuGraphGetEdges(graph_handle graph, node_handle *from, node_handle *to,
                                             size_t *count)
{
    return cuGraphGetEdges_v2(graph, from, to, NULL, count);
}

WM_CUDA_API wm_driver_result cuGraphNodeGetDependencies(node_handle node, node_handle *nodes,
                                                        size_t *count)
{
    return cuGraphNodeGetDependencies_v2(node, nodes, NULL, count);
}

WM_CUDA_API wm_driver_result cuGraphNodeGetDependentNodes(node_handle node, node_handle *nodes,
                                                          size_t *count)
{
    return cuGraphNodeGetDependentNodes_v2(node, nodes, NULL, count);
}

WM_CUDA_API wm_driver_result cuGraphAddDependencies(graph_handle graph, const node_handle *from,
                                                    const node_handle *to, size_t count)
{
    return cuGraphAddDependencies_v2(graph, from, to, NULL, count);
}

WM_CUDA_API wm_driver_result cuGraphRemoveDependencies(graph_handle graph, const node_handle *from,
                                                       const node_handle *to, size_t count)
{
    return cuGraphRemoveDependencies_v2(graph, from, to, NULL, count);
}

// ---- Objects that graphs hold on to ------------------------------------------------------------

WM_DRIVER_FORWARD(cuUserObjectCreate, cudaUserObjectCreate)
WM_DRIVER_FORWARD(cuUserObjectRetain, cudaUserObjectRetain)
WM_DRIVER_FORWARD(cuUserObjectRelease, cudaUserObjectRelease)
WM_DRIVER_FORWARD(cuGraphRetainUserObject, cudaGraphRetainUserObject)
WM_DRIVER_FORWARD(cuGraphReleaseUserObject, cudaGraphReleaseUserObject)

// ---- Executable graphs -------------------------------------------------------------------------

WM_DRIVER_FORWARD(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags)
WM_DRIVER_FORWARD(cuGraphInstantiateWithParams, cudaGraphInstantiateWithParams)
WM_DRIVER_FORWARD(cuGraphExecGetFlags, cudaGraphExecGetFlags)
WM_DRIVER_FORWARD(cuGraphExecDestroy, cudaGraphExecDestroy)
WM_DRIVER_FORWARD(cuGraphUpload, cudaGraphUpload)
WM_DRIVER_FORWARD(cuGraphLaunch, cudaGraphLaunch)
WM_DRIVER_FORWARD(cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled)
WM_DRIVER_FORWARD(cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled)
WM_DRIVER_PER_THREAD(cuGraphInstantiateWithParams_ptsz, cuGraphInstantiateWithParams)
WM_DRIVER_PER_THREAD(cuGraphUpload_ptsz, cuGraphUpload)
WM_DRIVER_PER_THREAD(cuGraphLaunch_ptsz, cuGraphLaunch)

WM_CUDA_ALIAS(cuGraphInstantiate, cuGraphInstantiate_v2);

// What is wrong is said on standard error, and the log stays empty.
WM_CUDA_API wm_driver_result cuGraphInstantiate_v2(exec_handle *exec, graph_handle graph,
                                                   node_handle *error_node, char *log,
                                                   size_t log_bytes)
{
    struct wm_cuda_instantiate_parameters parameters = {0};
    wm_driver_result result = cuGraphInstantiateWithParams(exec, graph, &parameters);
    if (error_node)
        *error_node = parameters.error_node;
    if (log && log_bytes > 0)
        *log = '\0';
    return result;
}

WM_CUDA_API wm_driver_result cuGraphExecUpdate_v2(exec_handle exec, graph_handle graph,
                                                  struct wm_cuda_update_result *result)
{
    WM_DRIVER_RETURN(cudaGraphExecUpdate(exec, graph, result, NULL));
}

WM_CUDA_API wm_driver_result cuGraphExecUpdate(exec_handle exec, graph_handle graph,
                                               node_handle *error_node, int *result)
{
    if (!error_node || !result)
        return CUDA_ERROR_INVALID_VALUE;
    struct wm_cuda_update_result found = {0};
    wm_driver_result updated = cuGraphExecUpdate_v2(exec, graph, &found);
    *error_node = found.error_node;
    *result = found.result;
    return updated;
}
