// Nodes of graphs in the driver API, of the kinds that are described as in the runtime API.
#include "cuda/driver/driver_forward.h"
#include "cuda/graph/graph_types.h"

typedef struct wm_cuda_graph *graph_handle;
typedef struct wm_cuda_graph_node *node_handle;
typedef struct wm_cuda_graph_exec *exec_handle;

WM_DRIVER_FORWARD(cuGraphAddHostNode, cudaGraphAddHostNode,
                  (node_handle * node, graph_handle graph, const node_handle *dependencies,
                   size_t count, const struct wm_cuda_host_parameters *given),
                  (node, graph, dependencies, count, given))
WM_DRIVER_FORWARD(cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams,
                  (node_handle node, struct wm_cuda_host_parameters *to), (node, to))
WM_DRIVER_FORWARD(cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams,
                  (node_handle node, const struct wm_cuda_host_parameters *given), (node, given))
WM_DRIVER_FORWARD(cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams,
                  (exec_handle exec, node_handle node, const struct wm_cuda_host_parameters *given),
                  (exec, node, given))
WM_DRIVER_FORWARD(cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode,
                  (node_handle * node, graph_handle graph, const node_handle *dependencies,
                   size_t count, graph_handle child),
                  (node, graph, dependencies, count, child))
WM_DRIVER_FORWARD(cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph,
                  (node_handle node, graph_handle *to), (node, to))
WM_DRIVER_FORWARD(cuGraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams,
                  (exec_handle exec, node_handle node, graph_handle child), (exec, node, child))
WM_DRIVER_FORWARD(cuGraphAddEmptyNode, cudaGraphAddEmptyNode,
                  (node_handle * node, graph_handle graph, const node_handle *dependencies,
                   size_t count),
                  (node, graph, dependencies, count))
WM_DRIVER_FORWARD(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode,
                  (node_handle * node, graph_handle graph, const node_handle *dependencies,
                   size_t count, wm_cuda_event_handle event),
                  (node, graph, dependencies, count, event))
WM_DRIVER_FORWARD(cuGraphEventRecordNodeGetEvent, cudaGraphEventRecordNodeGetEvent,
                  (node_handle node, wm_cuda_event_handle *to), (node, to))
WM_DRIVER_FORWARD(cuGraphEventRecordNodeSetEvent, cudaGraphEventRecordNodeSetEvent,
                  (node_handle node, wm_cuda_event_handle event), (node, event))
WM_DRIVER_FORWARD(cuGraphExecEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent,
                  (exec_handle exec, node_handle node, wm_cuda_event_handle event),
                  (exec, node, event))
WM_DRIVER_FORWARD(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode,
                  (node_handle * node, graph_handle graph, const node_handle *dependencies,
                   size_t count, wm_cuda_event_handle event),
                  (node, graph, dependencies, count, event))
WM_DRIVER_FORWARD(cuGraphEventWaitNodeGetEvent, cudaGraphEventWaitNodeGetEvent,
                  (node_handle node, wm_cuda_event_handle *to), (node, to))
WM_DRIVER_FORWARD(cuGraphEventWaitNodeSetEvent, cudaGraphEventWaitNodeSetEvent,
                  (node_handle node, wm_cuda_event_handle event), (node, event))
WM_DRIVER_FORWARD(cuGraphExecEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent,
                  (exec_handle exec, node_handle node, wm_cuda_event_handle event),
                  (exec, node, event))
WM_DRIVER_FORWARD(cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode,
                  (node_handle * node, graph_handle graph, const node_handle *dependencies,
                   size_t count, struct wm_cuda_allocation_parameters *given),
                  (node, graph, dependencies, count, given))
WM_DRIVER_FORWARD(cuGraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams,
                  (node_handle node, struct wm_cuda_allocation_parameters *to), (node, to))
WM_DRIVER_FORWARD(cuGraphAddMemFreeNode, cudaGraphAddMemFreeNode,
                  (node_handle * node, graph_handle graph, const node_handle *dependencies,
                   size_t count, void *pointer),
                  (node, graph, dependencies, count, pointer))
WM_DRIVER_FORWARD(cuGraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams,
                  (node_handle node, void *to), (node, to))
WM_DRIVER_FORWARD(cuGraphKernelNodeCopyAttributes, cudaGraphKernelNodeCopyAttributes,
                  (node_handle to, node_handle from), (to, from))
WM_DRIVER_FORWARD(cuGraphKernelNodeGetAttribute, cudaGraphKernelNodeGetAttribute,
                  (node_handle node, int attribute, void *value), (node, attribute, value))
WM_DRIVER_FORWARD(cuGraphKernelNodeSetAttribute, cudaGraphKernelNodeSetAttribute,
                  (node_handle node, int attribute, const void *value), (node, attribute, value))
WM_DRIVER_FORWARD(cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams,
                  (node_handle node, struct wm_cuda_fill_parameters *to), (node, to))
WM_DRIVER_FORWARD(cuGraphMemsetNodeSetParams, cudaGraphMemsetNodeSetParams,
                  (node_handle node, const struct wm_cuda_fill_parameters *given), (node, given))
