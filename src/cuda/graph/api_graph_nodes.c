// Nodes of graphs, kind by kind: adding them, and reading and changing what they do.
#include "cuda/graph/api_graph.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/runtime_prototypes.h"

#include <string.h>

typedef struct wm_cuda_graph *graph_handle;
typedef struct wm_cuda_graph_node *node_handle;

// Of every function that adds a node: the graph and what the node waits for.
#define WHERE graph_handle graph, const node_handle *dependencies, size_t count
#define ADD(make, given)                                                                    \
    wm_cuda_add_node(node, graph,                                                           \
                     &(struct wm_cuda_dependencies){.nodes = dependencies, .count = count}, \
                     (make), (given))

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

// ---- Adding ------------------------------------------------------------------------------------

WM_CUDA_API wm_cuda_status cudaGraphAddKernelNode(node_handle *node, WHERE,
                                                  const struct wm_cuda_kernel_parameters *given)
{
    return ADD(wm_cuda_make_kernel, given);
}

WM_CUDA_API wm_cuda_status cudaGraphAddMemcpyNode(node_handle *node, WHERE,
                                                  const struct wm_cuda_copy3d *given)
{
    return ADD(wm_cuda_make_copy, given);
}

WM_CUDA_API wm_cuda_status cudaGraphAddMemcpyNode1D(node_handle *node, WHERE, void *to,
                                                    const void *from, size_t bytes, int kind)
{
    struct wm_cuda_line line = {
        .to = address_of(to), .from = address_of(from), .bytes = bytes, .kind = kind};
    return ADD(wm_cuda_make_line, &line);
}

WM_CUDA_API wm_cuda_status cudaGraphAddMemcpyNodeToSymbol(node_handle *node, WHERE,
                                                          const void *symbol, const void *from,
                                                          size_t bytes, size_t offset, int kind)
{
    struct wm_cuda_line line = {offset, address_of(from), symbol, bytes, kind, true};
    return ADD(wm_cuda_make_symbol_line, &line);
}

WM_CUDA_API wm_cuda_status cudaGraphAddMemcpyNodeFromSymbol(node_handle *node, WHERE, void *to,
                                                            const void *symbol, size_t bytes,
                                                            size_t offset, int kind)
{
    struct wm_cuda_line line = {address_of(to), offset, symbol, bytes, kind, false};
    return ADD(wm_cuda_make_symbol_line, &line);
}

WM_CUDA_API wm_cuda_status cudaGraphAddMemsetNode(node_handle *node, WHERE,
                                                  const struct wm_cuda_fill_parameters *given)
{
    return ADD(wm_cuda_make_fill, given);
}

WM_CUDA_API wm_cuda_status cudaGraphAddHostNode(node_handle *node, WHERE,
                                                const struct wm_cuda_host_parameters *given)
{
    return ADD(wm_cuda_make_host, given);
}

WM_CUDA_API wm_cuda_status cudaGraphAddChildGraphNode(node_handle *node, WHERE, graph_handle child)
{
    return ADD(wm_cuda_make_child, child);
}

WM_CUDA_API wm_cuda_status cudaGraphAddEmptyNode(node_handle *node, WHERE)
{
    struct wm_cuda_node_parameters empty = {.type = WM_CUDA_WORK_EMPTY};
    return ADD(wm_cuda_make_any, &empty);
}

WM_CUDA_API wm_cuda_status cudaGraphAddEventRecordNode(node_handle *node, WHERE,
                                                       wm_cuda_event_handle event)
{
    return ADD(wm_cuda_make_record, event);
}

WM_CUDA_API wm_cuda_status cudaGraphAddEventWaitNode(node_handle *node, WHERE,
                                                     wm_cuda_event_handle event)
{
    return ADD(wm_cuda_make_wait, event);
}

WM_CUDA_API wm_cuda_status cudaGraphAddMemAllocNode(node_handle *node, WHERE,
                                                    struct wm_cuda_allocation_parameters *given)
{
    if (!given)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    struct wm_cuda_node_parameters any = {.type = WM_CUDA_WORK_ALLOCATE, .allocation = *given};
    wm_cuda_status status = ADD(wm_cuda_make_any, &any);
    if (status == cudaSuccess)
        given->pointer = any.allocation.pointer;
    return status;
}

WM_CUDA_API wm_cuda_status cudaGraphAddMemFreeNode(node_handle *node, WHERE, void *pointer)
{
    struct wm_cuda_node_parameters any = {.type = WM_CUDA_WORK_FREE, .freed = pointer};
    return ADD(wm_cuda_make_any, &any);
}

