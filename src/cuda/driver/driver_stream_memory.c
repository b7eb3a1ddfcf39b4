// Operations of streams on words of memory, as calls and as nodes of graphs. The first forms, of
// before CUDA 11.7, mean the same.
#include "cuda/driver/driver.h"
#include "cuda/driver/driver_prototypes.h"
#include "cuda/graph/api_graph.h"
#include "cuda/graph/capture.h"
#include "cuda/stream/stream_table.h"

typedef union wm_cuda_memory_operation operation;
typedef struct wm_cuda_operations_work node_parameters; // CUDA_BATCH_MEM_OP_NODE_PARAMS
typedef struct wm_cuda_graph *graph_handle;
typedef struct wm_cuda_graph_node *node_handle;

#define OTHER_NAMES(name)                           \
    WM_CUDA_ALIAS(name, name##_v2);                 \
    WM_DRIVER_PER_THREAD(name##_v2_ptsz, name##_v2) \
    WM_CUDA_ALIAS(name##_ptsz, name##_v2_ptsz);
OTHER_NAMES(cuStreamWaitValue32)
OTHER_NAMES(cuStreamWaitValue64)
OTHER_NAMES(cuStreamWriteValue32)
OTHER_NAMES(cuStreamWriteValue64)
OTHER_NAMES(cuStreamBatchMemOp)

// ---- In a stream -------------------------------------------------------------------------------

static wm_cuda_status capture(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                              operation *operations, unsigned count)
{
    struct wm_cuda_work work;
    const node_parameters given = {.count = count, .operations = operations};
    wm_cuda_status status = wm_cuda_work_of_operations(process, &given, &work);
    return status == cudaSuccess ? wm_cuda_capture_work(process, stream, &work) : status;
}

static wm_cuda_status issue(wm_cuda_stream_handle handle, operation *operations, unsigned count)
{
    struct wm_cuda_process *process;
    struct wm_cuda_stream *stream;
    wm_cuda_status status = wm_cuda_enter(&process);
    if (status == cudaSuccess)
        status = wm_cuda_stream_for_work(process, handle, &stream);
    if (status == cudaSuccess)
        status = wm_cuda_check_memory_operations(process, operations, count);
    if (status == cudaSuccess)
        status = stream->capture
                     ? capture(process, stream, operations, count)
                     : wm_cuda_issue_memory_operations(process, stream, operations, count);
    return wm_cuda_leave(process, status);
}

static wm_driver_result issue_word(wm_cuda_stream_handle stream, int type,
                                   wm_driver_pointer address, uint64_t value, unsigned flags)
{
    operation one = {.word = {.type = type, .address = address, .value = value, .flags = flags}};
    WM_DRIVER_RETURN(issue(stream, &one, 1));
}

WM_CUDA_API wm_driver_result cuStreamWaitValue32_v2(wm_cuda_stream_handle stream,
                                                    wm_driver_pointer address, uint32_t value,
                                                    unsigned flags)
{
    return issue_word(stream, WM_CUDA_WAIT_32, address, value, flags);
}

WM_CUDA_API wm_driver_result cuStreamWaitValue64_v2(wm_cuda_stream_handle stream,
                                                    wm_driver_pointer address, uint64_t value,
                                                    unsigned flags)
{
    return issue_word(stream, WM_CUDA_WAIT_64, address, value, flags);
}

WM_CUDA_API wm_driver_result cuStreamWriteValue32_v2(wm_cuda_stream_handle stream,
                                                     wm_driver_pointer address, uint32_t value,
                                                     unsigned flags)
{
    return issue_word(stream, WM_CUDA_WRITE_32, address, value, flags);
}

WM_CUDA_API wm_driver_result cuStreamWriteValue64_v2(wm_cuda_stream_handle stream,
                                                     wm_driver_pointer address, uint64_t value,
                                                     unsigned flags)
{
    return issue_word(stream, WM_CUDA_WRITE_64, address, value, flags);
}

WM_CUDA_API wm_driver_result cuStreamBatchMemOp_v2(wm_cuda_stream_handle stream, unsigned count,
                                                   operation *operations, unsigned flags)
{
    WM_DRIVER_RETURN(flags ? cudaErrorInvalidValue : issue(stream, operations, count));
}

// ---- As nodes ----------------------------------------------------------------------------------

static wm_cuda_status make(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                           const void *given, struct wm_cuda_work *work)
{
    (void)graph;
    return wm_cuda_work_of_operations(process, given, work);
}

// NULL is the current one. The numbers are both APIs'.
static wm_cuda_status check(const node_parameters *given)
{
    return given && given->context ? (wm_cuda_status)wm_driver_check_context(given->context)
                                   : cudaSuccess;
}

static wm_cuda_status add(node_handle *node, graph_handle graph, const node_handle *dependencies,
                          size_t count, const node_parameters *given)
{
    const struct wm_cuda_dependencies after = {.nodes = dependencies, .count = count};
    wm_cuda_status status = check(given);
    return status == cudaSuccess ? wm_cuda_add_node(node, graph, &after, make, given) : status;
}

WM_CUDA_API wm_driver_result cuGraphAddBatchMemOpNode(node_handle *node, graph_handle graph,
                                                      const node_handle *dependencies, size_t count,
                                                      const node_parameters *given)
{
    WM_DRIVER_RETURN(add(node, graph, dependencies, count, given));
}

static wm_cuda_status get(node_handle node, node_parameters *to)
{
    struct wm_cuda_process *process;
    wm_cuda_status status = wm_cuda_enter_node(&process, node, WM_CUDA_WORK_OPERATIONS);
    if (status == cudaSuccess && !to)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        *to = node->work.operations;
    return wm_cuda_leave(process, status);
}

// The operations are the node's own.
WM_CUDA_API wm_driver_result cuGraphBatchMemOpNodeGetParams(node_handle node, node_parameters *to)
{
    WM_DRIVER_RETURN(get(node, to));
}

static wm_cuda_status set(struct wm_cuda_graph_exec *exec, node_handle node,
                          const node_parameters *given)
{
    wm_cuda_status status = check(given);
    if (status != cudaSuccess)
        return status;
    return exec ? wm_cuda_set_exec_node(exec, node, WM_CUDA_WORK_OPERATIONS, make, given)
                : wm_cuda_set_node(node, WM_CUDA_WORK_OPERATIONS, make, given);
}

WM_CUDA_API wm_driver_result cuGraphBatchMemOpNodeSetParams(node_handle node,
                                                            const node_parameters *given)
{
    WM_DRIVER_RETURN(set(NULL, node, given));
}

WM_CUDA_API wm_driver_result cuGraphExecBatchMemOpNodeSetParams(struct wm_cuda_graph_exec *exec,
                                                                node_handle node,
                                                                const node_parameters *given)
{
    WM_DRIVER_RETURN(exec ? set(exec, node, given) : cudaErrorInvalidValue);
}
