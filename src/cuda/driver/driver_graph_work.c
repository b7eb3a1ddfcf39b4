// Nodes of graphs whose work has structs of the driver API's own: kernels, copies, fills, and nodes
// of any kind. Contexts are checked; a kernel runs on the device of its node's.
#include "cuda/driver/driver_box.h"
#include "cuda/driver/driver_forward.h"
#include "cuda/driver/driver_graph_types.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/graph/graph.h"

#include <string.h>

typedef struct wm_cuda_graph *graph_handle;
typedef struct wm_cuda_graph_node *node_handle;
typedef struct wm_cuda_graph_exec *exec_handle;

// Of every function that adds a node.
#define WHERE node_handle *node, graph_handle graph, const node_handle *dependencies, size_t count
#define PLACE node, graph, dependencies, count

// NULL is the current one. The numbers are both APIs'.
static wm_cuda_status check(wm_driver_context_handle context)
{
    return context ? (wm_cuda_status)wm_driver_check_context(context) : cudaSuccess;
}

// ---- Kernels -----------------------------------------------------------------------------------

// Exactly one of function and kernel names what is launched; before CUDA 12 only a function could.
static wm_cuda_status kernel_of(const struct wm_driver_launch_of_node *launch,
                                wm_driver_function kernel, struct wm_cuda_kernel_parameters *to)
{
    if (!launch || (launch->function && kernel))
        return cudaErrorInvalidValue;
    *to = (struct wm_cuda_kernel_parameters){
        .function = launch->function ? launch->function : kernel,
        .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
        .block = {launch->block[0], launch->block[1], launch->block[2]},
        .dynamic_shared_bytes = launch->dynamic_shared_bytes,
        .arguments = launch->arguments,
        .extra = launch->extra,
    };
    return cudaSuccess;
}

// Makes the context's device current, for the node that is made; put_back ends that.
static wm_cuda_status kernel_in_context(const struct wm_driver_kernel_parameters *from,
                                        struct wm_cuda_kernel_parameters *to)
{
    wm_cuda_status status = from ? check(from->context) : cudaErrorInvalidValue;
    if (status == cudaSuccess && from->context)
        (void)wm_cuda_use_device(from->context->device);
    return status == cudaSuccess ? kernel_of(&from->launch, from->kernel, to) : status;
}

static wm_cuda_status put_back(uint32_t device, wm_cuda_status status)
{
    (void)wm_cuda_use_device(device);
    return status;
}

// The node that the runtime API made may name a host function.
static wm_cuda_status get_kernel(node_handle node, struct wm_driver_launch_of_node *to)
{
    struct wm_cuda_kernel_parameters from;
    wm_driver_function function = NULL;
    wm_cuda_status status = to ? cudaGraphKernelNodeGetParams(node, &from) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = cudaGetFuncBySymbol(&function, from.function);
    if (status == cudaSuccess)
        *to = (struct wm_driver_launch_of_node){
            .function = function,
            .grid = {from.grid.x, from.grid.y, from.grid.z},
            .block = {from.block.x, from.block.y, from.block.z},
            .dynamic_shared_bytes = from.dynamic_shared_bytes,
            .arguments = from.arguments,
        };
    return status;
}

WM_CUDA_API wm_driver_result cuGraphKernelNodeGetParams(node_handle node,
                                                        struct wm_driver_launch_of_node *to)
{
    WM_DRIVER_RETURN(get_kernel(node, to));
}

WM_CUDA_API wm_driver_result cuGraphKernelNodeGetParams_v2(node_handle node,
                                                           struct wm_driver_kernel_parameters *to)
{
    struct wm_driver_kernel_parameters got = {0};
    wm_driver_result result = cuGraphKernelNodeGetParams(node, to ? &got.launch : NULL);
    if (result != CUDA_SUCCESS)
        return result;
    got.context = wm_driver_current();
    if (got.context->device != node->work.kernel.device)
        got.context = wm_driver_primary(node->work.kernel.device);
    *to = got;
    return result;
}

#define WITH_KERNEL(translated, call)           \
    struct wm_cuda_kernel_parameters kernel;    \
    wm_driver_result begun = wm_driver_begin(); \
    if (begun)                                  \
        return begun;                           \
    uint32_t device = wm_cuda_thread()->device; \
    wm_cuda_status status = translated;         \
    return wm_driver_end(put_back(device, status == cudaSuccess ? call : status))