// ---- Kernels -----------------------------------------------------------------------------------

WM_CUDA_API wm_cuda_status cudaGraphKernelNodeGetParams(node_handle node,
                                                        struct wm_cuda_kernel_parameters *to)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_node(&process, node, WM_CUDA_WORK_KERNEL);
    if (status == cudaSuccess && !to)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        const struct wm_cuda_kernel_work *kernel = &node->work.kernel;
        *to = (struct wm_cuda_kernel_parameters){
            .function = kernel->handle,
            .grid = kernel->configuration.grid,
            .block = kernel->configuration.block,
            .dynamic_shared_bytes = (unsigned)kernel->configuration.dynamic_shared_bytes,
            .arguments = kernel->arguments,
        };
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status
cudaGraphKernelNodeSetParams(node_handle node, const struct wm_cuda_kernel_parameters *given)
{
    return wm_cuda_set_node(node, WM_CUDA_WORK_KERNEL, wm_cuda_make_kernel, given);
}

WM_CUDA_API wm_cuda_status cudaGraphKernelNodeGetAttribute(node_handle node, int attribute,
                                                           void *value)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_node(&process, node, WM_CUDA_WORK_KERNEL);
    if (status == cudaSuccess && (!value || attribute < 1 || attribute > 16))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        const struct wm_cuda_kernel_work *kernel = &node->work.kernel;
        memset(value, 0, sizeof kernel->attributes->value); // not set: no effect
        for (uint32_t i = 0; i < kernel->attribute_count; i++)
            if (kernel->attributes[i].id == attribute)
                memcpy(value, kernel->attributes[i].value, sizeof kernel->attributes[i].value);
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphKernelNodeSetAttribute(node_handle node, int attribute,
                                                           const void *value)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_node(&process, node, WM_CUDA_WORK_KERNEL);
    if (status == cudaSuccess && !value)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess) {
        struct wm_cuda_launch_attribute given = {.id = attribute};
        memcpy(given.value, value, sizeof given.value);
        status = wm_cuda_work_set_attribute(&node->work, &given);
    }
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphKernelNodeCopyAttributes(node_handle to, node_handle from)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_node(&process, to, WM_CUDA_WORK_KERNEL);
    if (status == cudaSuccess &&
        (!wm_cuda_node_known(process, from) || from->work.kind != WM_CUDA_WORK_KERNEL))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess && to != from) {
        const struct wm_cuda_kernel_work *source = &from->work.kernel;
        to->work.kernel.attribute_count = 0;
        to->work.kernel.configuration.cooperative = source->configuration.cooperative;
        for (uint32_t i = 0; i < source->attribute_count && status == cudaSuccess; i++)
            status = wm_cuda_work_set_attribute(&to->work, &source->attributes[i]);
    }
    return wm_cuda_leave(process, status);
}

// ---- Copies and fills --------------------------------------------------------------------------

WM_CUDA_API wm_cuda_status cudaGraphMemcpyNodeGetParams(node_handle node, struct wm_cuda_copy3d *to)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_node(&process, node, WM_CUDA_WORK_COPY);
    if (status == cudaSuccess && !to)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *to = node->work.copy;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphMemcpyNodeSetParams(node_handle node,
                                                        const struct wm_cuda_copy3d *given)
{
    return wm_cuda_set_node(node, WM_CUDA_WORK_COPY, wm_cuda_make_copy, given);
}

WM_CUDA_API wm_cuda_status cudaGraphMemcpyNodeSetParams1D(node_handle node, void *to,
                                                          const void *from, size_t bytes, int kind)
{
    struct wm_cuda_line line = {
        .to = address_of(to), .from = address_of(from), .bytes = bytes, .kind = kind};
    return wm_cuda_set_node(node, WM_CUDA_WORK_COPY, wm_cuda_make_line, &line);
}

WM_CUDA_API wm_cuda_status cudaGraphMemcpyNodeSetParamsToSymbol(node_handle node,
                                                                const void *symbol,
                                                                const void *from, size_t bytes,
                                                                size_t offset, int kind)
{
    struct wm_cuda_line line = {offset, address_of(from), symbol, bytes, kind, true};
    return wm_cuda_set_node(node, WM_CUDA_WORK_COPY, wm_cuda_make_symbol_line, &line);
}

