// Executable graphs: making and launching them, and changing what their nodes do.
#include "cuda/error/log.h"
#include "cuda/graph/api_graph.h"
#include "cuda/graph/capture.h"
#include "cuda/graph/graph_launch.h"
#include "cuda/graph/graph_memory.h"
#include "cuda/graph/graph_run.h"
#include "cuda/graph/graph_update.h"
#include "cuda/runtime_prototypes.h"
#include "cuda/stream/stream_table.h"

#include <string.h>

typedef struct wm_cuda_graph *graph_handle;
typedef struct wm_cuda_graph_node *node_handle;
typedef struct wm_cuda_graph_exec *exec_handle;

WM_CUDA_PER_THREAD(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams)
WM_CUDA_PER_THREAD(cudaGraphUpload_ptsz, cudaGraphUpload)
WM_CUDA_PER_THREAD(cudaGraphLaunch_ptsz, cudaGraphLaunch)

// cudaGraphInstantiateResult
enum {
    INSTANTIATED = 0,
    INSTANTIATE_ERROR = 1,
    INSTANTIATE_STRUCTURE = 2,
    INSTANTIATE_OPERATION = 3
};

static wm_cuda_status enter_exec(struct wm_cuda_process **process, exec_handle exec)
{
    wm_cuda_status status = wm_cuda_enter(process);
    if (status == cudaSuccess && !wm_cuda_exec_known(*process, exec))
        status = cudaErrorInvalidValue;
    return status;
}

// ---- Making and launching ----------------------------------------------------------------------

static wm_cuda_status check_flags(unsigned long long flags)
{
    const unsigned long long both = WM_CUDA_GRAPH_DEVICE_LAUNCH | WM_CUDA_GRAPH_AUTO_FREE;
    bool bad = (flags & ~(unsigned long long)WM_CUDA_GRAPH_FLAGS) != 0 || (flags & both) == both;
    return bad ? cudaErrorInvalidValue : cudaSuccess;
}

static wm_cuda_status instantiate(exec_handle *exec, graph_handle graph,
                                  struct wm_cuda_instantiate_parameters *parameters)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_graph(&process, graph);
    parameters->error_node = NULL;
    if (status == cudaSuccess && !exec)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = check_flags(parameters->flags);
    if (status == cudaSuccess && (parameters->flags & WM_CUDA_GRAPH_DEVICE_LAUNCH))
        status = wm_cuda_check_device_graph(process, graph, &parameters->error_node);
    parameters->result = parameters->error_node ? INSTANTIATE_OPERATION : INSTANTIATE_ERROR;
    if (status != cudaSuccess)
        return wm_cuda_leave(process, status);
    status = wm_cuda_exec_new(process, graph, parameters->flags, exec, &parameters->error_node);
    if (status == cudaSuccess && (parameters->flags & WM_CUDA_GRAPH_DEVICE_LAUNCH)) {
        status = wm_cuda_exec_check(process, *exec);
        (*exec)->uploaded = (parameters->flags & WM_CUDA_GRAPH_UPLOAD) != 0;
        if (status != cudaSuccess)
            wm_cuda_exec_free(process, *exec);
    }
    if (status == cudaSuccess)
        parameters->result = INSTANTIATED;
    else if (parameters->error_node)
        parameters->result = INSTANTIATE_STRUCTURE;
    return wm_cuda_leave(process, status);
}

// CUDA 11 has no flags: a place for the node at fault, and two arguments more for a log.
WM_CUDA_API wm_cuda_status cudaGraphInstantiate(exec_handle *exec, graph_handle graph,
                                                unsigned long long flags)
{
    if (wm_cudart_major == 11) {
        if (flags != 0)
            *(node_handle *)(uintptr_t)flags = NULL;
        flags = 0;
    }
    struct wm_cuda_instantiate_parameters parameters = {.flags = flags};
    return instantiate(exec, graph, &parameters);
}