WM_CUDA_API wm_driver_result cuGraphAddKernelNode(WHERE,
                                                  const struct wm_driver_launch_of_node *given)
{
    WITH_KERNEL(kernel_of(given, NULL, &kernel), cudaGraphAddKernelNode(PLACE, &kernel));
}

WM_CUDA_API wm_driver_result
cuGraphAddKernelNode_v2(WHERE, const struct wm_driver_kernel_parameters *given)
{
    WITH_KERNEL(kernel_in_context(given, &kernel), cudaGraphAddKernelNode(PLACE, &kernel));
}

WM_CUDA_API wm_driver_result
cuGraphKernelNodeSetParams(node_handle node, const struct wm_driver_launch_of_node *given)
{
    WITH_KERNEL(kernel_of(given, NULL, &kernel), cudaGraphKernelNodeSetParams(node, &kernel));
}

WM_CUDA_API wm_driver_result
cuGraphKernelNodeSetParams_v2(node_handle node, const struct wm_driver_kernel_parameters *given)
{
    WITH_KERNEL(kernel_in_context(given, &kernel), cudaGraphKernelNodeSetParams(node, &kernel));
}

WM_CUDA_API wm_driver_result cuGraphExecKernelNodeSetParams(
    exec_handle exec, node_handle node, const struct wm_driver_launch_of_node *given)
{
    WITH_KERNEL(kernel_of(given, NULL, &kernel),
                cudaGraphExecKernelNodeSetParams(exec, node, &kernel));
}

WM_CUDA_API wm_driver_result cuGraphExecKernelNodeSetParams_v2(
    exec_handle exec, node_handle node, const struct wm_driver_kernel_parameters *given)
{
    WITH_KERNEL(kernel_in_context(given, &kernel),
                cudaGraphExecKernelNodeSetParams(exec, node, &kernel));
}

// ---- Copies and fills --------------------------------------------------------------------------

static wm_cuda_status box_in_context(const struct wm_driver_copy3d *given,
                                     wm_driver_context_handle context, struct wm_cuda_copy3d *to)
{
    wm_cuda_status status = check(context);
    return status == cudaSuccess ? wm_driver_box_to_runtime(given, to) : status;
}

#define WITH_BOX(context, call)                                    \
    struct wm_cuda_copy3d copy;                                    \
    wm_driver_result begun = wm_driver_begin();                    \
    if (begun)                                                     \
        return begun;                                              \
    wm_cuda_status status = box_in_context(given, context, &copy); \
    return wm_driver_end(status == cudaSuccess ? call : status)

WM_CUDA_API wm_driver_result cuGraphAddMemcpyNode(WHERE, const struct wm_driver_copy3d *given,
                                                  wm_driver_context_handle context)
{
    WITH_BOX(context, cudaGraphAddMemcpyNode(PLACE, &copy));
}

WM_CUDA_API wm_driver_result cuGraphMemcpyNodeSetParams(node_handle node,
                                                        const struct wm_driver_copy3d *given)
{
    WITH_BOX(NULL, cudaGraphMemcpyNodeSetParams(node, &copy));
}

WM_CUDA_API wm_driver_result cuGraphExecMemcpyNodeSetParams(exec_handle exec, node_handle node,
                                                            const struct wm_driver_copy3d *given,
                                                            wm_driver_context_handle context)
{
    WITH_BOX(context, cudaGraphExecMemcpyNodeSetParams(exec, node, &copy));
}

WM_CUDA_API wm_driver_result cuGraphMemcpyNodeGetParams(node_handle node,
                                                        struct wm_driver_copy3d *to)
{
    struct wm_cuda_copy3d copy;
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = to ? cudaGraphMemcpyNodeGetParams(node, &copy) : cudaErrorInvalidValue;
    if (status == cudaSuccess)
        wm_driver_box_of_runtime(&copy, to);
    return wm_driver_end(status);
}

WM_CUDA_API wm_driver_result cuGraphAddMemsetNode(WHERE,
                                                  const struct wm_cuda_fill_parameters *given,
                                                  wm_driver_context_handle context)
{
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = check(context);
    return wm_driver_end(status == cudaSuccess ? cudaGraphAddMemsetNode(PLACE, given) : status);
}

WM_CUDA_API wm_driver_result cuGraphExecMemsetNodeSetParams(
    exec_handle exec, node_handle node, const struct wm_cuda_fill_parameters *given,
    wm_driver_context_handle context)
{
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = check(context);
    return wm_driver_end(status == cudaSuccess ? cudaGraphExecMemsetNodeSetParams(exec, node, given)
                                               : status);
}