WM_CUDA_API wm_cuda_status cudaGraphMemcpyNodeSetParamsFromSymbol(node_handle node, void *to,
                                                                  const void *symbol, size_t bytes,
                                                                  size_t offset, int kind)
{
    struct wm_cuda_line line = {address_of(to), offset, symbol, bytes, kind, false};
    return wm_cuda_set_node(node, WM_CUDA_WORK_COPY, wm_cuda_make_symbol_line, &line);
}

WM_CUDA_API wm_cuda_status cudaGraphMemsetNodeGetParams(node_handle node,
                                                        struct wm_cuda_fill_parameters *to)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_node(&process, node, WM_CUDA_WORK_FILL);
    if (status == cudaSuccess && !to)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *to = node->work.fill;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphMemsetNodeSetParams(node_handle node,
                                                        const struct wm_cuda_fill_parameters *given)
{
    return wm_cuda_set_node(node, WM_CUDA_WORK_FILL, wm_cuda_make_fill, given);
}

// ---- The rest ----------------------------------------------------------------------------------

WM_CUDA_API wm_cuda_status cudaGraphHostNodeGetParams(node_handle node,
                                                      struct wm_cuda_host_parameters *to)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_node(&process, node, WM_CUDA_WORK_HOST);
    if (status == cudaSuccess && !to)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *to = node->work.host;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphHostNodeSetParams(node_handle node,
                                                      const struct wm_cuda_host_parameters *given)
{
    return wm_cuda_set_node(node, WM_CUDA_WORK_HOST, wm_cuda_make_host, given);
}

WM_CUDA_API wm_cuda_status cudaGraphChildGraphNodeGetGraph(node_handle node, graph_handle *to)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_node(&process, node, WM_CUDA_WORK_CHILD);
    if (status == cudaSuccess && !to)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *to = node->work.child;
    return wm_cuda_leave(process, status);
}

static wm_cuda_status get_event(node_handle node, enum wm_cuda_work_kind kind,
                                wm_cuda_event_handle *to)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_node(&process, node, kind);
    if (status == cudaSuccess && !to)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *to = node->work.event;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphEventRecordNodeGetEvent(node_handle node,
                                                            wm_cuda_event_handle *to)
{
    return get_event(node, WM_CUDA_WORK_EVENT_RECORD, to);
}

WM_CUDA_API wm_cuda_status cudaGraphEventWaitNodeGetEvent(node_handle node,
                                                          wm_cuda_event_handle *to)
{
    return get_event(node, WM_CUDA_WORK_EVENT_WAIT, to);
}

WM_CUDA_API wm_cuda_status cudaGraphEventRecordNodeSetEvent(node_handle node,
                                                            wm_cuda_event_handle event)
{
    return wm_cuda_set_node(node, WM_CUDA_WORK_EVENT_RECORD, wm_cuda_make_record, event);
}

WM_CUDA_API wm_cuda_status cudaGraphEventWaitNodeSetEvent(node_handle node,
                                                          wm_cuda_event_handle event)
{
    return wm_cuda_set_node(node, WM_CUDA_WORK_EVENT_WAIT, wm_cuda_make_wait, event);
}

WM_CUDA_API wm_cuda_status cudaGraphMemAllocNodeGetParams(node_handle node,
                                                          struct wm_cuda_allocation_parameters *to)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_node(&process, node, WM_CUDA_WORK_ALLOCATE);
    if (status == cudaSuccess && !to)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *to = node->work.allocation.parameters;
    return wm_cuda_leave(process, status);
}

// `to` points at the pointer that is freed.
WM_CUDA_API wm_cuda_status cudaGraphMemFreeNodeGetParams(node_handle node, void *to)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_node(&process, node, WM_CUDA_WORK_FREE);
    if (status == cudaSuccess && !to)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        memcpy(to, &node->work.freed, sizeof node->work.freed);
    return wm_cuda_leave(process, status);
}

// Memory nodes and conditions stay as they are made.
WM_CUDA_API wm_cuda_status cudaGraphNodeSetParams(node_handle node,
                                                  struct wm_cuda_node_parameters *given)
{
    if (!given)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    if (given->type == WM_CUDA_WORK_ALLOCATE || given->type == WM_CUDA_WORK_FREE ||
        given->type == WM_CUDA_WORK_CONDITIONAL)
        return wm_cuda_set_last_error(cudaErrorNotSupported);
    return wm_cuda_set_node(node, (enum wm_cuda_work_kind)given->type, wm_cuda_make_any, given);
}