WM_CUDA_API wm_cuda_status cudaGraphInstantiateWithFlags(exec_handle *exec, graph_handle graph,
                                                         unsigned long long flags)
{
    struct wm_cuda_instantiate_parameters parameters = {.flags = flags};
    return instantiate(exec, graph, &parameters);
}

WM_CUDA_API wm_cuda_status cudaGraphInstantiateWithParams(
    exec_handle *exec, graph_handle graph, struct wm_cuda_instantiate_parameters *parameters)
{
    return parameters ? instantiate(exec, graph, parameters)
                      : wm_cuda_set_last_error(cudaErrorInvalidValue);
}

WM_CUDA_API wm_cuda_status cudaGraphExecGetFlags(exec_handle exec, unsigned long long *flags)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_exec(&process, exec);
    if (status == cudaSuccess && !flags)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *flags = exec->flags;
    return wm_cuda_leave(process, status);
}

// Launches under way run to their end: commands hold all they need.
WM_CUDA_API wm_cuda_status cudaGraphExecDestroy(exec_handle exec)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_exec(&process, exec);
    if (status == cudaSuccess)
        wm_cuda_exec_free(process, exec);
    return wm_cuda_leave(process, status);
}

// The graph that is captured gets the launched one as a child.
static wm_cuda_status capture_launch(struct wm_cuda_process *process, exec_handle exec,
                                     struct wm_cuda_stream *stream)
{
    struct wm_cuda_work work;
    wm_cuda_status status = wm_cuda_work_of_child(process, exec->graph, &work);
    return status == cudaSuccess ? wm_cuda_capture_work(process, stream, &work) : status;
}

static wm_cuda_status on_stream(exec_handle exec, wm_cuda_stream_handle handle, bool launch)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    wm_cuda_status status = enter_exec(&process, exec);
    if (status == cudaSuccess)
        status = wm_cuda_stream_for_work(process, handle, &stream);
    if (status == cudaSuccess && !launch)
        exec->uploaded = true;
    if (status == cudaSuccess && launch)
        status = stream->capture ? capture_launch(process, exec, stream)
                                 : wm_cuda_exec_launch(process, exec, stream);
    return wm_cuda_leave(process, status);
}

// Only launches by kernels check whether that was done.
WM_CUDA_API wm_cuda_status cudaGraphUpload(exec_handle exec, wm_cuda_stream_handle stream)
{
    return on_stream(exec, stream, false);
}

WM_CUDA_API wm_cuda_status cudaGraphLaunch(exec_handle exec, wm_cuda_stream_handle stream)
{
    return on_stream(exec, stream, true);
}

// ---- Changing ----------------------------------------------------------------------------------

static wm_cuda_status update(exec_handle exec, graph_handle graph,
                             struct wm_cuda_update_result *result)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = enter_exec(&process, exec);
    if (status == cudaSuccess && (!result || !wm_cuda_graph_known(process, graph)))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = wm_cuda_exec_update(process, exec->graph, graph, result);
    if (status == cudaSuccess)
        exec->uploaded = false;
    return wm_cuda_leave(process, status);
}

// CUDA 11 has the node at fault and the result one by one.
WM_CUDA_API wm_cuda_status cudaGraphExecUpdate(exec_handle exec, graph_handle graph,
                                               void *result_or_node, int *result_of_11)
{
    if (wm_cudart_major != 11)
        return update(exec, graph, result_or_node);
    if (!result_or_node || !result_of_11)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    struct wm_cuda_update_result result = {0};
    wm_cuda_status status = update(exec, graph, &result);
    *(node_handle *)result_or_node = result.error_node;
    *result_of_11 = result.result;
    return status;
}