// ---- Nodes of any kind -------------------------------------------------------------------------

// runtime_graphs.c, where a macro names it.
wm_cuda_status cudaGraphAddNode(node_handle *node, graph_handle graph,
                                const node_handle *dependencies,
                                const struct wm_cuda_edge_data *edges, size_t count,
                                struct wm_cuda_node_parameters *given);

static wm_cuda_status translate(const struct wm_driver_node_parameters *from,
                                struct wm_cuda_node_parameters *to)
{
    if (!from)
        return cudaErrorInvalidValue;
    *to = (struct wm_cuda_node_parameters){.type = from->type};
    switch (from->type) {
    case WM_CUDA_WORK_KERNEL: return kernel_in_context(&from->kernel, &to->kernel);
    case WM_CUDA_WORK_COPY:
        return box_in_context(&from->copy.copy, from->copy.context, &to->copy.copy);
    case WM_CUDA_WORK_FILL: to->fill = from->fill.fill; return check(from->fill.context);
    case WM_CUDA_WORK_OPERATIONS:
        to->operations = from->operations;
        return check(from->operations.context);
    default: memcpy(to->words, from->words, sizeof to->words); return cudaSuccess;
    }
}

// What a node makes (an address, the graphs of a condition) lies where the runtime's struct has it.
static wm_cuda_status add(node_handle *node, graph_handle graph, const node_handle *dependencies,
                          const struct wm_cuda_edge_data *edges, size_t count,
                          struct wm_driver_node_parameters *given)
{
    struct wm_cuda_node_parameters parameters;
    uint32_t device = wm_cuda_thread()->device;
    wm_cuda_status status = translate(given, &parameters);
    if (status == cudaSuccess)
        status = cudaGraphAddNode(node, graph, dependencies, edges, count, &parameters);
    (void)put_back(device, status);
    if (status == cudaSuccess && given->type == WM_CUDA_WORK_ALLOCATE)
        given->allocation.pointer = parameters.allocation.pointer;
    if (status == cudaSuccess && given->type == WM_CUDA_WORK_CONDITIONAL)
        given->condition.graphs = parameters.condition.graphs;
    return status;
}

WM_CUDA_API wm_driver_result cuGraphAddNode_v2(node_handle *node, graph_handle graph,
                                               const node_handle *dependencies,
                                               const struct wm_cuda_edge_data *edges, size_t count,
                                               struct wm_driver_node_parameters *given)
{
    WM_DRIVER_RETURN(add(node, graph, dependencies, edges, count, given));
}

WM_CUDA_API wm_driver_result cuGraphAddNode(WHERE, struct wm_driver_node_parameters *given)
{
    return cuGraphAddNode_v2(node, graph, dependencies, NULL, count, given);
}

static wm_cuda_status set(exec_handle exec, node_handle node,
                          const struct wm_driver_node_parameters *given)
{
    struct wm_cuda_node_parameters parameters;
    uint32_t device = wm_cuda_thread()->device;
    wm_cuda_status status = translate(given, &parameters);
    if (status == cudaSuccess)
        status = exec ? cudaGraphExecNodeSetParams(exec, node, &parameters)
                      : cudaGraphNodeSetParams(node, &parameters);
    return put_back(device, status);
}

WM_CUDA_API wm_driver_result cuGraphNodeSetParams(node_handle node,
                                                  struct wm_driver_node_parameters *given)
{
    WM_DRIVER_RETURN(set(NULL, node, given));
}

WM_CUDA_API wm_driver_result cuGraphExecNodeSetParams(exec_handle exec, node_handle node,
                                                      struct wm_driver_node_parameters *given)
{
    WM_DRIVER_RETURN(exec ? set(exec, node, given) : cudaErrorInvalidValue);
}

WM_CUDA_API wm_driver_result cuGraphConditionalHandleCreate(unsigned long long *handle,
                                                            graph_handle graph,
                                                            wm_driver_context_handle context,
                                                            unsigned first_value, unsigned flags)
{
    wm_driver_result begun = wm_driver_begin();
    if (begun)
        return begun;
    wm_cuda_status status = check(context);
    return wm_driver_end(status == cudaSuccess
                             ? cudaGraphConditionalHandleCreate(handle, graph, first_value, flags)
                             : status);
}
