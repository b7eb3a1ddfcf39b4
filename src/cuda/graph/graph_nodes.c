// Making nodes of what the program gave, for graphs and for executable graphs alike.
#include "cuda/graph/api_graph.h"
#include "cuda/memory/symbol_place.h"

#include <stdlib.h>
#include <string.h>

// ---- Work by kind ------------------------------------------------------------------------------

wm_cuda_status wm_cuda_make_kernel(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                   const void *given, struct wm_cuda_work *work)
{
    (void)graph;
    return wm_cuda_work_of_kernel(process, given, work);
}

wm_cuda_status wm_cuda_make_copy(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                 const void *given, struct wm_cuda_work *work)
{
    (void)graph;
    return wm_cuda_work_of_copy(process, given, work);
}

wm_cuda_status wm_cuda_make_line(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                 const void *given, struct wm_cuda_work *work)
{
    const struct wm_cuda_line *line = given;
    (void)graph;
    return wm_cuda_work_of_line(process, line->to, line->from, line->bytes, line->kind, work);
}

wm_cuda_status wm_cuda_make_symbol_line(struct wm_cuda_process *process,
                                        struct wm_cuda_graph *graph, const void *given,
                                        struct wm_cuda_work *work)
{
    const struct wm_cuda_line *line = given;
    (void)graph;
    uint64_t place = line->to_symbol ? line->to : line->from;
    wm_cuda_status status = wm_cuda_symbol_place(process, line->symbol, line->to_symbol, line->kind,
                                                 line->bytes, place, &place);
    if (status != cudaSuccess)
        return status;
    return line->to_symbol
               ? wm_cuda_work_of_line(process, place, line->from, line->bytes, line->kind, work)
               : wm_cuda_work_of_line(process, line->to, place, line->bytes, line->kind, work);
}

wm_cuda_status wm_cuda_make_fill(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                 const void *given, struct wm_cuda_work *work)
{
    (void)graph;
    return wm_cuda_work_of_fill(process, given, work);
}

wm_cuda_status wm_cuda_make_host(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                 const void *given, struct wm_cuda_work *work)
{
    (void)process, (void)graph;
    return wm_cuda_work_of_host(given, work);
}

wm_cuda_status wm_cuda_make_child(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                  const void *given, struct wm_cuda_work *work)
{
    struct wm_cuda_graph *child = (struct wm_cuda_graph *)(uintptr_t)given;
    if (!wm_cuda_graph_known(process, child) || child == graph)
        return cudaErrorInvalidValue;
    return wm_cuda_work_of_child(process, child, work);
}

wm_cuda_status wm_cuda_make_record(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                   const void *given, struct wm_cuda_work *work)
{
    (void)graph;
    return wm_cuda_work_of_event(process, (struct wm_cuda_event *)(uintptr_t)given,
                                 WM_CUDA_WORK_EVENT_RECORD, work);
}

wm_cuda_status wm_cuda_make_wait(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                 const void *given, struct wm_cuda_work *work)
{
    (void)graph;
    return wm_cuda_work_of_event(process, (struct wm_cuda_event *)(uintptr_t)given,
                                 WM_CUDA_WORK_EVENT_WAIT, work);
}

static bool handle_of(const struct wm_cuda_graph *graph, uint64_t handle)
{
    for (; graph; graph = graph->holder ? graph->holder->graph : NULL)
        for (uint32_t i = 0; i < graph->condition_count; i++)
            if (graph->conditions[i].handle == handle)
                return true;
    return false;
}

static wm_cuda_status make_condition(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                     struct wm_cuda_condition_parameters *parameters,
                                     struct wm_cuda_work *work)
{
    unsigned size = parameters->size;
    static const unsigned most[] = {2, 1, 1u << 16};
    if (!handle_of(graph, parameters->handle) || parameters->type < 0 ||
        parameters->type > WM_CUDA_CONDITION_SWITCH || size < 1 || size > most[parameters->type])
        return cudaErrorInvalidValue;
    *work = (struct wm_cuda_work){
        .kind = WM_CUDA_WORK_CONDITIONAL,
        .condition = {.handle = parameters->handle, .type = parameters->type, .size = size}};
    work->condition.graphs = calloc(size, sizeof(struct wm_cuda_graph *));
    wm_cuda_status status = work->condition.graphs ? cudaSuccess : cudaErrorMemoryAllocation;
    for (unsigned i = 0; i < size && status == cudaSuccess; i++) {
        status = wm_cuda_graph_new(process, true, &work->condition.graphs[i]);
        if (status == cudaSuccess)
            work->condition.graphs[i]->body = true;
    }
    if (status != cudaSuccess && work->condition.graphs)
        wm_cuda_work_release(process, work);
    parameters->graphs = work->condition.graphs;
    return status;
}