// The executable graph's own node for one of the graph that it was made of.
static wm_cuda_status enter_exec_node(struct wm_cuda_process **process, exec_handle exec,
                                      node_handle node, struct wm_cuda_graph_node **own)
{
    wm_cuda_status status = enter_exec(process, exec);
    if (status == cudaSuccess) {
        *own = wm_cuda_graph_counterpart(exec->graph, node);
        if (!node || !*own)
            status = cudaErrorInvalidValue;
    }
    return status;
}

static bool can_be_disabled(const struct wm_cuda_graph_node *node)
{
    return node->work.kind <= WM_CUDA_WORK_FILL;
}

WM_CUDA_API wm_cuda_status cudaGraphNodeSetEnabled(exec_handle exec, node_handle node,
                                                   unsigned enabled)
{
    struct wm_cuda_process *process;
    struct wm_cuda_graph_node *own;
    wm_cuda_status status = enter_exec_node(&process, exec, node, &own);
    if (status == cudaSuccess && !can_be_disabled(own))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        own->disabled = enabled == 0;
    if (status == cudaSuccess)
        exec->uploaded = false;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphNodeGetEnabled(exec_handle exec, node_handle node,
                                                   unsigned *enabled)
{
    struct wm_cuda_process *process;
    struct wm_cuda_graph_node *own;
    wm_cuda_status status = enter_exec_node(&process, exec, node, &own);
    if (status == cudaSuccess && (!enabled || !can_be_disabled(own)))
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *enabled = !own->disabled;
    return wm_cuda_leave(process, status);
}

static wm_cuda_status replace_checked(struct wm_cuda_process *process,
                                      struct wm_cuda_graph_node *own, struct wm_cuda_work *work)
{
    wm_cuda_status status = cudaSuccess;
    struct wm_cuda_graph_node *broken = NULL;
    if (work->kind == WM_CUDA_WORK_KERNEL)
        work->kernel.configuration.cooperative = own->work.kernel.configuration.cooperative;
    if (work->kind == WM_CUDA_WORK_CHILD) {
        struct wm_cuda_update_result result;
        status = wm_cuda_exec_update(process, own->work.child, work->child, &result);
        // Taken over node by node, so that programs' handles of the nodes inside stay good.
        wm_cuda_work_release(process, work);
        return status == cudaSuccess ? wm_cuda_graph_sort(own->work.child, &broken) : status;
    }
    if (wm_cuda_update_check(process, &own->work, work) != WM_CUDA_UPDATE_SUCCESS) {
        wm_cuda_work_release(process, work);
        return cudaErrorInvalidValue;
    }
    wm_cuda_replace_work(process, own, work);
    return cudaSuccess;
}

wm_cuda_status wm_cuda_set_exec_node(exec_handle exec, node_handle node,
                                     enum wm_cuda_work_kind kind, wm_cuda_make_work *make,
                                     const void *given)
{
    struct wm_cuda_process *process;
    struct wm_cuda_graph_node *own;
    struct wm_cuda_work work;
    wm_cuda_status status = enter_exec_node(&process, exec, node, &own);
    if (status == cudaSuccess && own->work.kind != kind)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = make(process, own->graph, given, &work);
    if (status == cudaSuccess)
        status = replace_checked(process, own, &work);
    if (status == cudaSuccess)
        exec->uploaded = false;
    return wm_cuda_leave(process, status);
}

WM_CUDA_API wm_cuda_status cudaGraphExecKernelNodeSetParams(
    exec_handle exec, node_handle node, const struct wm_cuda_kernel_parameters *given)
{
    return wm_cuda_set_exec_node(exec, node, WM_CUDA_WORK_KERNEL, wm_cuda_make_kernel, given);
}

WM_CUDA_API wm_cuda_status cudaGraphExecMemcpyNodeSetParams(exec_handle exec, node_handle node,
                                                            const struct wm_cuda_copy3d *given)
{
    return wm_cuda_set_exec_node(exec, node, WM_CUDA_WORK_COPY, wm_cuda_make_copy, given);
}

static wm_cuda_status set_line(exec_handle exec, node_handle node, struct wm_cuda_line line)
{
    return wm_cuda_set_exec_node(exec, node, WM_CUDA_WORK_COPY,
                                 line.symbol ? wm_cuda_make_symbol_line : wm_cuda_make_line, &line);
}

WM_CUDA_API wm_cuda_status cudaGraphExecMemcpyNodeSetParams1D(exec_handle exec, node_handle node,
                                                              void *to, const void *from,
                                                              size_t bytes, int kind)
{
    return set_line(exec, node,
                    (struct wm_cuda_line){(uint64_t)(uintptr_t)to, (uint64_t)(uintptr_t)from, NULL,
                                          bytes, kind, false});
}

WM_CUDA_API wm_cuda_status cudaGraphExecMemcpyNodeSetParamsToSymbol(exec_handle exec,
                                                                    node_handle node,
                                                                    const void *symbol,
                                                                    const void *from, size_t bytes,
                                                                    size_t offset, int kind)
{
    if (!symbol)
        return wm_cuda_set_last_error(cudaErrorInvalidSymbol);
    return set_line(
        exec, node,
        (struct wm_cuda_line){offset, (uint64_t)(uintptr_t)from, symbol, bytes, kind, true});
}

WM_CUDA_API wm_cuda_status cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec_handle exec,
                                                                      node_handle node, void *to,
                                                                      const void *symbol,
                                                                      size_t bytes, size_t offset,
                                                                      int kind)
{
    if (!symbol)
        return wm_cuda_set_last_error(cudaErrorInvalidSymbol);
    return set_line(
        exec, node,
        (struct wm_cuda_line){(uint64_t)(uintptr_t)to, offset, symbol, bytes, kind, false});
}

WM_CUDA_API wm_cuda_status cudaGraphExecMemsetNodeSetParams(
    exec_handle exec, node_handle node, const struct wm_cuda_fill_parameters *given)
{
    return wm_cuda_set_exec_node(exec, node, WM_CUDA_WORK_FILL, wm_cuda_make_fill, given);
}

WM_CUDA_API wm_cuda_status cudaGraphExecHostNodeSetParams(
    exec_handle exec, node_handle node, const struct wm_cuda_host_parameters *given)
{
    return wm_cuda_set_exec_node(exec, node, WM_CUDA_WORK_HOST, wm_cuda_make_host, given);
}

WM_CUDA_API wm_cuda_status cudaGraphExecChildGraphNodeSetParams(exec_handle exec, node_handle node,
                                                                graph_handle child)
{
    return wm_cuda_set_exec_node(exec, node, WM_CUDA_WORK_CHILD, wm_cuda_make_child, child);
}

WM_CUDA_API wm_cuda_status cudaGraphExecEventRecordNodeSetEvent(exec_handle exec, node_handle node,
                                                                wm_cuda_event_handle event)
{
    return wm_cuda_set_exec_node(exec, node, WM_CUDA_WORK_EVENT_RECORD, wm_cuda_make_record, event);
}

WM_CUDA_API wm_cuda_status cudaGraphExecEventWaitNodeSetEvent(exec_handle exec, node_handle node,
                                                              wm_cuda_event_handle event)
{
    return wm_cuda_set_exec_node(exec, node, WM_CUDA_WORK_EVENT_WAIT, wm_cuda_make_wait, event);
}

WM_CUDA_API wm_cuda_status cudaGraphExecNodeSetParams(exec_handle exec, node_handle node,
                                                      struct wm_cuda_node_parameters *given)
{
    if (!given)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    if (given->type == WM_CUDA_WORK_ALLOCATE || given->type == WM_CUDA_WORK_FREE ||
        given->type == WM_CUDA_WORK_CONDITIONAL)
        return wm_cuda_set_last_error(cudaErrorNotSupported);
    return wm_cuda_set_exec_node(exec, node, (enum wm_cuda_work_kind)given->type, wm_cuda_make_any,
                                 given);
}