// By the type inside; what the node makes is written back.
wm_cuda_status wm_cuda_make_any(struct wm_cuda_process *process, struct wm_cuda_graph *graph,
                                const void *given, struct wm_cuda_work *work)
{
    struct wm_cuda_node_parameters *parameters = (void *)(uintptr_t)given;
    switch (parameters->type) {
    case WM_CUDA_WORK_KERNEL: return wm_cuda_work_of_kernel(process, &parameters->kernel, work);
    case WM_CUDA_WORK_COPY: return wm_cuda_work_of_copy(process, &parameters->copy.copy, work);
    case WM_CUDA_WORK_FILL: return wm_cuda_work_of_fill(process, &parameters->fill, work);
    case WM_CUDA_WORK_HOST: return wm_cuda_work_of_host(&parameters->host, work);
    case WM_CUDA_WORK_CHILD:
        return wm_cuda_make_child(process, graph, parameters->child.graph, work);
    case WM_CUDA_WORK_EMPTY:
        *work = (struct wm_cuda_work){.kind = WM_CUDA_WORK_EMPTY};
        return cudaSuccess;
    case WM_CUDA_WORK_EVENT_WAIT:
    case WM_CUDA_WORK_EVENT_RECORD:
        return wm_cuda_work_of_event(process, parameters->event,
                                     (enum wm_cuda_work_kind)parameters->type, work);
    case WM_CUDA_WORK_ALLOCATE:
        return wm_cuda_work_of_allocation(process, &parameters->allocation, work);
    case WM_CUDA_WORK_FREE:
        return wm_cuda_work_of_free(process, (uint64_t)(uintptr_t)parameters->freed, work);
    case WM_CUDA_WORK_OPERATIONS:
        return wm_cuda_work_of_operations(process, &parameters->operations, work);
    case WM_CUDA_WORK_CONDITIONAL:
        return make_condition(process, graph, &parameters->condition, work);
    default:
        return parameters->type == 8 || parameters->type == 9 ? cudaErrorNotSupported
                                                              : cudaErrorInvalidValue;
    }
}

// ---- Into the graph ----------------------------------------------------------------------------

// What a condition's body, or a graph inside another, may hold.
static wm_cuda_status check_place(const struct wm_cuda_graph *graph,
                                  const struct wm_cuda_work *work)
{
    const uint32_t in_bodies =
        WM_CUDA_WORK_BIT(WM_CUDA_WORK_KERNEL) | WM_CUDA_WORK_BIT(WM_CUDA_WORK_COPY) |
        WM_CUDA_WORK_BIT(WM_CUDA_WORK_FILL) | WM_CUDA_WORK_BIT(WM_CUDA_WORK_EMPTY) |
        WM_CUDA_WORK_BIT(WM_CUDA_WORK_CHILD) | WM_CUDA_WORK_BIT(WM_CUDA_WORK_CONDITIONAL);
    bool in_body = false;
    for (const struct wm_cuda_graph *outer = graph; outer;
         outer = outer->holder ? outer->holder->graph : NULL)
        in_body |= outer->body;
    uint32_t bit = WM_CUDA_WORK_BIT(work->kind);
    if (in_body && ((bit & in_bodies) == 0 || (work->kind == WM_CUDA_WORK_CHILD &&
                                               wm_cuda_graph_has(work->child, ~in_bodies))))
        return cudaErrorNotSupported;
    return graph->holder && (bit & WM_CUDA_MEMORY_NODES) ? cudaErrorNotSupported : cudaSuccess;
}

wm_cuda_status wm_cuda_add_node(struct wm_cuda_graph_node **node, struct wm_cuda_graph *graph,
                                const struct wm_cuda_dependencies *dependencies,
                                wm_cuda_make_work *make, const void *given)
{
    struct wm_cuda_process *process;
    struct wm_cuda_work work;
    wm_cuda_status status = wm_cuda_enter_graph(&process, graph);
    if (status == cudaSuccess && !node)
        status = cudaErrorInvalidValue;
    if (status == cudaSuccess)
        status = make(process, graph, given, &work);
    if (status == cudaSuccess) {
        status = check_place(graph, &work);
        if (status != cudaSuccess)
            wm_cuda_work_release(process, &work);
        else
            status = wm_cuda_graph_add(process, graph, dependencies->nodes, dependencies->edges,
                                       dependencies->count, &work, node);
    }
    return wm_cuda_leave(process, status);
}

wm_cuda_status wm_cuda_add_any_node(struct wm_cuda_graph_node **node, struct wm_cuda_graph *graph,
                                    const struct wm_cuda_dependencies *dependencies,
                                    struct wm_cuda_node_parameters *parameters)
{
    if (!parameters)
        return wm_cuda_set_last_error(cudaErrorInvalidValue);
    return wm_cuda_add_node(node, graph, dependencies, wm_cuda_make_any, parameters);
}

wm_cuda_status wm_cuda_set_node(struct wm_cuda_graph_node *node, enum wm_cuda_work_kind kind,
                                wm_cuda_make_work *make, const void *given)
{
    struct wm_cuda_process *process;
    struct wm_cuda_work work;
    wm_cuda_status status = wm_cuda_enter_node(&process, node, kind);
    if (status == cudaSuccess)
        status = make(process, node->graph, given, &work);
    if (status == cudaSuccess)
        wm_cuda_replace_work(process, node, &work);
    return wm_cuda_leave(process, status);
}
